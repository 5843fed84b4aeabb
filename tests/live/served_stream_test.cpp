// A coded stream from its sender through the real server to browsers on loopback, and their feedback back.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "../patience.h"
#include "../transport/web/server_support.h"
#include "live/destinations.h"
#include "stream/paced_sender.h"
#include "transport/own_packet.h"
#include "transport/receive_session.h"
#include "transport/rtcp.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr TextureDesc kServedTexture{.format = TextureFormat::bc1, .width = 640, .height = 360, .color = {}};

std::vector<std::vector<std::byte>> served_payloads(int frame, size_t most) {
  std::vector<std::vector<std::byte>> payloads(5);
  for (size_t i = 0; i < payloads.size(); ++i) {
    payloads[i].resize(i + 1 == payloads.size() ? 7 : most);
    for (size_t k = 0; k < payloads[i].size(); ++k)
      payloads[i][k] = static_cast<std::byte>(k * 5 + i * 11 + static_cast<size_t>(frame) * 3);
  }
  return payloads;
}

// A page's session: datagrams of the picture in, feedback out.
class Page {
 public:
  explicit Page(uint16_t port) : client_(test::viewer(port)) {}

  // The payloads of the next frame, read until it is complete.
  std::vector<std::vector<std::byte>> next_frame() {
    datagrams_.clear();
    const SteadyTime now = steady_now();
    for (;;) {
      for (const std::string& datagram : test::datagrams_in(client_->read_binary(), 0)) {
        if (transport::parse_rtcp(test::bytes_of(datagram))) continue;
        datagrams_.push_back(datagram);
        session_.on_datagram(test::bytes_of(datagram), now, wall_now());
      }
      const auto frame = session_.poll(now, wall_now());
      if (!frame) continue;
      std::vector<std::vector<std::byte>> payloads;
      for (const Bytes payload : frame->payloads) payloads.emplace_back(payload.begin(), payload.end());
      frame_ = frame->buffer_id;
      return payloads;
    }
  }

  // Asks for the frame's packet again. False if a report of the sender comes first, which is sent every second.
  bool gets_again(uint32_t ssrc, uint16_t packet) {
    std::array<std::byte, 64> request{};
    const transport::PacketRange range{.first = packet, .count = 1};
    const size_t bytes = transport::write_request(request, ssrc, frame_, {&range, 1});
    client_->send_binary(test::binary_message(0, {std::string(reinterpret_cast<const char*>(request.data()), bytes)}));
    const std::vector<std::string> came = test::datagrams_in(client_->read_binary(), 0);
    if (transport::parse_rtcp(test::bytes_of(came.front()))) return false;
    CHECK(came == std::vector<std::string>{datagrams_.at(packet)});
    return true;
  }

 private:
  std::unique_ptr<test::WebClient> client_;
  transport::ReceiveSession session_{{.frame_timeout = test::kPatience}};
  std::vector<std::string> datagrams_;  // of the frame
  uint32_t frame_ = 0;
};

}  // namespace

TEST_CASE("browsers get every frame of a coded stream unchanged, and lost packets again, each its own") {
  web::Server server(test::settings());
  Destinations destinations(
      {"web://127.0.0.1:0"},
      {.open_web =
           [&](const std::string&) { return WebDestination{.stream = server.add(test::bc1()), .loopback = true}; }},
      true, IfExists::refuse, 1);
  AutoResetEvent progress;
  std::atomic<int> whole_pictures = 0;
  SendSettings settings{.fps = 100, .mtu = destinations.usual_mtu()};
  settings.wire.answers_requests = true;
  const StreamIdentity identity = new_identity(settings);
  destinations.serve_viewers(identity.numbers->ssrc(), nullptr);
  const auto sender =
      make_compact_sender(destinations, settings, kServedTexture,
                          {.on_tile_request =
                               [&](const transport::PeerAddress&, const transport::TileRequest& request) {
                                 whole_pictures += request.all && !request.state;
                               }},
                          progress, identity);
  CHECK(sender->max_payload() > 8800);
  Page first(server.port()), second(server.port());
  const SteadyTime limit = steady_now() + test::kPatience;
  while (whole_pictures < 2 && steady_now() < limit) progress.wait_until(steady_now() + 1ms);
  CHECK(whole_pictures == 2);  // one for each newcomer

  // A sender answers for a quarter of a second after the frame, which a busy machine may miss.
  uint64_t again = 0;
  for (int frame = 0; again < 3 && steady_now() < limit; ++frame) {
    CAPTURE(frame);
    const auto payloads = served_payloads(frame, sender->max_payload());
    const std::vector<Bytes> views(payloads.begin(), payloads.end());
    sender->start(FrameTimes{.pts = frame * 10ms, .available = wall_now(), .encoded = wall_now()});
    sender->add(views);
    sender->finish(wall_now());
    CHECK(second.next_frame() == payloads);
    again += second.gets_again(identity.numbers->ssrc(), static_cast<uint16_t>(frame % 3));
    CHECK(first.next_frame() == payloads);  // and nothing else
    while (!sender->idle() && steady_now() < limit) progress.wait_until(limit);
  }
  CHECK(again == 3);
  CHECK(sender->status().again >= again);
}
