// transform.h — how long an OpenCL device takes to decide the macroblocks of transform slices.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ocl/device.h"
#include "texcast/format.h"

namespace texcast::bench {

struct TransformSettings {
  TextureDesc texture;  // three planes of BC4, whose chroma has half as many texels across and down
  double crf = 23;
  int rounds = 4;  // through the frames and back
};

// `frames`: NV12 without padding, whose U and V are taken for Co and Cg; empty: noise that moves. Returns a table of
// the device's times for a frame, medians: motion search, mode decision of block coding, samples of the reference
// frame, mode decision of transform coding in several forms, and the fit of blocks. The first frame is intra.
std::string transform_table(const ocl::Device& device, const TransformSettings& settings,
                            const std::vector<std::vector<std::byte>>& frames);

}  // namespace texcast::bench
