// half_pixels.h — rows of FFmpeg's pixels as half floats of linear light (PixelFormat::rgba_half). A part of scaler.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "media/ffmpeg.h"

namespace texcast::media {

// The nearest half; beyond the largest, 65504, that one. What is no number stays none.
uint16_t half_of_float(float value);

// From pixels as they come out of swscale: planes of floats (GBRPF32LE), which are linear light already, or 16 bits a
// channel (RGB48LE) in the curve of PQ (SMPTE ST 2084) or HLG (BT.2100). 1 is 203 cd/m2 of those, the white of BT.2408;
// HLG is shown as on a display of 1000 cd/m2, whose gamma is 1.2.
class HalfPixels {
 public:
  explicit HalfPixels(AVColorTransferCharacteristic transfer);
  // What `from` has to be made into, and what it may be. Of floats with alpha the alpha is not read; swscale, which
  // would take it away, holds them to 0..1.
  AVPixelFormat format() const { return transfer_ == AVCOL_TRC_LINEAR ? AV_PIX_FMT_GBRPF32LE : AV_PIX_FMT_RGB48LE; }
  bool takes(int from) const {
    return from == format() || (from == AV_PIX_FMT_GBRAPF32LE && format() == AV_PIX_FMT_GBRPF32LE);
  }
  void convert(const AVFrame& from, uint8_t* to, int stride_bytes) const;

 private:
  AVColorTransferCharacteristic transfer_;  // linear, PQ or HLG
  std::vector<uint16_t> halves_;            // of PQ, by the 16 bits
  std::vector<float> light_;                // of HLG: the scene's
};

// Whether frames of the kind become rgba_half: floats always, PQ and HLG where `from_curves`.
bool becomes_half(AVPixelFormat format, AVColorTransferCharacteristic transfer, bool from_curves);

}  // namespace texcast::media
