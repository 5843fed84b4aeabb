// transcode_stage.h — host side of transcoding on the device: a kernel that decodes a texture's blocks to texels, and
// the encoder's kernels.
#pragma once

#include <memory>

#include "stages/stage.h"

namespace texcast::stages {

// Whether a kernel decodes the format's blocks to texels (cl_kernels/decode): formats of one plane whose channels are
// those of the picture.
bool can_decode(TextureFormat format);

// The frame that a texture is decoded to: R G B A of full range. Gray is repeated in red, green and blue; alpha is
// valid if the format has it.
FrameFormat decoded_frame(const TextureDesc& texture);

struct TranscodeSettings {
  TextureDesc from{};                     // can_decode() is true of its format
  TextureFormat to = TextureFormat::bc1;  // is_encoded() is true of it
  Method method = Method::refine_once;    // one that `to` has
};

// A stage whose source is a texture of `from`, and whose output is a texture of `to`. The texels stay on the device, in
// one frame that belongs to the stage. Throws Error{no_device} if a kernel does not build on the device.
std::unique_ptr<Stage> make_transcode_stage(const ocl::Device& device, const TranscodeSettings& settings);

// Its first half: writes a frame of decoded_frame(), laid out as by place_source().
std::unique_ptr<Stage> make_decode_stage(const ocl::Device& device, const TextureDesc& texture);

}  // namespace texcast::stages
