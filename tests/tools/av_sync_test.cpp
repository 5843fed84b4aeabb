// Pictures and sound together, through SDL's dummy device, whose clock is not ours: it sleeps whole milliseconds
// between buffers of 21.3 ms.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "fake_clip.h"
#include "stream/clip_feed.h"
#include "time_sound.h"

using namespace texcast;
using namespace texcast::stream;
using namespace texcast::test;

namespace {

constexpr nanoseconds kFrame = 20ms;

// What the device was given and when: a witness of its own for what is heard at a time.
class Witness {
 public:
  OpenAudioOutput open = [this](player::AudioFill asked) {
    auto output = player::open_audio_output([this, asked](std::span<float> out) {
      asked(out);
      const std::lock_guard lock(mutex_);
      called_ = steady_now();
      first_ = out[0] / kTimeSoundPerSecond;
      is_sound_ = out[0] > 0 && out.back() > out[0];
    });
    if (output) latency_ = (*output)->latency();
    return output;
  };
  // Seconds into the recording; none while nothing is heard.
  std::optional<double> heard(SteadyTime now) const {
    const std::lock_guard lock(mutex_);
    if (!is_sound_) return std::nullopt;
    return first_ + std::chrono::duration<double>(now - called_ - latency_).count();
  }

 private:
  mutable std::mutex mutex_;
  SteadyTime called_{};
  nanoseconds latency_{};
  double first_ = 0;
  bool is_sound_ = false;
};

// Plays for a while and gives the median of picture minus sound in milliseconds, once it has settled.
double median_offset_ms(ClipFeed& feed, const Witness& witness, nanoseconds while_playing) {
  const SteadyTime begin = steady_now();
  std::vector<double> offsets;
  while (steady_now() < begin + while_playing) {
    if (const auto frame = feed.take(steady_now())) {
      const SteadyTime now = steady_now();
      const auto heard = witness.heard(now);
      if (heard && now > begin + 150ms)
        offsets.push_back(1e3 * (std::chrono::duration<double>(frame->times.pts).count() - *heard));
    }
    feed.wait(steady_now() + 5ms);
  }
  REQUIRE(offsets.size() >= 5);
  std::nth_element(offsets.begin(), offsets.begin() + offsets.size() / 2, offsets.end());
  return offsets[offsets.size() / 2];
}

}  // namespace

TEST_CASE("the picture keeps to the sound within a frame: from the start, after a seek, a pause and a step") {
  setenv("SDL_AUDIODRIVER", "dummy", 1);
  Witness witness;
  auto audio = AudioPlayer::open(std::make_unique<TimeSound>(60s), 60s, witness.open);
  unsetenv("SDL_AUDIODRIVER");
  REQUIRE_MESSAGE(audio.has_value(), (audio ? "" : audio.error().message));
  ClipFeed feed(std::make_unique<FakeClip>(3000, -1, -1, kFrame), {.audio = std::move(*audio)});
  CHECK(feed.has_audio());
  const auto check = [&](const char* when) {
    const double off = median_offset_ms(feed, witness, 450ms);
    MESSAGE(fmt::format("{}: picture minus sound {:.1f} ms", when, off));
    CHECK(std::abs(off) < 20);
  };
  feed.seek(1s);
  check("start");
  feed.seek(30s);
  check("seek");
  feed.set_paused(true);
  std::this_thread::sleep_for(50ms);
  feed.set_paused(false);
  check("pause");
  feed.step(-7);
  while (!feed.take(steady_now())) feed.wait(steady_now() + 5ms);
  feed.set_paused(false);
  check("step");
}
