// Receivers' reports about a stream, over real sockets.
#include "live/destinations.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../patience.h"
#include "texcast/error.h"
#include "transport/rtcp.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr uint32_t kStream = 7;

std::vector<std::byte> report_of(uint32_t ssrc) {
  transport::RtcpCompound report{.ssrc = ssrc, .block_count = 1, .cname = "somebody"};
  report.blocks[0] = {.ssrc = kStream, .fraction_lost = 128};
  std::vector<std::byte> bytes(transport::kMaxRtcpBytes);
  bytes.resize(transport::write_rtcp(bytes, report));
  return bytes;
}

// A packet of the stream that reports are about.
void send_packet(Destinations& destinations) {
  std::array<std::byte, 12> header{std::byte{0x80}, std::byte{20}};
  header[11] = std::byte{kStream};
  const transport::OutgoingPacket packet{.header = header, .payload = {}};
  destinations.send(std::span(&packet, 1), wall_now());
}

std::unique_ptr<transport::UdpReceiver> listen(const std::string& host, uint16_t port, bool control) {
  return std::make_unique<transport::UdpReceiver>(transport::UdpReceiver::Settings{
      .address = transport::resolve_address("rtp://" + host + ":" + std::to_string(port), true), .control = control});
}

// The source address of the stream's sender reports; unknown if the control port is in use.
transport::PeerAddress control_address(Destinations& destinations, transport::UdpReceiver& receiver) {
  transport::PeerAddress sender;
  for (const SteadyTime end = steady_now() + 5s; !sender.known() && steady_now() < end;) {
    destinations.wait(steady_now() + 10ms, [](const transport::Feedback&) {});
    receiver.read_control([&](Bytes, const transport::PeerAddress& from) { sender = from; });
  }
  return sender;
}

}  // namespace

TEST_CASE("only reports from hosts that the stream is sent to count") {
  const auto stranger = listen("127.0.0.2", 0, false);
  for (int attempt = 0; attempt < 20; ++attempt) {  // a port whose successor is free too
    const uint16_t port = listen("127.0.0.1", 0, false)->port();
    if (port == 65535) continue;
    const auto receiver = listen("127.0.0.1", port, true);
    Destinations destinations({"rtp://127.0.0.1:" + std::to_string(port)});
    send_packet(destinations);
    const transport::PeerAddress sender = control_address(destinations, *receiver);
    if (!sender.known()) continue;
    CHECK(stranger->send_back(sender, report_of(100)));
    CHECK(receiver->send_control_back(sender, report_of(200)));
    for (const SteadyTime end = steady_now() + test::kPatience; destinations.receivers().empty() && steady_now() < end;)
      destinations.wait(steady_now() + 10ms, [](const transport::Feedback&) {});
    REQUIRE(destinations.receivers().size() == 1);
    CHECK(destinations.receivers()[0].ssrc == 200);
    CHECK(destinations.receiver_changes() == 1);
    return;
  }
  FAIL("no port with a free one behind it");
}
