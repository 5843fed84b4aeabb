// The audio that is heard from a stream with packet loss, compared with what was sent.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "../times.h"
#include "live/sound_receiver.h"
#include "media/opus_coding.h"
#include "stream/stream_report.h"
#include "transport/audio_packetizer.h"
#include "transport/pcm_samples.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;
using transport::AudioCoding;

namespace {

constexpr size_t kPiece = 240;  // 5 ms
constexpr int kPieces = 4000;   // 20 s

// A voice-like signal: a pitch from 150 to 250 Hz, with overtones.
std::vector<float> voice() {
  std::vector<float> samples(kPiece * kPieces);
  double phase = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    phase += (200 + 50 * std::sin(static_cast<double>(i) / 9000)) / 48000;
    double value = 0;
    for (int overtone = 1; overtone <= 12; ++overtone)
      value += std::sin(6.283185307179586 * phase * overtone) / overtone;
    samples[i] = static_cast<float>(value * 0.2);
  }
  return samples;
}

struct Heard {
  double snr_db = 0;  // relative to the audio without packet loss
  double concealed_ms = 0;
  uint64_t lost = 0, restored = 0;
};

std::vector<float> heard_of(const std::vector<float>& sent, AudioCoding coding, int parity, double loss,
                            Heard& report) {
  transport::AudioPacketizer packetizer({.coding = coding, .channels = 1, .parity = parity});
  transport::AudioSession session;
  SoundDecoder decoder;
  media::OpusChannelEncoder opus(96'000);
  std::mt19937 random(3);
  std::vector<float> heard;
  std::vector<std::byte> pcm(2 * kPiece);
  SteadyTime now{1h};
  const auto drain = [&] {
    while (const auto unit = session.next(now))
      if (const auto block = decoder.decode(*unit, now))
        heard.insert(heard.end(), block->samples.begin(), block->samples.end());
  };
  for (int piece = 0; piece < kPieces; ++piece, now += 5ms) {
    const auto samples = std::span(sent).subspan(static_cast<size_t>(piece) * kPiece, kPiece);
    std::array<Bytes, 1> bytes{};
    if (coding == AudioCoding::opus) {
      bytes[0] = opus.encode(samples);
    } else {
      transport::floats_to_pcm(samples, 1, 16, pcm);
      bytes[0] = pcm;
    }
    const auto packets = packetizer.packetize({.channels = bytes,
                                               .samples = kPiece,
                                               .position = kPiece * static_cast<uint64_t>(piece),
                                               .captured = wall_of(now)});
    for (const auto& packet : packets) {
      const bool is_lost = static_cast<double>(random() % 10'000) < loss * 10'000;
      if (!is_lost || piece < 8) session.on_datagram(packet.header, now, wall_of(now));
    }
    drain();
  }
  now += 1s;
  drain();
  report.concealed_ms = static_cast<double>(decoder.concealed()) / 48;
  report.lost = session.counters().lost;
  report.restored = session.counters().restored;
  return heard;
}

Heard with_loss(AudioCoding coding, int parity, double loss) {
  const std::vector<float> sent = voice();
  Heard ignored, report;
  const std::vector<float> whole = heard_of(sent, coding, parity, 0, ignored);
  const std::vector<float> heard = heard_of(sent, coding, parity, loss, report);
  const size_t count = std::min(whole.size(), heard.size());
  CHECK(count >= sent.size() - 8 * kPiece);
  double signal = 0, noise = 1e-12;
  for (size_t i = 0; i < count; ++i) {
    signal += static_cast<double>(whole[i]) * whole[i];
    noise += std::pow(static_cast<double>(whole[i]) - heard[i], 2);
  }
  report.snr_db = 10 * std::log10(signal / noise);
  return report;
}

}  // namespace

TEST_CASE("without packet loss PCM is heard as it was sent, to the rounding of 16 bits") {
  const std::vector<float> sent = voice();
  Heard report;
  const std::vector<float> heard = heard_of(sent, AudioCoding::pcm, 2, 0, report);
  REQUIRE(heard.size() == sent.size());
  float off = 0;
  for (size_t i = 0; i < sent.size(); ++i) off = std::max(off, std::abs(sent[i] - heard[i]));
  CHECK(off <= 0.5F / 32768);
  CHECK(report.concealed_ms == 0);
}

TEST_CASE("1 % packet loss: inaudible with parity, acceptable with concealment") {
  for (const AudioCoding coding : {AudioCoding::pcm, AudioCoding::opus}) {
    const std::string name = coding == AudioCoding::pcm ? "pcm" : "opus";
    CAPTURE(name);
    const Heard parity = with_loss(coding, 2, 0.01), bare = with_loss(coding, 0, 0.01);
    MESSAGE(name, ", 1 % loss: with parity ", parity.snr_db, " dB (", parity.restored, " restored, ",
            parity.concealed_ms, " ms concealed), without ", bare.snr_db, " dB (", bare.concealed_ms, " ms concealed)");
    CHECK(parity.restored > 20);
    CHECK(parity.snr_db > 35);
    CHECK(parity.concealed_ms <= 10);
    CHECK(bare.concealed_ms > 100);
    CHECK(bare.snr_db > 19);  // silence instead would give 20 dB or less
  }
}

TEST_CASE("audio statistics: none before there is audio; packets received; and the position that is heard") {
  CHECK_FALSE(sound_json(std::nullopt));
  SoundStatus status;
  CHECK_FALSE(sound_json(status));
  status.received.stream = transport::AudioStream{.rate = 48000, .bits = 16, .channels = 2};
  status.received.counters = {.packets = 70, .duplicates = 1, .malformed = 2, .refused = 3, .lost = 4, .restored = 5};
  status.concealed_ms = 2.5;
  CHECK(sound_json(status)->text() ==
        R"({"stream": "pcm, 48000 Hz, 2 channels", "packets": 70, "lost": 4, "restored": 5, "duplicates": 1, )"
        R"("malformed": 2, "refused": 3, "concealed_ms": 2.5})");
  status.heard = HeardSound{.offset = -1500us, .drift_ppm = 12.5, .jumps = 1, .missing = 480};
  StatsFigures figures(SteadyTime{});
  StatsLine told;
  told.sound = sound_json(status);
  const std::string line = figures.json(told, SteadyTime{1s}).text();
  for (const std::string part :
       {R"("offset_ms": -1.5)", R"("drift_ppm": 12.5)", R"("jumps": 1)", R"("missing_samples": 480)", R"("lost": 4)"})
    CHECK_MESSAGE(line.find(part) != std::string::npos, line);
  CHECK(figures.json({}, SteadyTime{2s}).text().find("sound") == std::string::npos);
}
