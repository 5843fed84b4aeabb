// repack_stage.h — host side of the kernel that converts the planes of YCoCg-BC4 to scaled YCoCg (Hap Q).
#pragma once

#include <memory>

#include "stages/stage.h"

namespace texcast::stages {

struct RepackSettings {
  TextureFormat from = TextureFormat::ycocg_bc4_420;  // is_planar_ycocg()
  int width = 0, height = 0;                          // texels
  Method method = Method::refine_once;                // one of ycocg-dxt5's: the effort for the colour blocks
};

// A stage whose source is a texture of `from`, and whose output is a ycocg-dxt5 texture of that size. Throws
// Error{no_device} if the kernel does not build on the device.
std::unique_ptr<Stage> make_repack_stage(const ocl::Device& device, const RepackSettings& settings);

}  // namespace texcast::stages
