// One forged datagram with the sender's own address makes a tile of a still picture wrong: it is detected and repaired.
// Over real sockets, with a manual clock for the sender.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../manual_clock.h"
#include "../patience.h"
#include "compact/payload.h"
#include "live/auto_reset_event.h"
#include "live/destinations.h"
#include "live/receiving_thread.h"
#include "stream/compact_sender.h"
#include "tile_payload.h"
#include "transport/compact_packet.h"
#include "transport/own_packet.h"
#include "transport/udp_socket.h"
#include "transport/wire_keys.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr TextureDesc kStillPicture{
    .format = TextureFormat::bc1, .width = 256, .height = 128, .color = {}};  // 4 x 4 tiles
constexpr uint32_t kTile = 5;

std::vector<std::byte> still_noise(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> blocks(texture_layout(kStillPicture).total_bytes);
  for (auto& byte : blocks) byte = static_cast<std::byte>(random());
  return blocks;
}

// A forged payload with the blocks of another picture for the tile.
std::vector<std::byte> forged_payload() {
  return test::tile_payload(compact::TileGrid(kStillPicture), kTile, still_noise(66));
}

// The path from the sender, on which one packet of a later frame is replaced by a forged one of the same number.
class Forging final : public DatagramSource, private DatagramSink {
 public:
  explicit Forging(const transport::Address& address) : inner_(address) {}
  bool read(SteadyTime limit, DatagramSink& sink) override {
    sink_ = &sink;
    return inner_.read(limit, *this);
  }
  Instant now() const override { return inner_.now(); }
  void wake() override { inner_.wake(); }
  bool send_back(const transport::PeerAddress& to, Bytes datagram) override { return inner_.send_back(to, datagram); }
  uint16_t port() const { return inner_.port(); }
  void forge() { forges_ = true; }
  bool has_forged() const { return has_forged_; }

 private:
  void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) override {
    const auto own = transport::parse_own_datagram(datagram);
    const bool is_data = own && own->type == static_cast<uint8_t>(transport::OwnType::compact);
    const auto packet = is_data ? transport::parse_compact(own->body) : std::nullopt;
    if (packet && forges_.exchange(false)) {
      std::vector<std::byte> forged(datagram.begin(), datagram.end() - static_cast<long>(packet->payload.size()));
      const auto payload = forged_payload();
      forged.insert(forged.end(), payload.begin(), payload.end());
      sink_->on_datagram(forged, arrived, from);
      has_forged_ = true;
    }
    sink_->on_datagram(datagram, arrived, from);
  }
  UdpDatagrams inner_;
  DatagramSink* sink_ = nullptr;
  std::atomic<bool> forges_ = false, has_forged_ = false;
};

class StillReceiver {
 public:
  StillReceiver() : pool_(ReceivingThread::kOwnFrames + 4) {
    auto source = std::make_unique<Forging>(transport::resolve_address("rtp://127.0.0.1:0", true));
    source_ = source.get();
    thread_.emplace(
        std::move(source), pool_, [this](const FrameRef& frame, double) { take(*frame); },
        transport::ReceiveSettings{.frame_timeout = test::kPatience});
  }
  std::string url() const { return "rtp://127.0.0.1:" + std::to_string(source_->port()); }
  Forging& way() { return *source_; }
  std::vector<std::byte> wait_for(size_t frames) {
    for (const SteadyTime limit = steady_now() + test::kPatience; steady_now() < limit;
         std::this_thread::sleep_for(1ms)) {
      const std::lock_guard lock(mutex_);
      if (frames_ >= frames) return blocks_;
    }
    CAPTURE(frames);
    FAIL("that frame does not come");
    return {};
  }
  void stop() { thread_->stop(); }
  StreamStatus status() const { return thread_->status(); }

 private:
  void take(const PooledFrame& frame) {
    const std::lock_guard lock(mutex_);
    ++frames_;
    blocks_.assign(frame.blocks.begin(), frame.blocks.end());
  }
  BlockPool pool_;
  Forging* source_ = nullptr;
  std::mutex mutex_;
  size_t frames_ = 0;
  std::vector<std::byte> blocks_;
  std::optional<ReceivingThread> thread_;  // last: it uses the above
};

SendSettings still_settings(const std::shared_ptr<const transport::WireKeys>& keys = nullptr) {
  SendSettings settings{.fps = 100};
  settings.spread = 0.1;
  settings.compact = {.threads = 0};
  settings.wire.answers_requests = true;
  if (!keys) return settings;
  settings.wire.crypto = transport::CryptoChoice::texcast;
  settings.wire.keys = keys;
  return settings;
}

// A still picture, sent ten times a second by the clock.
class Still {
 public:
  explicit Still(const std::string& url, const SendSettings& settings = still_settings())
      : destinations_({url}, {}, true, IfExists::refuse, 1),
        sender_(destinations_, settings, kStillPicture, progress_, new_identity(settings), clock_) {}
  void send() {
    sender_.start({.texture = {kStillPicture, blocks_}, .times = {.pts = sent_++ * 100ms}});
    while (!sender_.drained()) progress_.wait_until(steady_now() + 1s);
    clock_.advance(100ms);
  }
  const std::vector<std::byte>& blocks() const { return blocks_; }
  SentStatus status() const { return sender_.status(); }

 private:
  const std::vector<std::byte> blocks_ = still_noise(1);
  test::ManualClock clock_;
  AutoResetEvent progress_;
  Destinations destinations_;
  int sent_ = 0;
  CompactSender sender_;  // last: it uses the above
};

}  // namespace

TEST_CASE("a tile of a still picture that one forged datagram has made wrong is repaired within seconds") {
  constexpr size_t kFewSeconds = 30;
  StillReceiver listener;
  Still still(listener.url());
  size_t sent = 0;
  const auto send = [&] {
    still.send();
    return listener.wait_for(++sent);
  };
  while (sent < 3) CHECK(send() == still.blocks());
  listener.way().forge();
  while (!listener.way().has_forged()) send();
  size_t wrong = 0;
  while (send() != still.blocks() && wrong < 20 * kFewSeconds) ++wrong;
  CHECK(wrong < kFewSeconds);
  for (int i = 0; i < 30; ++i) CHECK(send() == still.blocks());  // and remains right
  listener.stop();
  const StreamStatus status = listener.status();
  REQUIRE(status.compact);
  CHECK(status.compact->refuted == 1);
  CHECK(still.status().compact->repaired == 4);  // the row of tiles
}

TEST_CASE("tile checksums are sent once a second without encryption, and never beside a sealed stream") {
  const auto sums_of = [](const std::string& listen, const std::shared_ptr<const transport::WireKeys>& keys) {
    transport::UdpReceiver receiver({.address = transport::resolve_address(listen, true)});
    const std::string host = listen.substr(0, listen.rfind(':') + 1);
    Still still(host + std::to_string(receiver.port()), still_settings(keys));
    for (int i = 0; i < 41; ++i) still.send();  // four seconds
    size_t sums = 0, others = 0;
    while (receiver.receive(steady_now(), [&](Bytes datagram) {
      const auto own = transport::parse_own_datagram(datagram);
      if (own && own->type == static_cast<uint8_t>(transport::OwnType::tile_sums)) {
        const auto packet = transport::parse_tile_sums(own->body);
        REQUIRE(packet);
        CHECK(packet->first_row == 0);
        CHECK(packet->rows == 4);
        CHECK(datagram.size() == 32);
        ++sums;
      } else {
        ++others;
      }
    }) > 0) {
    }
    CHECK(others >= 41);
    return sums;
  };
  const size_t in_the_clear = sums_of("rtp://127.0.0.1:0", nullptr);
  CHECK(in_the_clear >= 4);  // of frames 0, 10, 20, 30; those of the last one may accompany it, or be omitted
  CHECK(in_the_clear <= 5);
  CHECK(sums_of("rtp://127.0.0.1:0", transport::WireKeys::of({std::byte{7}}, {})) == 0);
}
