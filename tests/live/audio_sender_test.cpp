// Audio to changing destinations, over real sockets.
#include "live/audio_sender.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "../patience.h"
#include "transport/rtcp.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

// Receives the audio of a stream to stream_url().
class Ear {
 public:
  explicit Ear(const std::string& host = "127.0.0.1")
      : host_(host),
        receiver_({.address = transport::resolve_address("rtp://" + host + ":0", true), .control = true}) {}
  std::string stream_url() const {
    return "rtp://" + host_ + ":" + std::to_string(receiver_.port() - transport::kAudioPortOffset);
  }
  transport::Address stream() const { return transport::resolve_address(stream_url(), false); }
  // Number of datagrams since the last call, at most `enough`.
  size_t hear(size_t enough) {
    size_t heard = 0;
    for (const SteadyTime limit = steady_now() + test::kPatience; heard < enough && steady_now() < limit;)
      receiver_.receive(limit, [&](Bytes datagram) {
        ++heard;
        largest_ = std::max(largest_, datagram.size());
      });
    return heard;
  }
  size_t hear_what_is_there() {
    size_t heard = 0;
    receiver_.receive(steady_now(), [&](Bytes) { ++heard; });
    return heard;
  }
  size_t largest() const { return largest_; }
  bool hears_goodbye() {
    bool bye = false;
    for (const SteadyTime limit = steady_now() + test::kPatience; !bye && steady_now() < limit;) {
      receiver_.receive(steady_now() + 5ms, [](Bytes) {});
      receiver_.read_control([&](Bytes datagram, const transport::PeerAddress&) {
        const auto compound = transport::parse_rtcp(datagram);
        bye = bye || (compound && compound->bye);
      });
    }
    return bye;
  }

 private:
  std::string host_;
  transport::UdpReceiver receiver_;
  size_t largest_ = 0;
};

class Voice {
 public:
  Voice(const std::vector<std::string>& urls, const AudioSenderSettings& settings) : sender(urls, {}, settings) {}
  void send(int buffers, size_t bytes = 960) {
    const std::vector<std::byte> samples(bytes);
    const std::array<Bytes, 2> channels{Bytes(samples), Bytes(samples)};
    for (int i = 0; i < buffers; ++i, position_ += bytes / 2)
      sender.send({.channels = channels, .samples = static_cast<uint32_t>(bytes / 2), .position = position_});
  }
  AudioSender sender;

 private:
  uint64_t position_ = 0;
};

}  // namespace

TEST_CASE("audio follows the destinations of the picture: added, changed, removed") {
  Ear first, second;
  Voice voice({first.stream_url()}, {.parity = false});
  voice.send(2);
  CHECK(first.hear(4) == 4);

  const std::array both{first.stream(), second.stream()};
  voice.sender.go_to(both);
  voice.send(3);
  CHECK(first.hear(6) == 6);
  CHECK(second.hear(6) == 6);  // and none of before

  const std::array one{second.stream()};
  voice.sender.go_to(one);
  CHECK(first.hears_goodbye());
  voice.send(1);
  CHECK(second.hear(2) == 2);
  CHECK(first.hear_what_is_there() == 0);

  voice.sender.go_to({});
  CHECK_FALSE(voice.sender.has_destinations());
  CHECK(second.hears_goodbye());
  voice.send(1);
  voice.sender.go_to(both);
  voice.send(1);
  CHECK(first.hear(2) == 2);
  CHECK(second.hear(2) == 2);
}

TEST_CASE("an IPv6 destination gets packets that fit its headers, and so do all others then") {
  Ear first;
  std::optional<Ear> second;
  try {
    second.emplace("[::1]");
  } catch (const Error&) {
    MESSAGE("SKIP: no IPv6 here");
    return;
  }
  Voice voice({first.stream_url()}, {.parity = false, .mtu = 576});
  voice.send(1);
  CHECK(first.hear(4) == 4);
  CHECK(first.largest() > 576 - 28 - 12);
  const std::array both{first.stream(), second->stream()};
  voice.sender.go_to(both);
  voice.send(1);
  CHECK(second->hear(6) == 6);  // 20 bytes less in each
  CHECK(second->largest() <= 576 - 48);
}
