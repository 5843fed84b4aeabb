#include "frames/mip_filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "base/misuse.h"

namespace texcast {
namespace {

constexpr double kLobes = 3, kWindowAlpha = 4;

// The source texels of a row or column that a level's texel is made of: `weights` from `first` on, with sum 1. Outside
// of the picture its edge is repeated.
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

// How much of source texel `j` is covered by texel `i` of the level.
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

// Negative values, which only half floats have, mirror the curve.
template <typename Curve>
double mirrored(Curve curve, double v) {
  return std::copysign(curve(std::fabs(v)), v);
}

constexpr double kLargestHalf = 65504;

// As BC6H's encoders do: NaN becomes 0, infinity the largest value.
double finite_half(uint16_t bits) {
  const double value = half_to_double(bits);
  return std::isnan(value) ? 0 : std::clamp(value, -kLargestHalf, kLargestHalf);
}

double value_of(size_t sample, SampleType type) {
  if (type == SampleType::half) return finite_half(static_cast<uint16_t>(sample));
  return static_cast<double>(sample) / (type == SampleType::unorm8 ? 255 : 65535);
}

// A table indexed by the bits of a sample.
std::vector<float> light_of_samples(SampleType type, MipCurve curve) {
  std::vector<float> light(size_t{1} << 8 * sample_bytes(type));
  for (size_t i = 0; i < light.size(); ++i) {
    const double value = value_of(i, type);
    light[i] = static_cast<float>(curve == MipCurve::srgb ? mirrored(from_srgb, value) : value);
  }
  return light;
}

// Half floats keep values below 0 and above 1.
uint16_t sample_of_light(float light, SampleType type, MipCurve curve) {
  if (type == SampleType::half) {
    const double value = curve == MipCurve::srgb ? mirrored(to_srgb, light) : light;
    return half_from_double(std::clamp(value, -kLargestHalf, kLargestHalf));
  }
  const double held = std::clamp(static_cast<double>(light), 0.0, 1.0);
  const double value = curve == MipCurve::srgb ? to_srgb(held) : held;
  return static_cast<uint16_t>(std::lround((type == SampleType::unorm8 ? 255 : 65535) * value));
}

uint16_t load_sample(const uint8_t* at, SampleType type) {
  if (type == SampleType::unorm8) return *at;
  uint16_t sample = 0;
  std::memcpy(&sample, at, sizeof sample);
  return sample;
}

void store_sample(uint8_t* at, SampleType type, uint16_t sample) {
  if (type == SampleType::unorm8)
    *at = static_cast<uint8_t>(sample);
  else
    std::memcpy(at, &sample, sizeof sample);
}

// Source rows, each filtered horizontally once; as many as a level's texel needs.
class Rows {
 public:
  Rows(const DecodedImage& source, MipFilter filter, MipCurve curve, int width, size_t kept)
      : source_(source),
        taps_(all_taps(filter, source.width, width)),
        color_(light_of_samples(source.samples, curve)),
        alpha_(light_of_samples(source.samples, MipCurve::linear)),
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
    const auto bytes = static_cast<size_t>(sample_bytes(source_.samples));
    const uint8_t* row = &source_.pixels[static_cast<size_t>(y) * line_.size() * bytes];
    for (size_t i = 0; i < line_.size(); ++i)
      line_[i] = (i % channels == 3 ? alpha_ : color_)[load_sample(row + i * bytes, source_.samples)];
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
  const std::vector<float> color_, alpha_;  // light of the samples
  std::vector<float> line_;
  std::vector<std::vector<float>> rows_;
  std::vector<int> held_;  // which row each holds
};

}  // namespace

std::string_view name(MipFilter filter) { return filter == MipFilter::box ? "box" : "kaiser"; }

std::optional<MipFilter> mip_filter_from_name(std::string_view wanted) {
  for (const MipFilter filter : kMipFilters)
    if (name(filter) == wanted) return filter;
  return std::nullopt;
}

void shrink(const DecodedImage& source, MipFilter filter, MipCurve curve, int width, int height, DecodedImage& level) {
  REQUIRE_USE(width >= 1 && height >= 1 && width <= source.width && height <= source.height,
              "a level must have 1 texel at least and be no larger than its source");
  level.resize(width, height, source.channels, source.samples);
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
    for (size_t i = 0; i < sums.size(); ++i, out += sample_bytes(source.samples))
      store_sample(out, source.samples,
                   sample_of_light(sums[i], source.samples, i % channels == 3 ? MipCurve::linear : curve));
  }
}

}  // namespace texcast
