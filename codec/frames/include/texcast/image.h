// image.h — decoded pictures, and their difference as PSNR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "texcast/export.h"
#include "texcast/shape.h"

namespace texcast {

// One sample of a channel, in the machine's byte order.
enum class SampleType : uint8_t {
  unorm8,   // a byte: 0..255 for 0..1
  unorm16,  // two bytes: 0..65535 for 0..1
  half,     // two bytes: IEEE 754 binary16; 1 is the peak of PSNR
};
constexpr int sample_bytes(SampleType type) { return type == SampleType::unorm8 ? 1 : 2; }
TEXCAST_API double half_to_double(uint16_t bits);
// Rounds to nearest, ties to even; infinity from 65520 on.
TEXCAST_API uint16_t half_from_double(double value);

// Tightly packed pixels, full range, top row first: width x height of `channels` samples each.
struct TEXCAST_API DecodedImage {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> pixels;  // bytes of the samples
  int channels = 3;             // 1: gray; 2: red, green; 3: R G B; 4: R G B and straight alpha
  SampleType samples = SampleType::unorm8;

  // Sets size and type; the pixels are then unspecified. Sides of 0..kMaxFrameSize, 1..4 channels (else misuse).
  void resize(int width, int height, int channels, SampleType samples = SampleType::unorm8);
};

// Adds up squared errors: over all channels except alpha together, and over alpha (the fourth) by itself. The results
// are the PSNR of the mean error over all images added so far, with a peak of 1 (white for half floats); infinity for
// identical ones.
class TEXCAST_API PsnrMeter {
 public:
  void add(const DecodedImage& a, const DecodedImage& b);  // same sizes, channels and sample types (else misuse)
  double psnr_db() const;
  double alpha_psnr_db() const;  // infinity too if there is no alpha

 private:
  struct Sum {
    double squared_error = 0;  // in units of a byte's step squared, for any sample type
    double samples = 0;
    double psnr_db() const;
  };
  Sum color_, alpha_;
};

// Rotates and mirrors the pixels, so that the picture is upright. Misuse if there is no such orientation, or the bytes
// do not match the picture's size.
TEXCAST_API void orient(DecodedImage& image, Orientation orientation);

}  // namespace texcast
