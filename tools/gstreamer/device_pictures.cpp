#include "device_pictures.h"

#include <algorithm>

#include "background.h"
#include "debug.h"
#include "texcast/device.h"
#include "texcast/error.h"

namespace texcast::gstreamer {
namespace {

bool is_usable_gpu(const DeviceInfo& device) { return device.usable && device.is_gpu; }

// Null: there is no GPU, and no device was named.
std::unique_ptr<PictureConverter> make_on_device(const PictureConversion& conversion) {
  if (conversion.device.empty() && std::ranges::none_of(list_devices(), is_usable_gpu)) return nullptr;
  auto made = make_picture_converter(conversion);
  outlast_loaded_libraries();
  GST_INFO("%s decodes the pictures", made->device_name().c_str());
  return made;
}

void report(const std::exception_ptr& failure, const DevicePictures::OnFailure& on_failure) {
  if (on_failure) return on_failure(failure);
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    GST_WARNING("%s; the CPU decodes the pictures instead", error.what());
  }
}

}  // namespace

void DevicePictures::use(std::string device, OnFailure on_failure) {
  close();
  device_ = std::move(device);
  if (!device_.empty()) on_failure_ = std::move(on_failure);
}

void DevicePictures::close() {
  converter_.close();
  prepared_.reset();
  on_failure_ = nullptr;
  device_ = kNoDevice;
}

void DevicePictures::prepare(const PictureConversion& conversion) {
  prepared_ = conversion;
  if (!can_make_pictures_on_device(conversion.from.format)) return converter_.close();
  converter_.open([conversion] { return make_on_device(conversion); },
                  [on_failure = on_failure_](const std::exception_ptr& failure) { report(failure, on_failure); });
}

bool DevicePictures::convert(const TextureView& texture, const FrameFormat& to, const MutablePlanes& picture) {
  if (device_ == kNoDevice) return false;
  const PictureConversion wanted{.from = texture.desc, .to = to, .device = device_};
  if (prepared_ != wanted) prepare(wanted);
  try {
    return converter_.with([&](PictureConverter& converter) {
      converter.convert(texture, picture);
      return true;
    }) == true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_device) throw;
    converter_.close();
    report(std::current_exception(), on_failure_);
    return false;
  }
}

}  // namespace texcast::gstreamer
