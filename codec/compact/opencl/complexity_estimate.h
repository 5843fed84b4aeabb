// complexity_estimate.h — the complexity of tiles, for rate control (compact/complexity.h).
#pragma once

#include <span>
#include <vector>

#include "compact/encoder_backend.h"
#include "rd_frame_buffers.h"

namespace texcast::compact {

class ComplexityEstimate {
 public:
  ComplexityEstimate(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers);
  void start(std::span<const TileToMeasure> tiles, std::span<const MotionVector> global, Stage& stage);
  // Valid after DeviceQueue::wait().
  std::span<const TileComplexity> result(size_t tiles);

 private:
  const DeviceQueue& queue_;
  const RdFrameBuffers& buffers_;
  cl::Kernel find_;
  MirroredList<texcast_lossy_complexity> tiles_;
  std::vector<TileComplexity> result_;
};

}  // namespace texcast::compact
