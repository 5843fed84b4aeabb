// device_lossy_chooser.h — a lossy encoder's half-blocks by an OpenCL device: what the encoder's own threads would
// choose, whatever the device.
//
//     encoder.choose_by(compact_cl::make_device_lossy_chooser(device, grid));
#pragma once

#include <memory>

#include "compact/lossy_chooser.h"
#include "compact/tile_grid.h"
#include "texcast/device.h"
#include "texcast/frame_times.h"

namespace texcast::compact_cl {

// By the device's own clock, of the frame chosen last.
struct ChooserTimes {
  nanoseconds upload{};    // of the frame before, of blocks and of what they are to come near to
  nanoseconds choosing{};  // the kernel
  nanoseconds download{};  // of blocks and modes
};

class DeviceLossyChooser : public compact::LossyChooser {
 public:
  // Waits for the device, and asks for times: for measurements.
  virtual ChooserTimes times() const = 0;
};

// Formats that there is a kernel for: planes of channels.
bool can_choose(const compact::TileGrid& grid);

// Opens the device and builds the kernel, which may take seconds. Throws Error{no_device} where it does not build or
// there is no memory for textures of that size.
std::unique_ptr<DeviceLossyChooser> make_device_lossy_chooser(const DeviceInfo& device, const compact::TileGrid& grid);

}  // namespace texcast::compact_cl
