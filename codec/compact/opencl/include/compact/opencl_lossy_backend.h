// opencl_lossy_backend.h — lossy mode decision by an OpenCL device. Its sub-blocks and symbols are those that the
// encoder's own threads would choose, on any device.
//
//     encoder.use_backend(compact::make_opencl_lossy_backend(device, grid));
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compact/encoder_backend.h"
#include "compact/tile_grid.h"
#include "texcast/device.h"
#include "texcast/frame_times.h"

namespace texcast::compact {

// Times of the latest frame, by the device's own clock. Later batches count if they follow without a break.
struct LossyBackendTimes {
  nanoseconds begin{};     // upload of blocks and picture, change detection, motion candidates, planes
  nanoseconds search{};    // motion search, and the texels to approximate
  nanoseconds choosing{};  // mode decision of block coding
  nanoseconds telling{};   // its symbols and entropy coding
  // Transform coding: planes of the reference frame, and the texels to approximate if there is no picture; mode
  // decision; symbols, entropy coding and the choice between both codings.
  nanoseconds planes{}, transform{}, transform_coding{};
  nanoseconds download{};  // of blocks and symbols
};

// A stage of the latest frame, from the beginning of its first command to the end of its last one, since the frame's
// first command was queued. Stages of different queues overlap.
struct LossyBackendStage {
  const char* name = "";
  nanoseconds begin{}, end{};
};

class OpenClLossyBackend : public EncoderBackend {
 public:
  // Waits for the device and reads its clock; zeros if it was made without times.
  virtual LossyBackendTimes times() const = 0;
  virtual std::vector<LossyBackendStage> timeline() const = 0;
};

// For grids that have planes of channels. Opens the device and builds the kernels, which may take seconds. The kernels
// that draw `picture` are built too; otherwise they are built with the first frame of its format. `transform`: if the
// grid can_transform(), tiles may have transform attempts, for which there are further kernels. Throws Error{no_device}
// if kernels cannot be built, or if there is no memory for textures of that size. `has_times`: for times() and
// timeline(); commands take longer to submit then.
std::unique_ptr<OpenClLossyBackend> make_opencl_lossy_backend(const DeviceInfo& device, const compact::TileGrid& grid,
                                                              const FrameFormat* picture = nullptr,
                                                              bool transform = false, bool has_times = false);
// The default backend for lossy recordings: that of usual_device() (opencl_lossless_backend.h), for grids that have
// planes of channels. nullptr: threads encode. `texture` is that of the lossy stream.
std::unique_ptr<EncoderBackend> usual_lossy_backend(const std::string& selectors, const TextureDesc& texture,
                                                    bool transform = false);

}  // namespace texcast::compact
