// Sound: from a stream into OBS, and from OBS by the filter and the output into streams.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <numbers>

#include "obs_session.h"
#include "pictures.h"
#include "texcast/stream_receiver.h"
#include "texcast/stream_sender.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

constexpr double kToneHz = 1000;  // a block of 480 samples has ten periods
constexpr SoundFormat kStereo{.sample_rate = 48000, .channels = 2};

// Left: a tone; right: silence.
std::vector<float> tone(size_t frames) {
  std::vector<float> samples(2 * frames);
  for (size_t i = 0; i < frames; ++i)
    samples[2 * i] =
        static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * kToneHz * static_cast<double>(i) / 48000));
  return samples;
}

// Counts blocks of 10 ms or so whose left channel has the tone's level and whose right one is silent.
class ToneCheck {
 public:
  void add(std::span<const float> samples) {
    double left = 0, right = 0;
    for (size_t i = 0; i + 1 < samples.size(); i += 2) {
      left += samples[i] * samples[i];
      right += samples[i + 1] * samples[i + 1];
    }
    const double frames = static_cast<double>(samples.size()) / 2;
    if (std::abs(std::sqrt(left / frames) - 0.5 / std::numbers::sqrt2) < 0.03 && right / frames < 1e-4) ++good_;
  }
  int good() const { return good_; }

 private:
  std::atomic<int> good_ = 0;
};

// A picture and a tone, on a thread of its own.
class TonePlayer {
 public:
  explicit TonePlayer(const std::string& address)
      : blocks_(blocks_of(TextureFormat::bc1, 64, 32)),
        sender_({.destinations = {address}, .fps = 100, .sound = kStereo}, blocks_.desc),
        thread_([this] { play(); }) {}
  ~TonePlayer() {
    stop_ = true;
    thread_.join();
  }

 private:
  void play() {
    const auto begin = std::chrono::steady_clock::now();
    const auto samples = tone(480);
    for (int64_t n = 1; !stop_; ++n) {
      std::this_thread::sleep_until(begin + n * 10ms);
      sender_.send(blocks_.view(), n * 10ms);
      sender_.send_sound(samples, n * 10ms);
    }
  }

  const Blocks blocks_;
  StreamSender sender_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

void hear_source(void* check, obs_source_t* /*source*/, const audio_data* audio, bool /*muted*/) {
  std::vector<float> samples;
  for (uint32_t i = 0; i < audio->frames; ++i)
    for (int c = 0; c < 2; ++c) samples.push_back(reinterpret_cast<const float*>(audio->data[c])[i]);
  static_cast<ToneCheck*>(check)->add(samples);
}

}  // namespace

TEST_CASE("sound of a stream goes into OBS, and out again by the filter and the output") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source source = stream_source(address);
  const Program program(source.get());

  ToneCheck in_source, by_filter, by_output;
  obs_source_add_audio_capture_callback(source.get(), hear_source, &in_source);
  const auto ignore = [](const ReceivedTexture&) {};
  StreamReceiver filter_receiver({.listen = "rtp://127.0.0.1:0"}, ignore,
                                 [&](const ReceivedSound& sound) { by_filter.add(sound.samples); });
  StreamReceiver output_receiver({.listen = "rtp://127.0.0.1:0"}, ignore,
                                 [&](const ReceivedSound& sound) { by_output.add(sound.samples); });
  const Source filter = send_filter(filter_receiver.send_to().at(0));
  obs_source_filter_add(source.get(), filter.get());
  const Data settings = data_of(send_settings(output_receiver.send_to().at(0)));
  const Output output(obs_output_create("texcast_output", "output", settings.get(), nullptr));
  REQUIRE(obs_output_start(output.get()));
  {
    const TonePlayer player(address);
    CHECK(comes_true([&] { return in_source.good() >= 20; }));
    CHECK(comes_true([&] { return by_filter.good() >= 20; }));
    CHECK(comes_true([&] { return by_output.good() >= 20; }));
  }
  obs_source_remove_audio_capture_callback(source.get(), hear_source, &in_source);
  obs_output_stop(output.get());
  CHECK(comes_true([&] { return !obs_output_active(output.get()); }));
  obs_source_filter_remove(source.get(), filter.get());
}
