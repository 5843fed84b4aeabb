// half_pixels.h — converts rows of FFmpeg's pixels to half floats of linear light (PixelFormat::rgba_half), for
// scaler.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "media/ffmpeg.h"

namespace texcast::media {

// The nearest half; at most the largest, 65504. NaN stays NaN.
uint16_t half_of_float(float value);

// Converts pixels as swscale outputs them: planes of floats (GBRPF32LE), which are linear light already, or 16 bits per
// channel (RGB48LE) in the curve of PQ (SMPTE ST 2084) or HLG (BT.2100). 1 is 203 cd/m2 of those, the white of BT.2408;
// HLG is rendered as on a display of 1000 cd/m2, whose gamma is 1.2.
class HalfPixels {
 public:
  explicit HalfPixels(AVColorTransferCharacteristic transfer);
  // The input format that is required, and the ones that are accepted. The alpha of floats is not read; swscale, which
  // would remove it, clamps them to 0..1.
  AVPixelFormat format() const { return transfer_ == AVCOL_TRC_LINEAR ? AV_PIX_FMT_GBRPF32LE : AV_PIX_FMT_RGB48LE; }
  bool takes(int from) const {
    return from == format() || (from == AV_PIX_FMT_GBRAPF32LE && format() == AV_PIX_FMT_GBRPF32LE);
  }
  void convert(const AVFrame& from, uint8_t* to, int stride_bytes) const;

 private:
  AVColorTransferCharacteristic transfer_;  // linear, PQ or HLG
  std::vector<uint16_t> halves_;            // for PQ, indexed by the 16 bits
  std::vector<float> light_;                // for HLG: scene light
};

// Whether frames of the kind become rgba_half: floats always, PQ and HLG if `from_curves`.
bool becomes_half(AVPixelFormat format, AVColorTransferCharacteristic transfer, bool from_curves);

}  // namespace texcast::media
