// A stream whose description changes while it runs, over real sockets: what receivers get.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../patience.h"
#include "live/auto_reset_event.h"
#include "live/destinations.h"
#include "live/receiving_thread.h"
#include "stream/texture_sender.h"
#include "texcast/error.h"
#include "transport/wire_keys.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

// Blocks of any format, whose bytes differ from frame to frame and from place to place.
std::vector<std::byte> blocks_of(const TextureDesc& desc, int number) {
  std::vector<std::byte> blocks(texture_layout(desc).total_bytes);
  uint32_t state = static_cast<uint32_t>(number) * 2654435761U + 1;
  for (std::byte& b : blocks) b = static_cast<std::byte>((state = state * 1664525U + 1013904223U) >> 24);
  return blocks;
}

using test::kPatience;

// One receiver, and what it received in order.
class Listener {
 public:
  explicit Listener(std::shared_ptr<const transport::WireKeys> keys = {}) : pool_(24) {
    auto source = std::make_unique<UdpDatagrams>(transport::resolve_address("rtp://127.0.0.1:0", true));
    port_ = source->port();
    thread_ = std::make_unique<ReceivingThread>(
        std::move(source), pool_, [this](const FrameRef& frame, double) { take(frame); },
        transport::ReceiveSettings{.frame_timeout = kPatience, .keys = std::move(keys)});
  }
  std::string url() const { return "rtp://127.0.0.1:" + std::to_string(port_); }
  struct Came {
    TextureDesc desc{};
    std::vector<std::byte> blocks{};
    bool concealed = false;
  };
  std::vector<Came> wait_for(size_t frames) {
    for (const SteadyTime limit = steady_now() + kPatience; steady_now() < limit; std::this_thread::sleep_for(1ms)) {
      const std::lock_guard lock(mutex_);
      if (came_.size() >= frames) break;
    }
    const std::lock_guard lock(mutex_);
    return came_;
  }
  size_t frames() {
    const std::lock_guard lock(mutex_);
    return came_.size();
  }
  StreamStatus status() const { return thread_->status(); }

 private:
  void take(const FrameRef& frame) {
    const std::lock_guard lock(mutex_);
    came_.push_back({frame->desc, {frame->blocks.begin(), frame->blocks.end()}, frame->concealed});
  }
  BlockPool pool_;
  uint16_t port_ = 0;
  std::mutex mutex_;
  std::vector<Came> came_;
  std::unique_ptr<ReceivingThread> thread_;  // last: it uses the above
};

// The sending end, whose sender is recreated at each change.
class Stream {
 public:
  Stream(const std::vector<std::string>& urls, SendSettings settings)
      : settings_(std::move(settings)),
        destinations_(urls, {}, true, IfExists::refuse, settings_.compact.on),
        identity_(new_identity(settings_)) {}
  void become(const TextureDesc& desc) {
    leave();
    desc_ = desc;
    sender_ = make_texture_sender(destinations_, settings_, desc_, progress_, identity_);
  }
  // Waits until everything was sent, and destroys the sender.
  void leave() {
    if (!sender_) return;
    while (!sender_->drained()) progress_.wait_until(steady_now() + 1s);
    identity_.so_far = sender_->status();
    sender_.reset();
  }
  void send(int number) {
    blocks_ = blocks_of(desc_, number);
    while (!sender_->drained()) progress_.wait_until(steady_now() + 1s);
    const WallTime now = wall_now();
    sender_->start({.texture = {desc_, blocks_}, .times = {.pts = number * 10ms, .available = now, .encoded = now}});
    while (!sender_->drained()) progress_.wait_until(steady_now() + 1s);
  }
  Destinations& destinations() { return destinations_; }
  SentStatus status() const { return sender_ ? sender_->status() : identity_.so_far; }
  SendSettings& settings() { return settings_; }

 private:
  SendSettings settings_;
  AutoResetEvent progress_;
  Destinations destinations_;
  StreamIdentity identity_;
  TextureDesc desc_{};
  std::vector<std::byte> blocks_;
  std::unique_ptr<TextureSender> sender_;
};

constexpr TextureDesc kFirst{.format = TextureFormat::bc1, .width = 320, .height = 180};
constexpr TextureDesc kOthers[] = {{.format = TextureFormat::ycocg_bc4_420, .width = 320, .height = 180},
                                   {.format = TextureFormat::bc1, .width = 200, .height = 333},
                                   {.format = TextureFormat::bc3, .width = 640, .height = 64},
                                   {.format = TextureFormat::bc1, .width = 320, .height = 180}};

SendSettings settings_of(bool compact, const std::shared_ptr<const transport::WireKeys>& keys) {
  SendSettings settings{.fps = 100};
  settings.spread = 0.1;
  settings.compact = {.on = compact, .threads = 0};
  settings.wire.fec = {.kind = transport::FecKind::automatic};
  settings.wire.answers_requests = true;
  if (!keys) return settings;
  settings.wire.crypto = transport::CryptoChoice::texcast;
  settings.wire.keys = keys;
  return settings;
}

}  // namespace

TEST_CASE("a stream changes its format and size: every frame arrives completely, from one sender") {
  for (const bool compact : {false, true})
    for (const bool sealed : {false, true}) {
      CAPTURE(compact);
      CAPTURE(sealed);
      const auto keys = sealed ? transport::WireKeys::of({std::byte{7}}, {}) : nullptr;
      Listener listener(keys);
      Stream stream({listener.url()}, settings_of(compact, keys));
      int sent = 0;
      std::vector<TextureDesc> expected;
      const auto send_some = [&](const TextureDesc& desc) {
        stream.become(desc);
        for (int i = 0; i < 3; ++i) {
          stream.send(sent++);
          expected.push_back(desc);
        }
      };
      send_some(kFirst);
      for (const TextureDesc& other : kOthers) send_some(other);
      stream.leave();

      const auto came = listener.wait_for(expected.size());
      const StreamStatus status = listener.status();
      CAPTURE(status.counters.late);
      CAPTURE(status.counters.frames_concealed);
      REQUIRE(came.size() == expected.size());
      for (size_t i = 0; i < came.size(); ++i) {
        CAPTURE(i);
        CHECK(came[i].desc == expected[i]);
        CHECK(came[i].blocks == blocks_of(expected[i], static_cast<int>(i)));
        CHECK_FALSE(came[i].concealed);
      }
      CHECK(status.counters.frames_lost == 0);
      CHECK(status.counters.lost == 0);
      // Packets that a busy machine sent late were requested, and arrive twice.
      if (status.counters.refused > 0) CHECK(status.refusal.why == transport::Refusal::replayed);
      CHECK(status.counters.foreign == 0);
      CHECK(stream.status().frames == expected.size());
      CHECK(stream.status().compact.has_value() == compact);
    }
}

TEST_CASE("a stream changes its parity and pacing") {
  Listener listener;
  Stream stream({listener.url()}, settings_of(false, nullptr));
  stream.become(kFirst);
  stream.send(0);
  stream.leave();
  const uint64_t with_parity = stream.status().packets;
  stream.settings().wire.fec = {};
  stream.settings().rate_bits_per_s = 50e6;
  stream.become(kFirst);
  stream.send(1);
  CHECK(stream.status().packets < 2 * with_parity);
  CHECK(stream.status().packets > with_parity);
  const auto came = listener.wait_for(2);
  REQUIRE(came.size() == 2);
  CHECK(came[1].blocks == blocks_of(kFirst, 1));
}

TEST_CASE("a destination is added to a stream, and removed") {
  for (const bool compact : {false, true}) {
    CAPTURE(compact);
    Listener first, second;
    Stream stream({first.url()}, settings_of(compact, nullptr));
    stream.become(kFirst);
    stream.send(0);
    CHECK_THROWS_AS(stream.destinations().add("pcap:nothing.pcap"), Error);
    CHECK_THROWS_AS(stream.destinations().add(first.url()), Error);
    CHECK_THROWS_AS(stream.destinations().remove(first.url()), Error);  // the only one
    CHECK_THROWS_AS(stream.destinations().remove(second.url()), Error);

    stream.leave();
    stream.destinations().add(second.url());
    stream.become(kFirst);
    stream.send(1);
    stream.send(2);
    const auto both = second.wait_for(2);
    REQUIRE(both.size() == 2);
    CHECK(both[0].blocks == blocks_of(kFirst, 1));  // completely, even in a coded stream
    CHECK(both[1].blocks == blocks_of(kFirst, 2));
    CHECK(first.wait_for(3).size() == 3);

    stream.leave();
    stream.destinations().remove(first.url());
    CHECK(stream.destinations().urls() == std::vector<std::string>{second.url()});
    stream.become(kFirst);
    stream.send(3);
    REQUIRE(second.wait_for(3).size() == 3);
    CHECK(first.frames() == 3);
  }
}
