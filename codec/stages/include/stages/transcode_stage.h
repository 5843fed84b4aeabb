// transcode_stage.h — host side of what makes a texture of another one's blocks on the device: a kernel that decodes
// them to texels, and the encoder's kernels.
#pragma once

#include <memory>

#include "stages/stage.h"

namespace texcast::stages {

// Whether a kernel makes texels of the format's blocks (cl_kernels/decode): formats of one plane, whose channels are
// those of the picture.
bool can_decode(TextureFormat format);

// What a texture is decoded to: R G B A of full range. Gray is red, green and blue; alpha counts where the format has
// it.
FrameFormat decoded_frame(const TextureDesc& texture);

struct TranscodeSettings {
  TextureDesc from{};                     // of a format that can_decode()
  TextureFormat to = TextureFormat::bc1;  // is_encoded()
  Method method = Method::refine_once;    // one of those of `to`
};

// A stage whose source is a texture of `from`, and whose blocks are one of `to`. The texels stay on the device, in one
// frame that belongs to the stage. Throws Error{no_device} when a kernel does not build on the device.
std::unique_ptr<Stage> make_transcode_stage(const ocl::Device& device, const TranscodeSettings& settings);

// The first half of it: what it writes is a frame of decoded_frame(), placed as place_source() says.
std::unique_ptr<Stage> make_decode_stage(const ocl::Device& device, const TextureDesc& texture);

}  // namespace texcast::stages
