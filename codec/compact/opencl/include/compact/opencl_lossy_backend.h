// opencl_lossy_backend.h — a lossy encoder's half-blocks by an OpenCL device: what the encoder's own threads would
// choose, whatever the device.
//
//     encoder.use_backend(compact::make_opencl_lossy_backend(device, grid));
#pragma once

#include <memory>
#include <string>

#include "compact/encoder_backend.h"
#include "compact/tile_grid.h"
#include "texcast/device.h"
#include "texcast/frame_times.h"

namespace texcast::compact {

// By the device's own clock, of the frame chosen last. Those of later batches are in it where they follow each other.
struct LossyBackendTimes {
  nanoseconds begin{};     // upload of blocks and of the picture; what changed and how it moved; planes
  nanoseconds search{};    // where areas moved from, and what texels are to come near to
  nanoseconds choosing{};  // half-blocks
  nanoseconds telling{};   // them as symbols
  nanoseconds download{};  // of blocks and symbols
};

class OpenClLossyBackend : public EncoderBackend {
 public:
  // Waits for the device, and asks for times: for measurements.
  virtual LossyBackendTimes times() const = 0;
};

// Of grids that have planes of channels. Opens the device and builds the kernels, which may take seconds: those that
// draw `picture` too, which else are built with the first frame of its format. Throws Error{no_device} where they do
// not build or there is no memory for textures of that size.
std::unique_ptr<OpenClLossyBackend> make_opencl_lossy_backend(const DeviceInfo& device, const compact::TileGrid& grid,
                                                              const FrameFormat* picture = nullptr);
// The one that codes a recording's frames where whoever records does not say otherwise: the usual device's
// (opencl_lossless_backend.h), of grids that have planes of channels. None: threads do. `texture`: of a stream with
// loss.
std::unique_ptr<EncoderBackend> usual_lossy_backend(const std::string& selectors, const TextureDesc& texture);

}  // namespace texcast::compact
