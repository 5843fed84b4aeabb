#include "frames/mip_filter.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/misuse.h"

namespace texcast {
namespace {

constexpr double kLobes = 3, kWindowAlpha = 4;

// What one texel of a level takes of a row or column: `weights` from `first` on, which add up to 1. Outside of the
// picture its edge goes on.
struct Taps {
  int first = 0;
  std::vector<float> weights;
};

double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > 1e-12 * sum; ++k) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

double windowed_sinc(double x) {
  const double at = x / kLobes;
  if (at * at >= 1) return 0;
  const double window = bessel_i0(kWindowAlpha * std::sqrt(1 - at * at)) / bessel_i0(kWindowAlpha);
  const double angle = std::numbers::pi * x;
  return window * (std::abs(angle) < 1e-9 ? 1 : std::sin(angle) / angle);
}

// How much of source texel `j` lies under texel `i` of the level.
double covered(int i, int j, double step) {
  return std::max(0.0, std::min(j + 1.0, (i + 1) * step) - std::max<double>(j, i * step));
}

Taps taps_of(MipFilter filter, int i, double step) {
  const double center = (i + 0.5) * step - 0.5;
  const double reach = filter == MipFilter::box ? step / 2 + 0.5 : kLobes * step;
  Taps taps{.first = static_cast<int>(std::ceil(center - reach)), .weights = {}};
  const int last = static_cast<int>(std::floor(center + reach));
  double sum = 0;
  std::vector<double> weights;
  for (int j = taps.first; j <= last; ++j) {
    weights.push_back(filter == MipFilter::box ? covered(i, j, step) : windowed_sinc((j - center) / step));
    sum += weights.back();
  }
  for (const double weight : weights) taps.weights.push_back(static_cast<float>(weight / sum));
  return taps;
}

std::vector<Taps> all_taps(MipFilter filter, int from, int to) {
  std::vector<Taps> taps;
  for (int i = 0; i < to; ++i) taps.push_back(taps_of(filter, i, static_cast<double>(from) / to));
  return taps;
}

// IEC 61966-2-1.
double from_srgb(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }
double to_srgb(double v) { return v <= 0.0031308 ? v * 12.92 : 1.055 * std::pow(v, 1 / 2.4) - 0.055; }

std::array<float, 256> light_of_bytes(MipCurve curve) {
  std::array<float, 256> light{};
  for (size_t i = 0; i < light.size(); ++i) {
    const double value = static_cast<double>(i) / 255;
    light[i] = static_cast<float>(curve == MipCurve::srgb ? from_srgb(value) : value);
  }
  return light;
}

uint8_t byte_of_light(float light, MipCurve curve) {
  const double held = std::clamp(static_cast<double>(light), 0.0, 1.0);
  return static_cast<uint8_t>(std::lround(255 * (curve == MipCurve::srgb ? to_srgb(held) : held)));
}

// Rows of the source, each filtered across once, as many as a texel of the level takes.
class Rows {
 public:
  Rows(const DecodedImage& source, MipFilter filter, MipCurve curve, int width, size_t kept)
      : source_(source),
        taps_(all_taps(filter, source.width, width)),
        color_(light_of_bytes(curve)),
        alpha_(light_of_bytes(MipCurve::linear)),
        line_(static_cast<size_t>(source.width) * static_cast<size_t>(source.channels)),
        rows_(kept),
        held_(kept, -1) {}

  const std::vector<float>& row(int y) {
    y = std::clamp(y, 0, source_.height - 1);
    const auto slot = static_cast<size_t>(y) % rows_.size();
    if (held_[slot] != y) filter_row(y, rows_[slot]);
    held_[slot] = y;
    return rows_[slot];
  }

 private:
  void filter_row(int y, std::vector<float>& out) {
    const auto channels = static_cast<size_t>(source_.channels);
    const uint8_t* bytes = &source_.pixels[static_cast<size_t>(y) * line_.size()];
    for (size_t i = 0; i < line_.size(); ++i) line_[i] = (i % channels == 3 ? alpha_ : color_)[bytes[i]];
    out.assign(taps_.size() * channels, 0.0f);
    for (size_t x = 0; x < taps_.size(); ++x)
      for (size_t tap = 0; tap < taps_[x].weights.size(); ++tap) {
        const int at = std::clamp(taps_[x].first + static_cast<int>(tap), 0, source_.width - 1);
        const float* from = &line_[static_cast<size_t>(at) * channels];
        for (size_t c = 0; c < channels; ++c) out[x * channels + c] += taps_[x].weights[tap] * from[c];
      }
  }

  const DecodedImage& source_;
  const std::vector<Taps> taps_;
  const std::array<float, 256> color_, alpha_;
  std::vector<float> line_;
  std::vector<std::vector<float>> rows_;
  std::vector<int> held_;  // which row is in each
};

}  // namespace

std::string_view name(MipFilter filter) { return filter == MipFilter::box ? "box" : "kaiser"; }

std::optional<MipFilter> mip_filter_from_name(std::string_view wanted) {
  for (const MipFilter filter : kMipFilters)
    if (name(filter) == wanted) return filter;
  return std::nullopt;
}

void shrink(const DecodedImage& source, MipFilter filter, MipCurve curve, int width, int height, DecodedImage& level) {
  REQUIRE_USE(source.samples == SampleType::unorm8, "levels are made of bytes");
  REQUIRE_USE(width >= 1 && height >= 1 && width <= source.width && height <= source.height,
              "a level has 1 texel at least, and is no larger than its source");
  level.resize(width, height, source.channels);
  const std::vector<Taps> taps = all_taps(filter, source.height, height);
  size_t most = 1;
  for (const Taps& one : taps) most = std::max(most, one.weights.size());
  Rows rows(source, filter, curve, width, most);
  const auto channels = static_cast<size_t>(source.channels);
  std::vector<float> sums(static_cast<size_t>(width) * channels);
  uint8_t* out = level.pixels.data();
  for (const Taps& one : taps) {
    std::ranges::fill(sums, 0.0f);
    for (size_t tap = 0; tap < one.weights.size(); ++tap) {
      const std::vector<float>& row = rows.row(one.first + static_cast<int>(tap));
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += one.weights[tap] * row[i];
    }
    for (size_t i = 0; i < sums.size(); ++i)
      *out++ = byte_of_light(sums[i], i % channels == 3 ? MipCurve::linear : curve);
  }
}

}  // namespace texcast
