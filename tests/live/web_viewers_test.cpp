// The viewers of web destinations, as receivers of a stream: what they get, and how their feedback reaches the sender.
#include "live/web_viewers.h"

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../patience.h"
#include "fake_web_stream.h"
#include "frames/cursor.h"
#include "live/audio_sender.h"
#include "live/destinations.h"
#include "texcast/error.h"
#include "transport/cursor_packet.h"
#include "transport/feedback_opener.h"
#include "transport/own_packet.h"
#include "transport/rtcp.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

using Datagram = std::vector<std::byte>;

constexpr uint32_t kSsrc = 0x01020304;

transport::PeerAddress browser_at(uint8_t last, uint16_t port = 40'000) {
  return transport::PeerAddress::of_ipv4(std::array{std::byte{10}, std::byte{0}, std::byte{0}, std::byte{last}}, port);
}

// An RTP packet of the stream, with a payload that tells it from others.
Datagram packet_of_stream(uint8_t content) {
  Datagram packet(16, std::byte{content});
  packet[0] = std::byte{0x80};
  packet[1] = std::byte{20};
  for (int i = 0; i < 4; ++i) packet[static_cast<size_t>(8 + i)] = static_cast<std::byte>(kSsrc >> (24 - 8 * i));
  return packet;
}

Datagram nack(uint32_t buffer_id = 1) {
  Datagram bytes(64);
  const transport::PacketRange range{.first = 3, .count = 2};
  bytes.resize(transport::write_request(bytes, kSsrc, buffer_id, {&range, 1}));
  return bytes;
}

Datagram page_report(uint32_t receiver) {
  const std::string tool = rtcp_tool();
  transport::RtcpCompound report{.ssrc = receiver, .block_count = 1, .cname = "a page", .tool = tool};
  report.blocks[0] = {.ssrc = kSsrc, .fraction_lost = 64};
  Datagram bytes(transport::kMaxRtcpBytes);
  bytes.resize(transport::write_rtcp(bytes, report));
  return bytes;
}

struct HeardFeedback {
  size_t destination = 0;
  transport::PeerAddress from{};
  Datagram datagram{};
};

// A stream to a web destination, and to others.
class Streaming {
 public:
  explicit Streaming(std::vector<std::string> urls = {"web://:8080"}, bool is_coded = true)
      : destinations_(urls,
                      {.open_web =
                           [this](const std::string& url) {
                             opened_.push_back(url);
                             return WebDestination{.stream = stream_, .loopback = false};
                           },
                       .most_viewers = 2},
                      true, IfExists::refuse, is_coded) {}

  Destinations& destinations() { return destinations_; }
  test::FakeWebStream& viewers() { return *stream_; }
  const std::vector<std::string>& opened() const { return opened_; }

  void send(const Datagram& datagram) {
    const transport::OutgoingPacket packet{.header = Bytes(datagram).first(12), .payload = Bytes(datagram).subspan(12)};
    destinations_.send({&packet, 1}, wall_now());
  }
  void send_to(size_t destination, const Datagram& datagram) {
    const transport::OutgoingPacket packet{.header = datagram, .payload = {}};
    destinations_.send_to(destination, {&packet, 1});
  }
  std::vector<HeardFeedback> hear() {
    std::vector<HeardFeedback> all;
    destinations_.wait(steady_now(), [&](const transport::Feedback& feedback) {
      all.push_back({feedback.destination, feedback.from, {feedback.datagram.begin(), feedback.datagram.end()}});
    });
    return all;
  }

 private:
  std::shared_ptr<test::FakeWebStream> stream_ = std::make_shared<test::FakeWebStream>();
  std::vector<std::string> opened_;
  Destinations destinations_;
};

std::optional<transport::TileRequest> tile_request(const HeardFeedback& heard,
                                                   std::shared_ptr<const transport::WireKeys> keys) {
  transport::FeedbackOpener opener(kSsrc, std::move(keys));
  return opener.read(heard.datagram).tiles;
}

bool is_sender_report(const Datagram& datagram) {
  const auto rtcp = transport::parse_rtcp(datagram);
  return rtcp && rtcp->sender && rtcp->ssrc == kSsrc;
}

}  // namespace

TEST_CASE("a web destination has no pace, large packets, and an audience once somebody watches") {
  Streaming streaming;
  const Destinations& destinations = streaming.destinations();
  CHECK(streaming.opened() == std::vector<std::string>{"web://:8080"});
  CHECK(destinations.real_time());
  CHECK(destinations.only_web());
  CHECK(destinations.all_unicast());
  CHECK_FALSE(destinations.all_on_loopback());
  CHECK(destinations.urls() == std::vector<std::string>{"web://:8080"});
  CHECK(destinations.addresses() == 0);
  CHECK(destinations.usual_mtu() == 9000);
  CHECK_FALSE(destinations.has_audience());
  streaming.viewers().join(1, browser_at(1));
  CHECK(destinations.has_audience());
  streaming.viewers().leave(1, browser_at(1));
  CHECK_FALSE(destinations.has_audience());
}

TEST_CASE("with an address beside it, a web destination gets that one's packets, and is always served") {
  Streaming streaming({"rtp://127.0.0.1:9", "web://:8080"});
  CHECK_FALSE(streaming.destinations().only_web());
  CHECK(streaming.destinations().has_audience());
  CHECK(streaming.destinations().usual_mtu() <= 1500);
  CHECK(streaming.destinations().urls() == std::vector<std::string>{"rtp://127.0.0.1:9", "web://:8080"});
  CHECK(streaming.destinations().resolved().size() == 1);
}

TEST_CASE("web destinations are an error for programs that serve no browsers") {
  CHECK_THROWS_WITH_AS(Destinations({"web://:8080"}), doctest::Contains("texcast send"), Error);
}

TEST_CASE("viewers get the stream's packets, and answers of their own") {
  Streaming streaming;
  streaming.send(packet_of_stream(1));
  CHECK(streaming.viewers().take_sent().empty());
  streaming.viewers().join(5, browser_at(1));
  streaming.viewers().join(6, browser_at(1, 40'001));
  streaming.hear();
  streaming.viewers().take_sent();

  streaming.send(packet_of_stream(2));
  auto sent = streaming.viewers().take_sent();
  REQUIRE(sent.size() == 1);
  CHECK_FALSE(sent[0].to);
  CHECK(sent[0].channel == web::Channel::picture);
  CHECK(sent[0].datagram == packet_of_stream(2));

  streaming.viewers().answer(6, browser_at(1, 40'001), nack());
  const auto heard = streaming.hear();
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].datagram == nack());
  streaming.send_to(heard[0].destination, packet_of_stream(3));
  sent = streaming.viewers().take_sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].to == 6);
  CHECK(sent[0].datagram == packet_of_stream(3));
}

TEST_CASE("each viewer is a receiver of its own, behind the addresses, even if they share a host") {
  Streaming streaming({"rtp://127.0.0.1:9", "web://:8080"});
  for (const web::ViewerId viewer : {1U, 2U, 3U}) streaming.viewers().join(viewer, browser_at(1, 40'000));
  streaming.hear();
  for (const web::ViewerId viewer : {1U, 2U, 3U})
    streaming.viewers().answer(viewer, browser_at(1, 40'000), nack(viewer));
  const auto heard = streaming.hear();
  REQUIRE(heard.size() == 2);  // two may send feedback here
  CHECK(heard[0].destination == 1);
  CHECK(heard[1].destination == 2);
  CHECK(streaming.destinations().receivers_at_most() == 3);
  CHECK_FALSE(heard[0].from.same_host(heard[1].from));

  streaming.viewers().leave(1, browser_at(1, 40'000));
  streaming.viewers().join(4, browser_at(2));
  streaming.hear();
  streaming.viewers().take_sent();
  streaming.viewers().answer(1, browser_at(1, 40'000), nack());
  streaming.viewers().answer(4, browser_at(2), nack());
  const auto later = streaming.hear();
  REQUIRE(later.size() == 1);
  CHECK(later[0].destination == 1);  // the place of the viewer that has left
  streaming.send_to(1, packet_of_stream(1));
  const auto sent = streaming.viewers().take_sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].to == 4);
  streaming.send_to(17, packet_of_stream(1));  // nobody
  CHECK(streaming.viewers().take_sent().empty());
}

TEST_CASE("a viewer that joins is sent a report, and a whole picture is asked for in its name") {
  Streaming streaming;
  streaming.destinations().serve_viewers(kSsrc, nullptr);
  streaming.send(packet_of_stream(1));
  streaming.viewers().join(1, browser_at(1));
  const auto heard = streaming.hear();
  REQUIRE(heard.size() == 1);
  const auto request = tile_request(heard[0], nullptr);
  REQUIRE(request);
  CHECK(request->all);
  CHECK_FALSE(request->state);
  const auto sent = streaming.viewers().take_sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].to == 1);
  CHECK(is_sender_report(sent[0].datagram));
}

TEST_CASE("reports of viewers are those of receivers, and no feedback") {
  Streaming streaming;
  streaming.destinations().serve_viewers(kSsrc, nullptr);
  streaming.send(packet_of_stream(1));
  streaming.viewers().join(1, browser_at(7, 41'000));
  streaming.hear();
  streaming.viewers().answer(1, browser_at(7, 41'000), page_report(77));
  CHECK(streaming.hear().empty());
  const auto receivers = streaming.destinations().receivers();
  REQUIRE(receivers.size() == 1);
  CHECK(receivers[0].ssrc == 77);
  CHECK(receivers[0].loss == doctest::Approx(0.25));
  CHECK(receivers[0].address == "10.0.0.7:41000");
}

TEST_CASE("feedback of a viewer ends a wait") {
  Streaming streaming;
  std::jthread viewer([&] {
    streaming.viewers().join(1, browser_at(1));
    streaming.viewers().answer(1, browser_at(1), nack());
  });
  size_t heard = 0;
  const SteadyTime deadline = steady_now() + test::kPatience;
  while (heard < 2 && steady_now() < deadline)
    streaming.destinations().wait(deadline, [&](const transport::Feedback&) { ++heard; });
  CHECK(heard == 2);
  CHECK(steady_now() < deadline);
}

TEST_CASE("a sealed stream is opened for viewers, and their requests are sealed again") {
  const std::shared_ptr<const transport::WireKeys> keys = transport::WireKeys::derive("correct horse");
  const auto sealer = std::make_shared<transport::Sealer>(*keys);
  Streaming streaming;
  streaming.destinations().serve_viewers(kSsrc, sealer);
  streaming.viewers().join(1, browser_at(1));
  auto heard = streaming.hear();
  REQUIRE(heard.size() == 1);
  CHECK(transport::is_sealed(heard[0].datagram));
  CHECK(tile_request(heard[0], keys));

  const Datagram plain = packet_of_stream(9);
  Datagram sealed(plain.size() + transport::kSealOverhead);
  sealer->seal(Bytes(plain).first(12), Bytes(plain).subspan(12), sealed, wall_now());
  streaming.viewers().take_sent();
  streaming.send(sealed);
  streaming.send_to(0, sealed);  // a retransmission is the same datagram
  auto sent = streaming.viewers().take_sent();
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].datagram == plain);
  CHECK(sent[1].datagram == plain);

  Datagram damaged = sealed;
  damaged.back() ^= std::byte{1};
  streaming.send(damaged);
  Datagram foreign(plain.size() + transport::kSealOverhead);
  transport::Sealer(*keys).seal(plain, {}, foreign, wall_now());
  streaming.send(foreign);
  streaming.send(plain);
  CHECK(streaming.viewers().take_sent().empty());

  streaming.viewers().answer(1, browser_at(1), nack());
  heard = streaming.hear();
  REQUIRE(heard.size() == 1);
  transport::FeedbackOpener opener(kSsrc, keys);
  const auto asked = opener.read(heard[0].datagram);
  REQUIRE(asked.packets);
  CHECK(asked.packets->ranges == 1);
}

TEST_CASE("the pointer goes to viewers") {
  Streaming streaming;
  streaming.destinations().serve_viewers(kSsrc, nullptr);
  streaming.destinations().carry_cursor(kSsrc, nullptr);
  const auto pointers = [&] {
    size_t count = 0;
    for (const auto& sent : streaming.viewers().take_sent())
      if (const auto own = transport::parse_own_datagram(sent.datagram))
        count += own->type == static_cast<uint8_t>(transport::OwnType::cursor);
    return count;
  };
  streaming.viewers().join(1, browser_at(1));
  streaming.hear();
  streaming.destinations().show_cursor({.visible = true, .x = 3, .y = 4}, wall_now());
  size_t seen = 0;
  for (const SteadyTime end = steady_now() + test::kPatience; seen == 0 && steady_now() < end; seen += pointers())
    streaming.hear();
  CHECK(seen > 0);
}

TEST_CASE("web destinations come and go while the stream runs") {
  Streaming streaming({"rtp://127.0.0.1:9"});
  Destinations& destinations = streaming.destinations();
  destinations.add("web://:8081");
  CHECK_THROWS_AS(destinations.add("web://:8081"), Error);
  CHECK(destinations.urls() == std::vector<std::string>{"rtp://127.0.0.1:9", "web://:8081"});
  destinations.remove("rtp://127.0.0.1:9");
  CHECK(destinations.only_web());
  CHECK_THROWS_AS(destinations.remove("web://:8081"), Error);  // the only one
  destinations.add("rtp://127.0.0.1:9");
  destinations.remove("web://:8081");
  CHECK(destinations.urls() == std::vector<std::string>{"rtp://127.0.0.1:9"});
}

TEST_CASE("viewers get sound, and a report when they join") {
  const auto viewers = std::make_shared<test::FakeWebStream>();
  AudioSender sender({}, {}, {.parity = false, .viewers = {viewers}});
  CHECK(sender.has_destinations());
  const std::array<std::byte, 480> silence{};
  const std::array<Bytes, 2> channels{Bytes(silence), Bytes(silence)};
  const auto send = [&] { sender.send({.channels = channels, .samples = 240, .position = 0, .captured = wall_now()}); };
  send();
  CHECK(viewers->take_sent().empty());
  viewers->join(1, browser_at(1));
  send();
  const auto sent = viewers->take_sent();
  REQUIRE(sent.size() >= 2);
  for (const auto& one : sent) CHECK(one.channel == web::Channel::sound);
  CHECK_FALSE(transport::parse_rtcp(sent.front().datagram));
  CHECK(transport::parse_rtcp(sent.back().datagram));
  send();
  for (const auto& one : viewers->take_sent()) CHECK_FALSE(transport::parse_rtcp(one.datagram));

  sender.go_to({}, {});
  send();
  CHECK(viewers->take_sent().empty());
  CHECK_FALSE(sender.has_destinations());
}

TEST_CASE("viewers get the sound of a sealed stream unsealed") {
  const auto viewers = std::make_shared<test::FakeWebStream>();
  std::vector<std::vector<std::byte>> others;
  AudioSender sender({}, {},
                     {.crypto = transport::CryptoChoice::texcast,
                      .keys = transport::WireKeys::derive("correct horse"),
                      .viewers = {viewers},
                      .also_to = [&](std::span<const transport::OutgoingPacket> packets, WallTime) {
                        for (const auto& packet : packets)
                          others.emplace_back(packet.header.begin(), packet.header.end());
                      }});
  const std::array<std::byte, 480> silence{};
  const std::array<Bytes, 2> channels{Bytes(silence), Bytes(silence)};
  viewers->join(1, browser_at(1));
  sender.send({.channels = channels, .samples = 240, .position = 0, .captured = wall_now()});
  const auto sent = viewers->take_sent();
  REQUIRE(!sent.empty());
  for (const auto& one : sent) CHECK_FALSE(transport::is_sealed(one.datagram));
  REQUIRE(others.size() == sent.size());
  for (const auto& one : others) CHECK(transport::is_sealed(one));
}
