// device_decider.h — a compact encoder's modes by an OpenCL device: the vectors and symbols that the encoder's own
// threads would choose, whatever the device.
//
//     encoder.decide_by(compact_cl::make_device_decider(device, grid, most_unit_bytes));
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "compact/mode_decider.h"
#include "compact/tile_grid.h"
#include "texcast/device.h"
#include "texcast/frame_times.h"

namespace texcast::compact_cl {

// By the device's own clock, of the frame decided last.
struct DeciderTimes {
  nanoseconds upload{};       // of the texture's rows of tiles that changed
  nanoseconds motion{};       // votes, which the host counts, and the search
  nanoseconds symbols{};      // modes and symbols
  nanoseconds coding{};       // symbols to bytes
  nanoseconds download{};     // of those
  nanoseconds remembering{};  // places and the frame before, once the encoder is done
};

class DeviceDecider : public compact::ModeDecider {
 public:
  // Waits for the device, and asks for times: for measurements.
  virtual DeciderTimes times() const = 0;
};

// Of the devices that are chosen by `selectors` (texcast/device.h) the first one whose kernels are quicker than
// threads: a GPU. Throws as choose_devices does.
std::optional<DeviceInfo> usual_device(const std::string& selectors);

// For encoders with FrameEncoderSettings::most_unit_bytes. Opens the device and builds the kernels, which may take
// seconds. Throws Error{no_device} where they do not build or there is no memory for textures of that size.
std::unique_ptr<DeviceDecider> make_device_decider(const DeviceInfo& device, const compact::TileGrid& grid,
                                                   size_t most_unit_bytes);

}  // namespace texcast::compact_cl
