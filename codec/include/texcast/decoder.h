// decoder.h — textures back to pixels in software, for files, checks and PSNR; the player never needs it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "texcast/format.h"
#include "texcast/frame.h"

namespace texcast {

// How 5- and 6-bit end points become 8 bits. Decoders differ here by at most 1/255.
enum class EndpointExpansion {
  replicate,  // bit replication: what GPUs and llvmpipe do; what the encoders optimise for
  ffmpeg,     // FFmpeg's Hap and DDS decoders: t = 255 x + 16, (t/32 + t)/32; six bits: t = 255 x + 32, (t/64 + t)/64
};

// Pixels as tightly packed R G B, 8 bits each, full range, width x height.
struct RgbImage {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> pixels;
};

// `texture.blocks` must be of texture_layout's size (else misuse). Reuses `image`'s memory.
void decode_texture(const TextureView& texture, RgbImage& image,
                    EndpointExpansion expansion = EndpointExpansion::replicate);

// The source frame as the kernels see it: converted to full-range RGB with the kernels' own integer arithmetic.
void convert_to_rgb(const FrameView& frame, RgbImage& image);

// Adds up squared errors over R, G and B; psnr_db() is that of the mean over all images added so far.
class PsnrMeter {
 public:
  void add(const RgbImage& a, const RgbImage& b);  // same sizes (else misuse)
  double psnr_db() const;                          // infinity for identical images
 private:
  double squared_error_ = 0;
  double samples_ = 0;
};

}  // namespace texcast
