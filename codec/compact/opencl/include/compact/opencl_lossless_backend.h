// opencl_lossless_backend.h — lossless mode decision and entropy coding by an OpenCL device. Its vectors and symbols
// are those that the encoder's own threads would choose, on any device.
//
//     encoder.use_backend(compact::make_opencl_lossless_backend(device, grid, most_slice_bytes));
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "compact/encoder_backend.h"
#include "compact/tile_grid.h"
#include "texcast/device.h"
#include "texcast/frame_times.h"

namespace texcast::compact {

// Times of the latest frame.
struct LosslessBackendTimes {
  // By the device's own clock.
  nanoseconds upload{};            // of the rows of tiles in which the texture changed, while the host compares others
  nanoseconds candidate_search{};  // the same
  nanoseconds motion_search{};
  nanoseconds analysis{}, decision{}, symbols{};
  nanoseconds coding{};       // entropy coding
  nanoseconds download{};     // of the slices
  nanoseconds remembering{};  // updates of the sub-block index and the reference, after end()
  // By the host's.
  nanoseconds comparison{};  // begin()
  nanoseconds candidates{};  // find_candidates()
  nanoseconds submission{};  // encode()
  nanoseconds waiting{};     // wait()
  nanoseconds end{};
};

class OpenClLosslessBackend : public EncoderBackend {
 public:
  // Waits for the device and reads its clock; zeros if it was made without times.
  virtual LosslessBackendTimes times() const = 0;
};

// Returns the first of the devices chosen by `selectors` (texcast/device.h) whose kernels are faster than threads: a
// GPU. Throws like choose_devices().
std::optional<DeviceInfo> usual_device(const std::string& selectors);

// For encoders with FrameEncoderSettings::most_slice_bytes. Opens the device and builds the kernels, which may take
// seconds. Throws Error{no_device} if they cannot be built, if there is no memory for textures of that size, or if the
// sub-blocks are opaque (compact/tile_grid.h). `has_times`: for times(); commands take longer to submit then.
std::unique_ptr<OpenClLosslessBackend> make_opencl_lossless_backend(const DeviceInfo& device, const TileGrid& grid,
                                                                    size_t most_slice_bytes, bool has_times = false);

}  // namespace texcast::compact
