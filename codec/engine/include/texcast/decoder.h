// decoder.h — textures back to pixels in software, for files, checks and PSNR; the player never needs it.
#pragma once

#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/image.h"

namespace texcast {

// Into channel_count(format) channels. `texture.blocks` must be of texture_layout's size (else misuse). Reuses
// `image`'s memory.
TEXCAST_API void decode_texture(const TextureView& texture, DecodedImage& image,
                                EndpointExpansion expansion = EndpointExpansion::replicate);

// The source frame as the kernels see it: converted to full-range RGB with the kernels' own integer arithmetic.
TEXCAST_API void convert_to_rgb(const FrameView& frame, DecodedImage& image);

// The same in the channels that a texture format has (channel_count): 3, R G B; 4, with alpha, 255 where the source has
// none; 2, R G; 1, alpha where the source has it, else luma. What a texture that lost nothing would decode to.
// `samples`: unorm8; unorm16, in which luma keeps what the source has beyond 8 bits; or half, which keeps what
// rgba_half has. For a texture those of its coding.
TEXCAST_API void convert_to_channels(const FrameView& frame, int channels, DecodedImage& image,
                                     SampleType samples = SampleType::unorm8);

}  // namespace texcast
