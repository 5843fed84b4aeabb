// A desktop's cursor from a sender to a receiver: when it is sent, and what is received.
#include "live/cursor_sender.h"

#include <doctest/doctest.h>

#include <mutex>
#include <thread>
#include <vector>

#include "../patience.h"
#include "../times.h"
#include "live/auto_reset_event.h"
#include "live/destinations.h"
#include "live/receiving_thread.h"
#include "stream/texture_sender.h"
#include "transport/wire_keys.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

std::shared_ptr<const CursorShape> noise(int width, int height, uint32_t seed) {
  auto shape = std::make_shared<CursorShape>(CursorShape{.width = width, .height = height, .hot_x = 1, .hot_y = 2});
  for (int i = 0; i < width * height; ++i) shape->texels.push_back(seed = seed * 1664525U + 1013904223U);
  return shape;
}

class Seen final : public ReceptionEvents {
 public:
  void on_cursor(const Cursor& cursor) override {
    const std::lock_guard lock(mutex_);
    cursors_.push_back(cursor);
  }
  Cursor last() {
    const std::lock_guard lock(mutex_);
    return cursors_.empty() ? Cursor{} : cursors_.back();
  }

 private:
  std::mutex mutex_;
  std::vector<Cursor> cursors_;
};

}  // namespace

TEST_CASE("a cursor is sent at once, not more often than visible, and repeated for receivers that lost it") {
  CursorSender sender(7, nullptr);
  SteadyTime now{1s};
  CHECK_FALSE(sender.next_deadline(now));
  CHECK(sender.packets(now, {}).empty());
  Cursor cursor{.visible = true, .x = 1, .y = 2, .shape = noise(16, 16, 1)};
  sender.show(cursor, {});
  CHECK(sender.next_deadline(now) == now);
  CHECK(sender.packets(now, {}).size() == 1 + 2);  // a kilobyte of noise and zstd's overhead: two parts
  // A mouse that moves a thousand times a second.
  size_t said = 0;
  for (int i = 0; i < 1000; ++i) {
    cursor.x = i;
    sender.show(cursor, {});
    said += sender.packets(now += 1ms, {}).size();
  }
  CHECK(said == 250);
  // At rest: repeated soon, with the image, and then now and then.
  std::vector<SteadyTime> times;
  for (SteadyTime due; times.size() < 5; times.push_back(due)) {
    due = *sender.next_deadline(now);
    CHECK(sender.packets(due - 1ns, {}).empty());
    CHECK(sender.packets(due, {}).size() == 3);
  }
  CHECK(times[1] - times[0] == 100ms);
  CHECK(times[2] - times[1] == 500ms);
  CHECK(times[4] - times[3] == 500ms);
  sender.show(cursor, {});  // unchanged
  CHECK(sender.next_deadline(times[4]) == times[4] + 500ms);
  sender.repeat();  // a receiver has joined
  CHECK(sender.next_deadline(times[4] + 50ms) == times[4] + 50ms);
  CHECK(sender.packets(times[4] + 50ms, {}).size() == 3);
  CHECK(sender.packets(times[4] + 51ms, {}).empty());
}

TEST_CASE("cursor images survive transmission, and invalid ones are refused") {
  for (const auto& shape : {noise(2, 3, 1), noise(24, 40, 2), noise(200, 256, 3)}) {
    const auto bytes = packed(*shape);
    REQUIRE(!bytes.empty());
    transport::CursorShapePacket packet{.width = static_cast<uint16_t>(shape->width),
                                        .height = static_cast<uint16_t>(shape->height),
                                        .hot_x = 1,
                                        .hot_y = 2,
                                        .bytes = bytes};
    const auto back = unpacked(packet);
    REQUIRE(back);
    CHECK(back->texels == shape->texels);
    packet.width = static_cast<uint16_t>(shape->width + 1);
    CHECK_FALSE(unpacked(packet));
    packet.bytes = Bytes(bytes).first(bytes.size() / 2);
    CHECK_FALSE(unpacked(packet));
  }
  CHECK(packed(*noise(257, 3, 1)).empty());
  CHECK(packed(CursorShape{.width = 1, .height = 1, .hot_x = 1, .texels = {0}}).empty());
}

TEST_CASE("a cursor accompanies a stream, sealed or not, and is visible without a frame") {
  for (const bool sealed : {false, true})
    for (const bool compact : {false, true}) {
      CAPTURE(sealed);
      CAPTURE(compact);
      const auto keys = sealed ? transport::WireKeys::of({std::byte{7}}, {}) : nullptr;
      auto source = std::make_unique<UdpDatagrams>(transport::resolve_address("rtp://127.0.0.1:0", true));
      const std::string url = "rtp://127.0.0.1:" + std::to_string(source->port());
      BlockPool pool(24);
      Seen seen;
      ReceivingThread receiver(
          std::move(source), pool, [](const FrameRef&, double) {}, {.keys = keys}, {}, &seen);

      SendSettings settings{.fps = 60};
      settings.compact = {.on = compact, .threads = 0};
      if (sealed) {
        settings.wire.crypto = transport::CryptoChoice::texcast;
        settings.wire.keys = keys;
      }
      Destinations destinations({url}, {}, true, IfExists::refuse, compact);
      AutoResetEvent progress;
      const StreamIdentity identity = new_identity(settings);
      destinations.carry_cursor(identity.numbers->ssrc(), identity.sealer);
      constexpr TextureDesc kDesc{.format = TextureFormat::bc1, .width = 64, .height = 32};
      // Read until the sender is idle or destroyed.
      const std::vector<std::byte> blocks(texture_layout(kDesc).total_bytes);
      const auto sender = make_texture_sender(destinations, settings, kDesc, progress, identity);
      sender->start({.texture = {kDesc, blocks}, .times = {.available = wall_now(), .encoded = wall_now()}});

      Cursor cursor{.visible = true, .shape = noise(32, 32, 5)};
      const auto comes = [&] {
        for (const SteadyTime limit = steady_now() + test::kPatience; steady_now() < limit;
             std::this_thread::sleep_for(1ms)) {
          const Cursor now = seen.last();
          if (now.x == cursor.x && now.visible == cursor.visible && now.shape) return now.shape->texels;
        }
        return std::vector<uint32_t>{};
      };
      for (int i = 1; i <= 3; ++i) {
        cursor.x = 10 * i;
        destinations.show_cursor(cursor, wall_now());
        CHECK(comes() == cursor.shape->texels);
      }
      cursor.shape = noise(8, 8, 6);
      cursor.x = -1;
      destinations.show_cursor(cursor, wall_now());
      CHECK(comes() == cursor.shape->texels);
      CHECK(receiver.status().counters.foreign == 0);
    }
}
