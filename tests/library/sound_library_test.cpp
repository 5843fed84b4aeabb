// Sound beside the pictures of a stream over loopback between the library's sender and receiver.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../comes_true.h"
#include "../patience.h"
#include "lossy_relay.h"
#include "slow_stream.h"
#include "texcast/stream.h"

using namespace texcast;
using namespace std::chrono_literals;

namespace {

const TextureDesc kPicture{.format = TextureFormat::bc1, .width = 16, .height = 16};
constexpr nanoseconds kBegin = 40ms;  // of the sound, on the pictures' time line

// Multiples of 1/32768, which PCM carries exactly; each channel has a pitch of its own.
std::vector<float> tone(const SoundFormat& format, size_t frames, double hz = 440) {
  std::vector<float> samples;
  for (size_t i = 0; i < frames; ++i)
    for (int c = 0; c < format.channels; ++c)
      samples.push_back(static_cast<float>(
          std::round(8000 * std::sin(6.283185307179586 * hz * (c + 1) * static_cast<double>(i) / format.sample_rate)) /
          32768));
  return samples;
}

// Collects what a receiver hears.
class Heard {
 public:
  void add(const ReceivedSound& sound) {
    const std::lock_guard lock(mutex_);
    CHECK(sound.new_stream == samples_.empty());
    if (samples_.empty()) {
      format_ = sound.format;
      pts_ = sound.pts;
    }
    CHECK(sound.format == format_);
    const auto frames = static_cast<int64_t>(samples_.size()) / format_.channels;
    CHECK(sound.pts - pts_ == nanoseconds(frames * 1'000'000'000 / format_.sample_rate));
    samples_.insert(samples_.end(), sound.samples.begin(), sound.samples.end());
    if (sound.concealed) concealed_ += sound.samples.size();
  }
  std::vector<float> samples() const {
    const std::lock_guard lock(mutex_);
    return samples_;
  }
  size_t concealed() const {
    const std::lock_guard lock(mutex_);
    return concealed_;
  }
  size_t size() const { return samples().size(); }
  nanoseconds pts() const {
    const std::lock_guard lock(mutex_);
    return pts_;
  }
  SoundFormat format() const {
    const std::lock_guard lock(mutex_);
    return format_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<float> samples_;
  SoundFormat format_{};
  nanoseconds pts_{};
  size_t concealed_ = 0;
};

// A receiver with sound, and a sender to it whose first picture has arrived.
struct Link {
  Link(const SoundFormat& format, SoundCoding coding, const std::string& passphrase = "")
      : receiver(
            {.listen = "rtp://127.0.0.1:0", .passphrase = passphrase}, [this](const ReceivedTexture&) { ++frames; },
            [this](const ReceivedSound& sound) { heard.add(sound); }),
        sender(slow_stream({.destinations = {receiver.send_to().at(0)},
                            .passphrase = passphrase,
                            .sound = format,
                            .sound_coding = coding}),
               kPicture) {}
  void show() {
    const std::vector<std::byte> blocks(texture_layout(kPicture).total_bytes, std::byte{7});
    REQUIRE(test::comes_true([&] { return sender.send({kPicture, blocks}, 0ns); }));
    REQUIRE(test::comes_true([&] { return frames > 0; }));
  }
  // In blocks of `block` samples per channel.
  void send(const std::vector<float>& samples, const SoundFormat& format, size_t block) {
    const auto channels = static_cast<size_t>(format.channels);
    for (size_t at = 0; at < samples.size(); at += block * channels) {
      const auto part = std::span(samples).subspan(at, std::min(block * channels, samples.size() - at));
      const nanoseconds pts =
          kBegin + nanoseconds(static_cast<int64_t>(at / channels) * 1'000'000'000 / format.sample_rate);
      REQUIRE(test::comes_true([&] { return sender.send_sound(part, pts); }));
    }
  }

  Heard heard;
  std::atomic<int> frames = 0;
  StreamReceiver receiver;
  StreamSender sender;
};

// Root mean square.
double rms(std::span<const float> samples) {
  double sum = 0;
  for (const float s : samples) sum += static_cast<double>(s) * s;
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

double signal_to_noise_db(std::span<const float> sent, std::span<const float> heard) {
  std::vector<float> noise(sent.begin(), sent.end());
  for (size_t i = 0; i < noise.size(); ++i) noise[i] -= heard[i];
  return 20 * std::log10(rms(sent) / rms(noise));
}

}  // namespace

TEST_CASE("PCM sound arrives exactly, in order, and at its place among the pictures") {
  for (const SoundFormat format : {SoundFormat{}, SoundFormat{.sample_rate = 44100, .channels = 1},
                                   SoundFormat{.sample_rate = 96000, .channels = 6}}) {
    for (const std::string passphrase : {"", "of the test"}) {
      CAPTURE(format.sample_rate);
      CAPTURE(passphrase);
      Link link(format, SoundCoding::pcm, passphrase);
      link.show();
      const auto sent = tone(format, static_cast<size_t>(format.sample_rate) / 4);
      link.send(sent, format, 1024);
      CHECK(link.sender.finish(test::kPatience));
      REQUIRE(test::comes_true([&] { return link.heard.size() >= sent.size(); }));
      link.receiver.stop();
      const auto heard = link.heard.samples();
      CHECK(std::ranges::equal(std::span(heard).first(sent.size()), sent));
      CHECK(std::ranges::all_of(std::span(heard).subspan(sent.size()), [](float s) { return s == 0; }));
      CHECK(link.heard.format() == format);
      CHECK(link.heard.pts() == kBegin);
      CHECK(link.sender.status().sound_packets > 0);
      CHECK(link.receiver.status().sound_packets == link.sender.status().sound_packets);
    }
  }
}

TEST_CASE("Opus sound approximates what was sent, at the same place") {
  const SoundFormat format{};
  Link link(format, SoundCoding::opus);
  link.show();
  const auto sent = tone(format, 24'000);
  link.send(sent, format, 480);
  CHECK(link.sender.finish(test::kPatience));
  REQUIRE(test::comes_true([&] { return link.heard.size() >= sent.size(); }));
  link.receiver.stop();
  const auto heard = link.heard.samples();
  // Decoded samples are later by the delay of the codec, and their time is earlier by the same.
  const auto delay = static_cast<size_t>(std::lround(in_seconds(kBegin - link.heard.pts()) * 48'000));
  CHECK(delay == 120);
  const size_t skip = 4800;  // until the coder has adapted
  const size_t count = sent.size() - skip - 2 * delay - 2;
  const double snr =
      signal_to_noise_db(std::span(sent).subspan(skip, count), std::span(heard).subspan(skip + 2 * delay, count));
  CHECK_MESSAGE(snr > 25, "SNR ", snr, " dB");
}

// tests/tools/received_sound_test.cpp shows what parity recovers, in simulated time.
TEST_CASE("lost sound is concealed, and all other sound stays at its place") {
  const SoundFormat format{.sample_rate = 48000, .channels = 1};
  Heard heard;
  std::atomic<int> frames = 0;
  StreamReceiver receiver(
      {.listen = "rtp://127.0.0.1:0"}, [&](const ReceivedTexture&) { ++frames; },
      [&](const ReceivedSound& sound) { heard.add(sound); });
  const std::string url = receiver.send_to().at(0);
  const test::LossyRelay relay(static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))), 20);
  StreamSender sender(slow_stream({.destinations = {relay.url()}, .fec = "none", .retransmit = false, .sound = format}),
                      kPicture);
  const std::vector<std::byte> blocks(texture_layout(kPicture).total_bytes);
  REQUIRE(test::comes_true([&] { return sender.send({kPicture, blocks}, 0ns); }));
  REQUIRE(test::comes_true([&] { return frames > 0; }));
  const auto sent = tone(format, 48'000);
  for (size_t at = 0; at + 480 <= sent.size(); at += 480) {
    const nanoseconds pts = kBegin + nanoseconds(static_cast<int64_t>(at) * 1'000'000'000 / 48'000);
    REQUIRE(sender.send_sound(std::span(sent).subspan(at, 480), pts));
    std::this_thread::sleep_for(1ms);  // so that no socket's buffer overflows
  }
  REQUIRE(test::comes_true([&] { return heard.size() > sent.size() - 4800; }));
  receiver.stop();
  CHECK(relay.dropped() >= 9);
  CHECK(heard.pts() == kBegin);
  const auto samples = heard.samples();
  REQUIRE(samples.size() <= sent.size());
  size_t exact = 0;
  for (size_t i = 0; i < samples.size(); ++i) exact += samples[i] == sent[i] ? 1 : 0;
  CHECK(exact > samples.size() * 8 / 10);
  CHECK(heard.concealed() >= size_t{240} * 8);
  CHECK(heard.concealed() < samples.size() / 10);
  const double snr = signal_to_noise_db(std::span(sent).first(samples.size()), samples);
  CHECK_MESSAGE(snr > 15, "SNR ", snr, " dB");
  CHECK(receiver.status().sound_concealed_ms >= 5 * 8);
}

TEST_CASE("sound waits for the first picture, of which the latest two seconds are kept") {
  const SoundFormat format{.sample_rate = 8000, .channels = 1};
  Link link(format, SoundCoding::pcm);
  const auto sent = tone(format, 5 * 8000, 100);
  link.send(sent, format, 800);
  CHECK(link.sender.status().sound_packets == 0);
  link.show();
  REQUIRE(test::comes_true([&] { return link.heard.size() >= 2 * 8000; }));
  link.receiver.stop();
  const auto heard = link.heard.samples();
  REQUIRE(heard.size() == 2 * 8000);
  CHECK(std::ranges::equal(heard, std::span(sent).last(heard.size())));
  CHECK(link.heard.pts() == kBegin + 3s);
}

TEST_CASE("a receiver without a callback for sound leaves its port alone") {
  StreamReceiver first(
      {.listen = "rtp://127.0.0.1:0"}, [](const ReceivedTexture&) {}, [](const ReceivedSound&) {});
  const std::string url = first.send_to().at(0);
  first.stop();
  std::optional<StreamReceiver> mute;
  // Its port is free again, unless another test was quicker.
  REQUIRE_NOTHROW(mute.emplace(StreamReceiverSettings{.listen = "rtp://127.0.0.1:0"}, [](const ReceivedTexture&) {}));
  const std::string where = mute->send_to().at(0);
  const int port = std::stoi(where.substr(where.rfind(':') + 1)) + 2;
  StreamReceiver beside({.listen = "rtp://127.0.0.1:" + std::to_string(port)}, [](const ReceivedTexture&) {});
  CHECK(beside.send_to().at(0).ends_with(':' + std::to_string(port)));
}

TEST_CASE("two streams in one process have sound of their own") {
  const SoundFormat format{.sample_rate = 8000, .channels = 1};
  Link low(format, SoundCoding::pcm), high(format, SoundCoding::pcm);
  low.show();
  high.show();
  const auto low_tone = tone(format, 2000, 100), high_tone = tone(format, 2000, 1000);
  low.send(low_tone, format, 200);
  high.send(high_tone, format, 200);
  REQUIRE(test::comes_true([&] { return low.heard.size() == 2000 && high.heard.size() == 2000; }));
  CHECK(low.heard.samples() == low_tone);
  CHECK(high.heard.samples() == high_tone);
}

TEST_CASE("an exception of the callback for sound ends reception, and stop() throws it once") {
  std::atomic<bool> came = false;
  StreamReceiver receiver(
      {.listen = "rtp://127.0.0.1:0"}, [&](const ReceivedTexture&) { came = true; },
      [](const ReceivedSound&) { throw Error(ErrorKind::failed, "of the program's own"); });
  StreamSender sender({.destinations = {receiver.send_to().at(0)}, .sound = SoundFormat{}}, kPicture);
  const std::vector<std::byte> blocks(texture_layout(kPicture).total_bytes);
  REQUIRE(test::comes_true([&] {
    sender.send({kPicture, blocks}, 0ns);
    return came.load();
  }));
  sender.send_sound(std::vector<float>(960), 0ns);
  REQUIRE(test::comes_true([&] { return receiver.ended(); }));
  CHECK_THROWS_WITH_AS(receiver.stop(), "of the program's own", Error);
  receiver.stop();
}

TEST_CASE("sound is refused that the stream cannot have") {
  const auto kind_of = [](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::optional(error.kind());
    }
    return std::optional<ErrorKind>();
  };
  const std::vector<std::string> to{"rtp://127.0.0.1:9"};
  StreamSender mute({.destinations = to}, kPicture);
  CHECK(kind_of([&] { mute.send_sound(std::vector<float>(2), 0ns); }) == ErrorKind::misuse);
  StreamSender stereo({.destinations = to, .sound = SoundFormat{}}, kPicture);
  CHECK(kind_of([&] { stereo.send_sound(std::vector<float>(3), 0ns); }) == ErrorKind::misuse);
  CHECK_FALSE(stereo.send_sound(std::vector<float>(2 * 48'000 * 3), 0ns));  // longer than the queue
  CHECK(stereo.status().sound_dropped == 48'000 * 3);
  for (const SoundFormat format : {SoundFormat{.sample_rate = 7999}, SoundFormat{.sample_rate = 192'001},
                                   SoundFormat{.channels = 0}, SoundFormat{.channels = 17}}) {
    CAPTURE(format.channels);
    CHECK(kind_of([&] { StreamSender({.destinations = to, .sound = format}, kPicture); }) == ErrorKind::misuse);
  }
  CHECK(kind_of([&] {
          StreamSender(
              {.destinations = to, .sound = SoundFormat{.sample_rate = 44100}, .sound_coding = SoundCoding::opus},
              kPicture);
        }) == ErrorKind::misuse);
}
