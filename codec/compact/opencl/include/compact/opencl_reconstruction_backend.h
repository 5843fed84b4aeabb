// opencl_reconstruction_backend.h — a lossy stream's half-blocks by an OpenCL device: what the decoder's own threads
// would make of its units, whatever the device.
//
//     decoder.use_backend(compact::make_opencl_reconstruction_backend(device, decoder.grid()));
#pragma once

#include <memory>
#include <string>

#include "compact/reconstruction_backend.h"
#include "texcast/device.h"
#include "texcast/format.h"
#include "texcast/frame_times.h"

namespace texcast::compact {

// By the device's own clock, of the frame rebuilt last.
struct ReconstructionBackendTimes {
  nanoseconds upload{};    // of units, and of what others made of the frame before
  nanoseconds symbols{};   // units to symbols
  nanoseconds halves{};    // symbols to half-blocks
  nanoseconds checks{};    // of units
  nanoseconds download{};  // of rows of tiles, and what came of units
};

class OpenClReconstructionBackend : public compact::ReconstructionBackend {
 public:
  // Waits for the device, and asks for times: for measurements.
  virtual ReconstructionBackendTimes times() const = 0;
};

// Of grids that have planes of channels. Opens the device and builds the kernels, which may take seconds. Throws
// Error{no_device} where they do not build or there is no memory for textures of that size.
std::unique_ptr<OpenClReconstructionBackend> make_opencl_reconstruction_backend(const DeviceInfo& device,
                                                                                const compact::TileGrid& grid);

// Of the devices that are chosen by `selectors` by usual_device() (opencl_lossless_backend.h), for textures of that
// format and size; a line says which. nullptr: there is none, or threads are as quick for such textures. Throws as the
// other and as choose_devices() do.
std::unique_ptr<compact::ReconstructionBackend> usual_reconstruction_backend(const std::string& selectors,
                                                                             const TextureDesc& texture);

}  // namespace texcast::compact
