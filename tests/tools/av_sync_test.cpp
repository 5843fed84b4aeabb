// Video and audio together, in simulated time. The audio device has its own clock: it asks for buffers of 21.3 ms every
// 21 or 22 ms, as SDL's dummy device does, which sleeps whole milliseconds.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>
#include <vector>

#include "../manual_clock.h"
#include "../patience.h"
#include "fake_clip.h"
#include "stream/clip_feed.h"
#include "time_sound.h"

using namespace texcast;
using namespace texcast::stream;
using namespace texcast::test;

namespace {

constexpr nanoseconds kFrame = 20ms;
constexpr size_t kBuffer = 1024;  // audio frames

// An audio device whose calls are made by the simulation, and which records what is heard when.
class Device {
 public:
  explicit Device(const Clock& clock) : clock_(clock) {}
  OpenAudioOutput open = [this](player::AudioFill asked) -> Result<std::unique_ptr<player::AudioOutput>> {
    fill_ = std::move(asked);
    return std::unique_ptr<player::AudioOutput>(std::make_unique<Output>(paused_));
  };
  bool paused() const { return paused_; }
  void ask() {
    std::vector<float> out(2 * kBuffer);
    fill_(out);
    called_ = clock_.now();
    first_ = out[0] / kTimeSoundPerSecond;
    is_sound_ = out[0] > 0 && out.back() > out[0];
  }
  // Position in the recording in seconds; none during silence.
  std::optional<double> heard() const {
    if (!is_sound_) return std::nullopt;
    return first_ + in_seconds(clock_.now() - called_ - kLatency);
  }

 private:
  static constexpr nanoseconds kLatency{int64_t{kBuffer} * 1'000'000'000 / kTimeSoundRate};
  class Output : public player::AudioOutput {
   public:
    explicit Output(bool& paused) : paused_(paused) {}
    AudioFormat format() const override { return {kTimeSoundRate, 2}; }
    nanoseconds latency() const override { return kLatency; }
    void set_paused(bool paused) override { paused_ = paused; }
    std::string name() const override { return "simulated"; }

   private:
    bool& paused_;
  };
  const Clock& clock_;
  player::AudioFill fill_;
  bool paused_ = true;
  SteadyTime called_{};
  double first_ = 0;
  bool is_sound_ = false;
};

template <typename Done>
void wait_for(Done&& done) {
  for (const SteadyTime limit = steady_now() + kPatience; !done() && steady_now() < limit;)
    std::this_thread::sleep_for(100us);
}

// A recording that is played with its audio. The simulation waits for the reading and decoding threads.
class Playing {
 public:
  explicit Playing(nanoseconds device_period) : device_period_(device_period) {
    auto audio = AudioPlayer::open(std::make_unique<TimeSound>(60s), 60s, device_.open, clock_);
    REQUIRE(audio.has_value());
    audio_ = audio->get();
    feed_.emplace(std::make_unique<FakeClip>(3000, -1, -1, kFrame), ClipFeedSettings{.audio = std::move(*audio)},
                  clock_);
  }
  ClipFeed& feed() { return *feed_; }
  ManualClock& clock() { return clock_; }
  // Waits for the next picture, after a seek or a step.
  void take_next() {
    wait_for([&] { return feed_->take(clock_.now()).has_value(); });
  }
  // Plays for a while, and returns video minus audio position of each frame in milliseconds, after it has settled.
  std::vector<double> offsets_ms(nanoseconds while_playing) {
    const SteadyTime begin = clock_.now();
    std::vector<double> offsets;
    for (; clock_.now() < begin + while_playing; clock_.advance(1ms)) {
      if (clock_.now() >= device_due_) ask();
      wait_for([&] { return feed_->ahead().has_value(); });
      const auto frame = feed_->take(clock_.now());
      const auto heard = device_.heard();
      if (frame && heard && clock_.now() > begin + 150ms)
        offsets.push_back(1e3 * (in_seconds(frame->times.pts) - *heard));
    }
    return offsets;
  }

 private:
  void ask() {
    device_due_ = clock_.now() + device_period_;
    if (device_.paused()) return;
    const bool is_on = audio_->starting(clock_.now()) || audio_->heard(clock_.now());
    if (is_on) wait_for([&] { return audio_->decoded_ahead() >= 4 * kBuffer; });
    device_.ask();
  }
  const nanoseconds device_period_;
  ManualClock clock_;
  Device device_{clock_};
  SteadyTime device_due_ = clock_.now();
  AudioPlayer* audio_ = nullptr;
  std::optional<ClipFeed> feed_;
};

}  // namespace

TEST_CASE("video stays within a frame of the audio: from the start, after a seek, a pause and a step") {
  for (const nanoseconds device_period : {21ms, 22ms}) {
    CAPTURE(device_period.count());
    Playing playing(device_period);
    ClipFeed& feed = playing.feed();
    CHECK(feed.has_audio());
    const auto check = [&](const char* when) {
      CAPTURE(std::string(when));
      auto offsets = playing.offsets_ms(1500ms);
      REQUIRE(offsets.size() >= 50);
      std::ranges::sort(offsets);
      MESSAGE(fmt::format("{}: picture minus sound {:.1f} to {:.1f} ms", when, offsets.front(), offsets.back()));
      CHECK(offsets.front() > -20);
      CHECK(offsets.back() < 20);
    };
    feed.seek(1s);
    playing.take_next();
    check("start");
    feed.seek(30s);
    playing.take_next();
    check("seek");
    feed.set_paused(true);
    playing.clock().advance(50ms);
    feed.set_paused(false);
    check("pause");
    feed.step(-7);
    playing.take_next();
    feed.set_paused(false);
    check("step");
  }
}
