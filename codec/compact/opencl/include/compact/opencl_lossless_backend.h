// opencl_lossless_backend.h — a compact encoder's modes by an OpenCL device: the vectors and symbols that the encoder's
// own threads would choose, whatever the device.
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

// By the device's own clock, of the frame decided last.
struct LosslessBackendTimes {
  nanoseconds upload{};       // of the texture's rows of tiles that changed
  nanoseconds motion{};       // votes, which the host counts, and the search
  nanoseconds symbols{};      // modes and symbols
  nanoseconds coding{};       // symbols to bytes
  nanoseconds download{};     // of those
  nanoseconds remembering{};  // places and the frame before, once the encoder is done
};

class OpenClLosslessBackend : public EncoderBackend {
 public:
  // Waits for the device, and asks for times: for measurements.
  virtual LosslessBackendTimes times() const = 0;
};

// Of the devices that are chosen by `selectors` (texcast/device.h) the first one whose kernels are quicker than
// threads: a GPU. Throws as choose_devices does.
std::optional<DeviceInfo> usual_device(const std::string& selectors);

// For encoders with FrameEncoderSettings::most_slice_bytes. Opens the device and builds the kernels, which may take
// seconds. Throws Error{no_device} where they do not build or there is no memory for textures of that size.
std::unique_ptr<OpenClLosslessBackend> make_opencl_lossless_backend(const DeviceInfo& device, const TileGrid& grid,
                                                                    size_t most_slice_bytes);

}  // namespace texcast::compact
