// compare_stage.h — host side of the kernel that finds the tiles in which a frame differs from the previous one.
#pragma once

#include <optional>
#include <vector>

#include "ocl/device.h"
#include "texcast/frame.h"

namespace texcast::stages {

// Not thread-safe (it sets kernel arguments).
class CompareStage {
 public:
  // `items`: the size of a work-group, which compares one tile: 16 or more; 0: one per row of tiles; nothing: the best
  // for the device. Throws Error{no_device} if the kernel does not build on the device.
  CompareStage(const ocl::Device& device, const FrameFormat& format, std::optional<int> items = std::nullopt);
  // Whether the program is in the cache.
  static bool is_built(const ocl::Device& device, const FrameFormat& format);

  // `frame` and `before` hold frames as place_source() lays them out. `changed` has room for one byte per tile
  // (texcast/tiles.h), which becomes 1 or 0. Starts after `after`.
  cl::Event enqueue(const cl::CommandQueue& queue, const cl::Buffer& frame, const cl::Buffer& before,
                    const cl::Buffer& changed, const std::vector<cl::Event>& after);

 private:
  DeviceInfo info_;
  cl::Kernel kernel_;
  size_t global_ = 0, group_ = 0;
};

}  // namespace texcast::stages
