#include "media/time_clicks.h"

#include <cmath>
#include <thread>
#include <vector>

#include "media/test_sound.h"

namespace texcast::media {
namespace {

constexpr int64_t kPieceSamples = 240;

class TimeClicks final : public LiveSound {
 public:
  AudioFormat format() const override { return format_; }
  std::optional<CapturedSound> next() override {
    if (begun_ == WallTime{}) begun_ = wall_now();
    const WallTime begin = time_of(made_);
    made_ += kPieceSamples;
    std::this_thread::sleep_for(time_of(made_) - wall_now());
    const nanoseconds since_click = begin.time_since_epoch() % kClickPeriod;
    for (int64_t i = 0; i < kPieceSamples; ++i) {
      const double seconds = in_seconds(since_click) + static_cast<double>(i) / format_.rate;
      const auto value = static_cast<float>(click_at(std::fmod(seconds, in_seconds(kClickPeriod))));
      for (int c = 0; c < format_.channels; ++c) samples_[static_cast<size_t>(i * format_.channels + c)] = value;
    }
    return CapturedSound{.samples = samples_, .captured = begin};
  }

 private:
  WallTime time_of(int64_t sample) const { return begun_ + nanoseconds(sample * 1'000'000'000 / format_.rate); }

  const AudioFormat format_{};
  std::vector<float> samples_ = std::vector<float>(kPieceSamples * static_cast<size_t>(format_.channels));
  WallTime begun_{};
  int64_t made_ = 0;  // samples of each channel
};

}  // namespace

std::unique_ptr<LiveSound> make_time_clicks() { return std::make_unique<TimeClicks>(); }

nanoseconds age_of_click(WallTime heard, nanoseconds about) {
  const nanoseconds latest = heard.time_since_epoch() % kClickPeriod;  // time since the latest click
  const auto periods =
      std::llround(static_cast<double>((about - latest).count()) / static_cast<double>(kClickPeriod.count()));
  return latest + periods * kClickPeriod;
}

}  // namespace texcast::media
