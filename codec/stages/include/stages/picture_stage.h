// picture_stage.h — host side of the kernels that make pictures for other programs: a texture's blocks are decoded to
// texels, and these are converted to a pixel format of cameras. The texels stay on the device.
#pragma once

#include <memory>
#include <vector>

#include "ocl/device.h"
#include "texcast/format.h"
#include "texcast/frame.h"

namespace texcast::stages {

// Whether kernels decode every plane of the format that has colour: formats of can_decode() and all kinds of YCoCg
// without alpha.
bool can_make_pictures(TextureFormat format);

struct PictureSettings {
  TextureDesc from{};  // can_make_pictures() is true of its format
  FrameFormat to{};    // is_camera_format(), not larger than `from`: the upper left part of the picture
};

// Not thread-safe.
class PictureStage {
 public:
  virtual ~PictureStage() = default;
  // `planes`: the blocks of each plane of the texture in a buffer of its own. `picture` has room for place_tightly() of
  // the frame. Starts after `after`; queue in order. Returns the last command's event.
  virtual cl::Event enqueue(const cl::CommandQueue& queue, const std::vector<cl::Buffer>& planes,
                            const cl::Buffer& picture, const std::vector<cl::Event>& after) = 0;
};

// Throws Error{no_device} if a kernel does not build on the device.
std::unique_ptr<PictureStage> make_picture_stage(const ocl::Device& device, const PictureSettings& settings);

}  // namespace texcast::stages
