#include "filter_taps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace texcast {
namespace {

constexpr double kLobes = 3, kWindowAlpha = 4;

double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > 1e-12 * sum; ++k) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

double windowed_sinc(double x) {
  static const double kPeak = bessel_i0(kWindowAlpha);
  const double at = x / kLobes;
  if (at * at >= 1) return 0;
  const double window = bessel_i0(kWindowAlpha * std::sqrt(1 - at * at)) / kPeak;
  const double angle = std::numbers::pi * x;
  return window * (std::abs(angle) < 1e-9 ? 1 : std::sin(angle) / angle);
}

// How much of source texel `j` is covered by texel `i`.
double covered(int i, int j, double step) {
  return std::max(0.0, std::min(j + 1.0, (i + 1) * step) - std::max<double>(j, i * step));
}

}  // namespace

FilterTaps filter_taps(MipFilter filter, int from, int to) {
  const double step = static_cast<double>(from) / to;
  const double width = std::max(step, 1.0);  // of a lobe: enlarging interpolates
  const double reach = filter == MipFilter::box ? step / 2 + 0.5 : kLobes * width;
  FilterTaps taps;
  taps.most = std::min(static_cast<size_t>(std::floor(2 * reach)) + 1, static_cast<size_t>(from));
  taps.weights.assign(taps.most * static_cast<size_t>(to), 0.0F);
  std::vector<double> weights(taps.most);
  for (int i = 0; i < to; ++i) {
    const double center = (i + 0.5) * step - 0.5;
    const int begin = static_cast<int>(std::ceil(center - reach)), end = static_cast<int>(std::floor(center + reach));
    const int first = std::clamp(begin, 0, from - 1), last = std::clamp(end, 0, from - 1);
    std::ranges::fill(weights, 0.0);
    double sum = 0;
    for (int j = begin; j <= end; ++j) {
      const double weight = filter == MipFilter::box ? covered(i, j, step) : windowed_sinc((j - center) / width);
      weights[static_cast<size_t>(std::clamp(j, first, last) - first)] += weight;
      sum += weight;
    }
    taps.first.push_back(first);
    taps.count.push_back(last - first + 1);
    for (int t = 0; t <= last - first; ++t)
      taps.weights[static_cast<size_t>(i) * taps.most + static_cast<size_t>(t)] =
          static_cast<float>(weights[static_cast<size_t>(t)] / sum);
  }
  return taps;
}

}  // namespace texcast
