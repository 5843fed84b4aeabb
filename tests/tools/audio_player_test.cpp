#include "stream/audio_player.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "../patience.h"
#include "time_sound.h"

using namespace texcast;
using namespace texcast::stream;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

constexpr SteadyTime kAtTheCall{};  // times before the device's last call count as that call

// An audio device whose calls are made by the test.
struct HandDevice {
  class Output : public player::AudioOutput {
   public:
    AudioFormat format() const override { return {kTimeSoundRate, 2}; }
    nanoseconds latency() const override { return {}; }
    void set_paused(bool) override {}
    std::string name() const override { return "hand"; }
  };
  player::AudioFill fill;
  OpenAudioOutput open = [this](player::AudioFill asked) -> Result<std::unique_ptr<player::AudioOutput>> {
    fill = std::move(asked);
    return std::unique_ptr<player::AudioOutput>(std::make_unique<Output>());
  };
  // The next `frames` samples; the value of each is its position in the recording.
  std::vector<double> pull(size_t frames) const {
    std::vector<float> block(2 * frames, -1);
    fill(block);
    std::vector<double> times;
    for (size_t i = 0; i < frames; ++i) {
      CHECK(block[2 * i] == block[2 * i + 1]);
      times.push_back(block[2 * i] / kTimeSoundPerSecond);
    }
    return times;
  }
  // The same, after so much has been decoded.
  std::vector<double> pull_when_ready(const AudioPlayer& audio, size_t frames) const {
    const SteadyTime limit = steady_now() + kPatience;
    while (audio.decoded_ahead() < frames && steady_now() < limit) std::this_thread::sleep_for(1ms);
    return pull(frames);
  }
  // Waits until audio is decoded, and returns the first block with audio.
  std::vector<double> pull_first(const AudioPlayer& audio, size_t frames) const {
    for (const SteadyTime limit = steady_now() + kPatience; audio.starting(steady_now()) && steady_now() < limit;) {
      const auto times = pull(frames);
      if (!audio.starting(steady_now())) return times;
      std::this_thread::sleep_for(1ms);
    }
    FAIL("no sound came");
    return {};
  }
};

std::unique_ptr<AudioPlayer> player_on(HandDevice& device, nanoseconds length, std::optional<nanoseconds> lap) {
  auto audio = AudioPlayer::open(std::make_unique<TimeSound>(length), lap, device.open);
  REQUIRE(audio.has_value());
  return std::move(*audio);
}

}  // namespace

TEST_CASE("audio starts at the requested position, and the clock counts what the device has taken") {
  HandDevice device;
  const auto audio = player_on(device, 10s, 10s);
  CHECK_FALSE(audio->heard(steady_now()));
  CHECK(device.pull(64) == std::vector<double>(64, 0.0));  // not started: silence
  audio->start(2s, 12s, 1);                                // the second lap
  CHECK(audio->starting(steady_now()));
  const auto first = device.pull_first(*audio, 480);
  CHECK(first[0] == doctest::Approx(2));
  CHECK(first[479] == doctest::Approx(2 + 479.0 / kTimeSoundRate));
  CHECK(device.pull_when_ready(*audio, 4800)[0] == doctest::Approx(2.01));
  REQUIRE(audio->heard(kAtTheCall));
  CHECK(in_seconds(*audio->heard(kAtTheCall)) == doctest::Approx(12.01));
  const SteadyTime later = steady_now() + 50ms;
  CHECK(*audio->heard(later) > 12059ms);
  CHECK(*audio->heard(later + 300ms) == 12210ms);  // a late device: the clock stops at the end of its audio
  CHECK_FALSE(audio->heard(later + 1h));           // a device that no longer asks

  audio->start(5s, 5s, 1);  // audio that was decoded for the old position is discarded
  CHECK(device.pull_first(*audio, 480)[0] == doctest::Approx(5));
}

TEST_CASE("after the end there is silence, or in a loop the beginning at once, by the length of the video") {
  HandDevice device;
  for (const bool loop : {false, true}) {
    CAPTURE(loop);
    const auto audio = player_on(device, 1s, 1100ms);
    audio->set_loop(loop);
    audio->start(950ms, 950ms, 1);
    auto times = device.pull_first(*audio, 480);
    for (int i = 0; i < 8; ++i) {
      const auto more = device.pull_when_ready(*audio, 2400);
      times.insert(times.end(), more.begin(), more.end());
    }
    const auto at = [&](nanoseconds time) {
      return times[static_cast<size_t>(in_seconds(time - 950ms) * kTimeSoundRate + 0.5)];
    };
    CHECK(at(990ms) == doctest::Approx(0.99));
    CHECK(at(1050ms) == 0);
    CHECK(at(1300ms) == doctest::Approx(loop ? 0.2 : 0).epsilon(0.0001));
  }
}

TEST_CASE("volume and mute fade without a step; the clock stands still during a pause") {
  HandDevice device;
  const auto audio = player_on(device, 100s, 100s);
  audio->start(50s, 50s, 1);
  device.pull_first(*audio, 480);
  audio->set_volume(0.5);
  const auto fading = device.pull_when_ready(*audio, 960);
  CHECK(fading[0] > 49);
  CHECK(fading[959] == doctest::Approx(25).epsilon(0.01));
  for (size_t i = 1; i < fading.size(); ++i) REQUIRE(std::abs(fading[i] - fading[i - 1]) < 0.5);
  audio->set_paused(true);
  CHECK_FALSE(audio->heard(steady_now()));
  audio->set_paused(false);
  CHECK_FALSE(audio->heard(steady_now()));  // the device has not asked again
  device.pull_when_ready(*audio, 480);
  CHECK(in_seconds(*audio->heard(kAtTheCall)) == doctest::Approx(50.03));
}

TEST_CASE("other speeds: audio time passes as fast as that of the video") {
  HandDevice device;
  for (const double speed : {0.25, 0.5, 2.0, 4.0}) {
    CAPTURE(speed);
    const auto audio = player_on(device, 100s, 100s);
    audio->start(10s, 10s, speed);
    device.pull_first(*audio, 480);
    double last = 0;
    for (int i = 0; i < 10; ++i) {
      last = device.pull_when_ready(*audio, 4800).back();
    }
    const double by_clock = in_seconds(*audio->heard(kAtTheCall)) - 10 + 0.1 * speed;  // the end of the last block
    CHECK(by_clock == doctest::Approx(1.01 * speed).epsilon(0.001));
    // atempo moves pieces of audio by up to 0.1 s to align them.
    CHECK(std::abs(last - 10 - by_clock) < 0.15);
  }
}

TEST_CASE("no device is a Failure with a reason") {
  setenv("SDL_AUDIODRIVER", "there-is-none", 1);
  const auto audio = AudioPlayer::open(std::make_unique<TimeSound>(1s), 1s);
  unsetenv("SDL_AUDIODRIVER");
  REQUIRE_FALSE(audio.has_value());
  CHECK(audio.error().message.find("no audio device: ") == 0);
}

TEST_CASE("the simulated loudspeaker asks when a sound card would: not before it is started, and never early") {
  std::atomic<int> asked = 0;
  std::atomic<size_t> values = 0;
  const auto silent = player::open_silent_audio_output([&](std::span<float> out) {
    values = out.size();
    ++asked;
  });
  REQUIRE(silent.has_value());
  const AudioFormat format = (*silent)->format();
  std::this_thread::sleep_for(3 * (*silent)->latency());
  CHECK(asked == 0);
  const SteadyTime begun = steady_now();
  (*silent)->set_paused(false);
  while (asked < 20) std::this_thread::sleep_for(1ms);
  CHECK(steady_now() - begun > 18 * (*silent)->latency());
  CHECK(values == 512 * static_cast<size_t>(format.channels));
  CHECK((*silent)->latency() == nanoseconds(int64_t{1'000'000'000} * 512 / format.rate));
  CHECK((*silent)->name() == "nobody");
}
