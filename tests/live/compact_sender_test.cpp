// Coded frames through the sending thread: over a real socket, and into a capture.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "../patience.h"
#include "../temporary_folder.h"
#include "stream/paced_sender.h"
#include "texcast/error.h"
#include "textures/stream_format.h"
#include "transport/pcap.h"
#include "transport/receive_session.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

using Payload = std::vector<std::byte>;

std::vector<Payload> frame_payloads(int index, size_t most) {
  std::vector<Payload> payloads(1 + static_cast<size_t>(index) * 31 % 90);
  for (size_t i = 0; i < payloads.size(); ++i) {
    payloads[i].resize(i + 1 == payloads.size() ? 5 : most - i % 7);
    for (size_t k = 0; k < payloads[i].size(); ++k)
      payloads[i][k] = static_cast<std::byte>(k * 7 + i * 13 + static_cast<size_t>(index));
  }
  return payloads;
}

bool same_payloads(std::span<const Bytes> came, const std::vector<Payload>& sent) {
  return std::ranges::equal(came, sent, [](Bytes a, Bytes b) { return std::ranges::equal(a, b); });
}

constexpr TextureDesc kTexture{.format = TextureFormat::bc1, .width = 640, .height = 360, .color = {}};

void wait_idle(PacedSender& sender, AutoResetEvent& progress) {
  const SteadyTime limit = steady_now() + test::kPatience;
  while (!sender.idle() && steady_now() < limit) progress.wait_until(limit);
  REQUIRE(sender.idle());
}

}  // namespace

TEST_CASE("coded frames are sent part by part and arrive unchanged; tile requests come back") {
  transport::UdpReceiver receiver({.address = transport::resolve_address("rtp://127.0.0.1:0", true)});
  Destinations destinations({"rtp://127.0.0.1:" + std::to_string(receiver.port())});
  AutoResetEvent progress;
  std::atomic<uint32_t> asked_newest{0}, asked_first{0};
  SendSettings settings{.fps = 200};
  settings.wire.fec = {.kind = transport::FecKind::automatic};
  settings.wire.answers_requests = true;
  const auto on_tiles = [&](const transport::PeerAddress& from, const transport::TileRequest& request) {
    CHECK(from.port == receiver.port());
    asked_first = request.range(0).first;
    asked_newest = request.newest;
  };
  const auto sender =
      make_compact_sender(destinations, settings, kTexture, {.coding = 3, .coder = 0xABCD, .on_tile_request = on_tiles},
                          progress, new_identity(settings));
  CHECK(sender->max_payload() == 1390);
  transport::ReceiveSession session({.frame_timeout = test::kPatience, .request_lost = true});
  transport::PeerAddress source;
  int frames = 0;
  uint32_t newest = 0;
  for (int i = 0; i < 12; ++i) {
    CAPTURE(i);
    const auto payloads = frame_payloads(i, sender->max_payload());
    const std::vector<Bytes> views(payloads.begin(), payloads.end());
    sender->start(FrameTimes{.pts = i * 5ms, .available = wall_now(), .encoded = wall_now()});
    for (size_t at = 0; at < views.size(); at += 20)
      sender->add(std::span(views).subspan(at, std::min<size_t>(20, views.size() - at)));
    sender->finish(wall_now());
    bool came = false;
    const SteadyTime limit = steady_now() + test::kPatience;
    while (!came && steady_now() < limit) {
      receiver.receive(steady_now() + 20ms, [&](Bytes datagram, const transport::PeerAddress& from) {
        source = from;
        session.on_datagram(datagram, steady_now(), wall_now(), from);
        while (const auto frame = session.poll(steady_now(), wall_now())) {
          came = true;
          ++frames;
          newest = frame->buffer_id;
          CHECK(frame->payloads_missing == 0);
          CHECK(same_payloads(frame->payloads, payloads));
          CHECK(frame->stream.coding == 3);
          CHECK(frame->stream.coder == 0xABCD);
          CHECK(frame->stream.width == 640);
          const auto texture = texture_of(frame->stream);
          REQUIRE(texture);
          CHECK(texture->format == TextureFormat::bc1);
        }
      });
    }
    CHECK(came);
    wait_idle(*sender, progress);
  }
  CHECK(frames == 12);
  const transport::PacketRange tiles{42, 3};
  const auto request = session.ask_for_tiles({.state = newest, .ranges = {&tiles, 1}}, steady_now());
  REQUIRE(request);
  REQUIRE(receiver.send_back(source, *request));
  const SteadyTime limit = steady_now() + test::kPatience;
  while (asked_first == 0 && steady_now() < limit) progress.wait_until(steady_now() + 10ms);
  CHECK(asked_first == 42);
  CHECK(asked_newest == newest);
  while (sender->status().tile_requests == 0 && steady_now() < limit) progress.wait_until(steady_now() + 10ms);
  CHECK(sender->status().tile_requests == 1);
  CHECK(sender->status().feedback == 0);
  CHECK(sender->status().frames == 12);
}

TEST_CASE("coded frames are written to a capture, and read from it") {
  const texcast::test::TemporaryFolder folder;
  {
    Destinations destinations({"pcap:" + folder.file("compact.pcap")});
    AutoResetEvent progress;
    SendSettings settings{.fps = 60};
    settings.wire.fec = {.kind = transport::FecKind::automatic};
    const auto sender = make_compact_sender(destinations, settings, kTexture, {}, progress, new_identity(settings));
    for (int i = 0; i < 8; ++i) {
      const auto payloads = frame_payloads(i, sender->max_payload());
      const std::vector<Bytes> views(payloads.begin(), payloads.end());
      sender->start(FrameTimes{.pts = i * 16'666'667ns, .available = WallTime(1000s + i * 16'666'667ns)});
      sender->add(std::span(views).first(views.size() / 2));
      sender->add(std::span(views).subspan(views.size() / 2));
      sender->finish(WallTime(1000s + i * 16'666'667ns));
      wait_idle(*sender, progress);
    }
    destinations.finish_captures();
  }
  transport::PcapReader reader(folder.file("compact.pcap"));
  transport::ReceiveSession session;
  int frames = 0;
  while (const auto datagram = reader.next()) {
    const SteadyTime now{datagram->time.time_since_epoch()};
    session.on_datagram(datagram->payload, now, datagram->time, datagram->from);
    while (const auto frame = session.poll(now, datagram->time)) {
      CHECK(same_payloads(frame->payloads, frame_payloads(frames, 1390)));
      CHECK(std::abs((frame->times.pts - frames * 16'666'667ns).count()) < 20'000);  // two ticks of 90 kHz
      ++frames;
    }
  }
  CHECK(frames == 8);
}

TEST_CASE("combinations that coded streams do not support are refused") {
  Destinations destinations({"rtp://127.0.0.1:9"});
  AutoResetEvent progress;
  SendSettings settings;
  settings.wire.fec = {.kind = transport::FecKind::none, .copies = 2};
  CHECK_THROWS_AS(make_compact_sender(destinations, settings, kTexture, {}, progress, new_identity(settings)), Error);
  settings.wire.fec = {.kind = transport::FecKind::ultragrid_rs, .k = 10, .m = 2};
  CHECK_THROWS_AS(make_compact_sender(destinations, settings, kTexture, {}, progress, new_identity(settings)), Error);
  settings.wire = {.crypto = transport::CryptoChoice::ultragrid_gcm};
  CHECK_THROWS_AS(make_compact_sender(destinations, settings, kTexture, {}, progress, new_identity(settings)), Error);
}
