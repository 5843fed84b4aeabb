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

// Tightly packed pixels, 8 bits a channel, full range, width x height.
struct RgbImage {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> pixels;
  int channels = 3;  // R G B; 4: and straight alpha behind them; 1: gray
};

// Into channel_count(format) channels. `texture.blocks` must be of texture_layout's size (else misuse). Reuses
// `image`'s memory.
void decode_texture(const TextureView& texture, RgbImage& image,
                    EndpointExpansion expansion = EndpointExpansion::replicate);

// The source frame as the kernels see it: converted to full-range RGB with the kernels' own integer arithmetic.
void convert_to_rgb(const FrameView& frame, RgbImage& image);

// The same in the channels that a texture format has (channel_count): 3, R G B; 4, with alpha, 255 where the source has
// none; 1, alpha where the source has it, else luma. What a texture that lost nothing would decode to.
void convert_to_channels(const FrameView& frame, int channels, RgbImage& image);

// Adds up squared errors: over R, G and B (or gray) together, and over alpha by itself. The figures are those of the
// mean over all images added so far; infinity for identical ones.
class PsnrMeter {
 public:
  void add(const RgbImage& a, const RgbImage& b);  // same sizes and channels (else misuse)
  double psnr_db() const;
  double alpha_psnr_db() const;  // infinity too where there is no alpha

 private:
  struct Sum {
    double squared_error = 0;
    double samples = 0;
    double psnr_db() const;
  };
  Sum color_, alpha_;
};

}  // namespace texcast
