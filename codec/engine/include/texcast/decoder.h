// decoder.h — decodes textures to pixels in software, for files, checks and PSNR. The player does not need it.
#pragma once

#include <cstddef>
#include <vector>

#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/image.h"

namespace texcast {

// Decodes into channel_count(format) channels. `texture.blocks` must have texture_layout's size (else misuse). Reuses
// `image`'s memory.
TEXCAST_API void decode_texture(const TextureView& texture, DecodedImage& image,
                                EndpointExpansion expansion = EndpointExpansion::replicate);

// Decodes parts of a texture, so that several threads, each with a decoder of its own, decode one texture. The texels
// are those of decode_texture(). Not thread-safe.
class TEXCAST_API RowDecoder {
 public:
  // Decodes the rows `first` to `end` (excluded) and those that share their blocks or chroma. Misuse unless 0 <= first
  // < end <= height, and as for decode_texture(). Reuses its memory.
  void decode(const TextureView& texture, int first, int end);
  // The texels that were decoded last: whole rows, the first of which is row first_row() of the texture.
  const DecodedImage& image() const { return image_; }
  int first_row() const { return first_row_; }

 private:
  std::vector<std::byte> blocks_;
  DecodedImage image_;
  int first_row_ = 0;
};

// Converts a source frame to full-range RGB with the integer arithmetic of the kernels.
TEXCAST_API void convert_to_rgb(const FrameView& frame, DecodedImage& image);

// As convert_to_rgb(), in the channels of a texture format (channel_count()). 4: R G B and alpha, which is 255 if the
// source has none. 3: R G B. 2: R G. 1: alpha if the source has it, else luma. The result is what a lossless texture
// would decode to. `samples`: unorm8; unorm16, in which luma keeps the precision beyond 8 bits; or half, which keeps
// the values of rgba_half. For a texture, use its coding's type.
TEXCAST_API void convert_to_channels(const FrameView& frame, int channels, DecodedImage& image,
                                     SampleType samples = SampleType::unorm8);

}  // namespace texcast
