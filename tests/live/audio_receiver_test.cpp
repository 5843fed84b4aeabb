// Only audio from the host whose picture is shown is heard.
#include "live/audio_receiver.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "transport/audio_packetizer.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

using Datagram = std::vector<std::byte>;

transport::PeerAddress host(uint8_t last, uint16_t port = 5000) {
  return transport::PeerAddress::of_ipv4(std::array{std::byte{10}, std::byte{0}, std::byte{0}, std::byte{last}}, port);
}

// A sender of 5 ms buffers of one value.
class Tone {
 public:
  Tone(uint32_t ssrc, uint8_t value)
      : packetizer_({.channels = 1, .ssrc = ssrc, .parity = 0}), samples_(2 * kSamples, std::byte{value}) {}
  Datagram next() {
    const std::array<Bytes, 1> channels{samples_};
    const auto packets = packetizer_.packetize(
        {.channels = channels, .samples = kSamples, .position = uint64_t{kSamples} * number_++, .captured = {}});
    REQUIRE(packets.size() == 1);
    return {packets[0].header.begin(), packets[0].header.end()};
  }

 private:
  static constexpr uint32_t kSamples = 240;
  transport::AudioPacketizer packetizer_;
  std::vector<std::byte> samples_;
  uint64_t number_ = 0;
};

// Records the output: the value of each received buffer, -1 for each missing one.
struct SoundListener {
  void hear(const Datagram& datagram, const transport::PeerAddress& from) {
    now += 5ms;
    receiver.feed(datagram, {.steady = now, .wall = {}}, from);
  }
  SteadyTime now{1h};
  std::vector<int> heard;
  PictureSender picture;
  AudioReceiver receiver{{}, picture, [this](const transport::AudioUnit& unit, SteadyTime) {
                           heard.push_back(unit.kind == transport::AudioUnit::Kind::sound && !unit.channels[0].empty()
                                               ? std::to_integer<int>(unit.channels[0][0])
                                               : -1);
                         }};
};

}  // namespace

TEST_CASE("a stranger's audio is not heard beside a picture, whichever came first") {
  Tone genuine(1, 1), stranger(2, 2);
  SoundListener listener;
  for (int i = 0; i < 20; ++i) listener.hear(stranger.next(), host(9));
  listener.picture.set(host(1));
  for (int i = 0; i < 20; ++i) {
    listener.hear(stranger.next(), host(9));
    listener.hear(genuine.next(), host(1, 6000));
  }
  CHECK(listener.heard == std::vector<int>(20, 1));
  CHECK(listener.receiver.status().counters.foreign == 20);
}

TEST_CASE("a stranger's audio is not heard if the picture's sender has none") {
  Tone stranger(2, 2);
  SoundListener listener;
  listener.picture.set(host(1));
  for (int i = 0; i < 500; ++i) listener.hear(stranger.next(), host(9));
  CHECK(listener.heard.empty());
  CHECK_FALSE(listener.receiver.status().stream);
}

TEST_CASE("packets with the genuine numbers from another host displace nothing") {
  Tone genuine(1, 1), forged(1, 2);
  SoundListener listener;
  listener.picture.set(host(1));
  for (int i = 0; i < 40; ++i) {
    listener.hear(forged.next(), host(9));
    listener.hear(genuine.next(), host(1));
  }
  CHECK(listener.heard == std::vector<int>(40, 1));
}

TEST_CASE("audio from up to a second before the first frame is heard with it") {
  Tone genuine(1, 1);
  SoundListener listener;
  for (int i = 0; i < 300; ++i) listener.hear(genuine.next(), host(1));
  CHECK(listener.heard.empty());
  listener.picture.set(host(1));
  listener.hear(genuine.next(), host(1));
  // A second of buffers, inclusive, and the one that arrived now.
  CHECK(listener.heard == std::vector<int>(202, 1));
}

TEST_CASE("audio changes with the picture, at once") {
  Tone first(1, 1), second(2, 2);
  SoundListener listener;
  listener.picture.set(host(1));
  for (int i = 0; i < 5; ++i) listener.hear(first.next(), host(1));
  listener.picture.set(host(2));
  for (int i = 0; i < 5; ++i) {
    listener.hear(first.next(), host(1));
    listener.hear(second.next(), host(2));
  }
  CHECK(listener.heard == std::vector<int>{1, 1, 1, 1, 1, 2, 2, 2, 2, 2});
}
