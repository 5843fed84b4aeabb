// opencl_reconstruction_backend.h — decodes lossy slices by an OpenCL device. Its sub-blocks are those that the
// decoder's own threads would reconstruct, on any device.
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

// Times of the latest frame, by the device's own clock.
struct ReconstructionBackendTimes {
  nanoseconds upload{};    // of slices, and of the tiles that the CPU decoded in the previous frame
  nanoseconds symbols{};   // from slices to symbols
  nanoseconds halves{};    // from symbols to sub-blocks
  nanoseconds checks{};    // of the slices' checksums
  nanoseconds download{};  // of rows of tiles, and of the slices' results
};

class OpenClReconstructionBackend : public compact::ReconstructionBackend {
 public:
  // Waits for the device and reads its clock; zeros if it was made without times.
  virtual ReconstructionBackendTimes times() const = 0;
};

// For grids that have planes of channels. Opens the device and builds the kernels, which may take seconds. Throws
// Error{no_device} if they cannot be built, or if there is no memory for textures of that size. `has_times`: for
// times(); commands take longer to submit then.
std::unique_ptr<OpenClReconstructionBackend> make_opencl_reconstruction_backend(const DeviceInfo& device,
                                                                                const compact::TileGrid& grid,
                                                                                bool has_times = false);

// The default backend for textures of that format and size, on usual_device() (opencl_lossless_backend.h); logs its
// name. nullptr: there is none, or threads are as fast for such textures. Throws like
// make_opencl_reconstruction_backend() and choose_devices().
std::unique_ptr<compact::ReconstructionBackend> usual_reconstruction_backend(const std::string& selectors,
                                                                             const TextureDesc& texture);

}  // namespace texcast::compact
