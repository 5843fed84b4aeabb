// device_unit_rebuilder.h — a lossy stream's half-blocks by an OpenCL device: what the decoder's own threads would make
// of its units, whatever the device.
//
//     decoder.rebuild_by(compact_cl::make_device_unit_rebuilder(device, decoder.grid()));
#pragma once

#include <memory>
#include <string>

#include "compact/unit_rebuilder.h"
#include "texcast/device.h"
#include "texcast/format.h"
#include "texcast/frame_times.h"

namespace texcast::compact_cl {

// By the device's own clock, of the frame rebuilt last.
struct RebuilderTimes {
  nanoseconds upload{};    // of units, and of what others made of the frame before
  nanoseconds symbols{};   // units to symbols
  nanoseconds halves{};    // symbols to half-blocks
  nanoseconds checks{};    // of units
  nanoseconds download{};  // of rows of tiles, and what came of units
};

class DeviceUnitRebuilder : public compact::UnitRebuilder {
 public:
  // Waits for the device, and asks for times: for measurements.
  virtual RebuilderTimes times() const = 0;
};

// Of grids that have planes of channels. Opens the device and builds the kernels, which may take seconds. Throws
// Error{no_device} where they do not build or there is no memory for textures of that size.
std::unique_ptr<DeviceUnitRebuilder> make_device_unit_rebuilder(const DeviceInfo& device,
                                                                const compact::TileGrid& grid);

// Of the devices that are chosen by `selectors` by usual_device() (device_decider.h), for textures of that format and
// size; a line says which. nullptr: there is none, or threads are as quick for such textures. Throws as the other and
// as choose_devices() do.
std::unique_ptr<compact::UnitRebuilder> usual_rebuilder(const std::string& selectors, const TextureDesc& texture);

}  // namespace texcast::compact_cl
