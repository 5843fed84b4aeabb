#include "half_pixels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/ensure.h"
#include "media/scaler.h"

namespace texcast::media {
namespace {

constexpr size_t kValues = 65536;
constexpr float kWhiteNits = 203;  // cd/m2
constexpr uint16_t kOneAsHalf = 0x3C00;

// ST 2084, equation 4.1: cd/m2 for 0..1.
double pq_light(double signal) {
  constexpr double kM1 = 2610.0 / 16384, kM2 = 2523.0 / 4096 * 128, kC1 = 3424.0 / 4096, kC2 = 2413.0 / 4096 * 32,
                   kC3 = 2392.0 / 4096 * 32;
  const double root = std::pow(signal, 1 / kM2);
  return 10000 * std::pow(std::max(root - kC1, 0.0) / (kC2 - kC3 * root), 1 / kM1);
}

// BT.2100, table 5: scene light, 0..1.
double hlg_scene(double signal) {
  constexpr double kA = 0.17883277, kB = 1 - 4 * kA;
  const double c = 0.5 - kA * std::log(4 * kA);
  return signal <= 0.5 ? signal * signal / 3 : (std::exp((signal - c) / kA) + kB) / 12;
}
constexpr float kHlgPeak = 1000 / kWhiteNits, kHlgGamma = 1.2F;

template <typename Value>
Value at(const uint8_t* row, int index) {
  Value value;
  std::memcpy(&value, row + static_cast<ptrdiff_t>(sizeof value) * index, sizeof value);
  return value;
}

void put(uint8_t* pixel, const std::array<uint16_t, 3>& rgb) {
  const std::array<uint16_t, 4> rgba = {rgb[0], rgb[1], rgb[2], kOneAsHalf};
  std::memcpy(pixel, rgba.data(), sizeof rgba);
}

}  // namespace

uint16_t half_of_float(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7FFFFFFF;
  if (size > 0x7F800000) return static_cast<uint16_t>(sign | 0x7E00);
  if (size >= 0x477FE000) return static_cast<uint16_t>(sign | 0x7BFF);  // 65504
  uint32_t half = 0;
  if (size >= 0x38800000) {  // 2^-14
    half = (size - 0x38000000 + 0xFFF + (size >> 13 & 1)) >> 13;
  } else {
    // Adding 1/2 leaves rounded steps of 2^-24 in the lowest bits.
    half = std::bit_cast<uint32_t>(std::bit_cast<float>(size) + 0.5F) - 0x3F000000;
  }
  return static_cast<uint16_t>(sign | half);
}

HalfPixels::HalfPixels(AVColorTransferCharacteristic transfer) : transfer_(transfer) {
  constexpr double kScale = 1.0 / (kValues - 1);
  if (transfer == AVCOL_TRC_SMPTE2084) {
    halves_.resize(kValues);
    for (size_t i = 0; i < kValues; ++i)
      halves_[i] = half_of_float(static_cast<float>(pq_light(static_cast<double>(i) * kScale)) / kWhiteNits);
  } else if (transfer == AVCOL_TRC_ARIB_STD_B67) {
    light_.resize(kValues);
    for (size_t i = 0; i < kValues; ++i) light_[i] = static_cast<float>(hlg_scene(static_cast<double>(i) * kScale));
  } else {
    transfer_ = AVCOL_TRC_LINEAR;
  }
}

void HalfPixels::convert(const AVFrame& from, uint8_t* to, int stride_bytes) const {
  ENSURE(takes(from.format));
  for (int y = 0; y < from.height; ++y) {
    uint8_t* out = to + ptrdiff_t{y} * stride_bytes;
    const auto row = [&](size_t plane) { return from.data[plane] + ptrdiff_t{y} * from.linesize[plane]; };
    for (int x = 0; x < from.width; ++x, out += 8) {
      if (transfer_ == AVCOL_TRC_LINEAR) {
        put(out, {half_of_float(at<float>(row(2), x)), half_of_float(at<float>(row(0), x)),
                  half_of_float(at<float>(row(1), x))});
        continue;
      }
      const std::array<size_t, 3> rgb = {at<uint16_t>(row(0), 3 * x), at<uint16_t>(row(0), 3 * x + 1),
                                         at<uint16_t>(row(0), 3 * x + 2)};
      if (transfer_ == AVCOL_TRC_SMPTE2084) {
        put(out, {halves_[rgb[0]], halves_[rgb[1]], halves_[rgb[2]]});
        continue;
      }
      const float r = light_[rgb[0]], g = light_[rgb[1]], b = light_[rgb[2]];
      const float luminance = 0.2627F * r + 0.6780F * g + 0.0593F * b;  // of BT.2020
      const float gain = luminance > 0 ? kHlgPeak * std::pow(luminance, kHlgGamma - 1) : 0;
      put(out, {half_of_float(gain * r), half_of_float(gain * g), half_of_float(gain * b)});
    }
  }
}

bool becomes_half(AVPixelFormat format, AVColorTransferCharacteristic transfer, bool from_curves) {
  if ((av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_FLOAT) != 0) return true;
  return from_curves && (transfer == AVCOL_TRC_SMPTE2084 || transfer == AVCOL_TRC_ARIB_STD_B67);
}

}  // namespace texcast::media
