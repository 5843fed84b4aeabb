#include "media/test_sound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/ensure.h"

namespace texcast::media {
namespace {

constexpr double kPitch = 2000, kLoud = 0.9;
constexpr double kTwoPi = 6.28318530717958647692;

class TestSound final : public AudioReader {
 public:
  std::string codec_name() const override { return "test"; }
  AudioFormat stored() const override { return {}; }
  void set_format(AudioFormat format) override {
    ENSURE(format.rate >= 1 && format.channels >= 1);
    format_ = format;
  }
  void seek(nanoseconds pts) override { sample_ = std::llround(in_seconds(pts) * format_.rate); }
  size_t read(std::span<float> out) override {
    const auto channels = static_cast<size_t>(format_.channels);
    const size_t frames = out.size() / channels;
    for (size_t i = 0; i < frames; ++i, ++sample_) {
      const int64_t within = (sample_ % format_.rate + format_.rate) % format_.rate;
      const auto value = static_cast<float>(click_at(static_cast<double>(within) / format_.rate));
      for (size_t c = 0; c < channels; ++c) out[i * channels + c] = value;
    }
    return frames;
  }

 private:
  AudioFormat format_;
  int64_t sample_ = 0;
};

}  // namespace

double click_at(double seconds) {
  if (seconds < 0 || seconds >= kClickSeconds) return 0;
  return kLoud * std::sin(kTwoPi * kPitch * seconds);
}

std::unique_ptr<AudioReader> open_test_sound() { return std::make_unique<TestSound>(); }

// Correlates the click with the samples.
std::optional<double> find_click(std::span<const float> samples, int rate) {
  const auto length = static_cast<size_t>(std::lround(kClickSeconds * rate));
  float loudest = 0;
  for (const float sample : samples) loudest = std::max(loudest, std::abs(sample));
  if (loudest < 0.05F || samples.size() < 2 * length) return std::nullopt;
  const auto first = static_cast<size_t>(
      std::ranges::find_if(samples, [&](float sample) { return std::abs(sample) > loudest / 2; }) - samples.begin());
  const size_t begin = first > 2 * length ? first - 2 * length : 0;
  const size_t end = std::min(first + length, samples.size() - length);
  std::vector<double> alike;
  for (size_t at = begin; at < end; ++at) {
    double sum = 0;
    for (size_t i = 0; i < length; ++i)
      sum += static_cast<double>(samples[at + i]) * click_at(static_cast<double>(i) / rate);
    alike.push_back(sum);
  }
  if (alike.empty()) return std::nullopt;
  const auto best = static_cast<size_t>(std::ranges::max_element(alike) - alike.begin());
  double between = 0;  // the vertex of the parabola through the best and its neighbours
  if (best > 0 && best + 1 < alike.size()) {
    const double before = alike[best - 1], after = alike[best + 1], curve = before - 2 * alike[best] + after;
    if (curve < 0) between = 0.5 * (before - after) / curve;
  }
  return static_cast<double>(begin + best) + between;
}

}  // namespace texcast::media
