#include "coding_device.h"

#include <utility>

#include "base/log.h"
#include "compact/opencl_lossless_backend.h"
#include "compact/opencl_lossy_backend.h"
#include "texcast/error.h"

namespace texcast::stream {

CodingDevice::CodingDevice(std::optional<DeviceInfo> device, const compact::TileGrid& grid)
    : device_(std::move(device)), grid_(grid), check_{.slices = compact::kSelfCheckSlices} {}

void CodingDevice::build_lossless(size_t most_slice_bytes) {
  if (!device_) return;
  backend_.build([this, most_slice_bytes]() -> std::unique_ptr<compact::EncoderBackend> {
    return compact::make_opencl_lossless_backend(*device_, grid_, most_slice_bytes);
  });
}

void CodingDevice::build_lossy(const FrameView* picture, bool transform) {
  if (!device_) return;
  check_.clock = steady_now;
  backend_.build([this, transform,
                  format = picture != nullptr ? std::optional(picture->format)
                                              : std::nullopt]() -> std::unique_ptr<compact::EncoderBackend> {
    return compact::make_opencl_lossy_backend(*device_, grid_, format ? &*format : nullptr, transform);
  });
}

void CodingDevice::hand_over_to(compact::FrameEncoder& encoder) {
  try {
    auto backend = backend_.take();
    if (!backend) return;
    encoder.use_backend(std::move(*backend), check_);
    log_info("{} codes the stream", device_->name);
  } catch (const Error& error) {
    log_warning("the processor codes the stream: {}", error.what());
  }
}

}  // namespace texcast::stream
