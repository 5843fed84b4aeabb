// transform_planes.h — the samples of the reference frame on the device, from which transform slices are predicted: in
// planes that repeat their edges, and luma at half pixels too (cl_kernels/compact/transform_samples.cl).
#pragma once

#include <cstdint>
#include <span>

#include "compact/sample_planes.h"
#include "rd_frame_buffers.h"
#include "rd_tables.h"
#include "tile_lists.h"

namespace texcast::compact {

// The grid can_transform(). In each frame update() for the tiles that changed, and then interpolate().
class TransformPlanes {
 public:
  // All are borrowed.
  TransformPlanes(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers,
                  const RdTables& tables);

  // The samples of tiles become those of `samples`, in the layout of SampleLayout, if the tile has TEXCAST_KEPT_SAMPLES
  // in the list, and else those that their blocks of the reference frame (RdFrameBuffers::reference) decode to.
  void update(const TileLists& lists, const TileList& tiles, const cl::Buffer& samples, Stage& stage);
  void interpolate(Stage& stage);

  const SampleLayout& layout() const { return layout_; }
  const cl::Buffer& planes() const { return planes_; }
  // Waits for all samples, in the layout of SampleLayout.
  void read(std::span<uint8_t> samples) const;

 private:
  const DeviceQueue& queue_;
  const RdFrameBuffers& buffers_;
  const RdTables& tables_;
  const SampleLayout layout_;
  cl::Kernel update_, interpolate_;
  cl::Buffer planes_;
};

}  // namespace texcast::compact
