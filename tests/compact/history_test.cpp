// The change history: a receiver that lost payloads or whole frames learns from it which tiles are still valid.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "../tiny.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/intra_refresh.h"
#include "textures.h"

using namespace texcast;
using namespace textures;

namespace {

constexpr TextureDesc kDesc{.format = TextureFormat::bc1, .width = 640, .height = 320};  // 10 x 10 tiles

// The sender of a picture in which a few tiles change from frame to frame.
class CountingSender {
 public:
  CountingSender() : encoder_(kDesc, {}, workers_), refresh_(encoder_.grid(), {}), writer_(encoder_.grid(), 1100) {
    texture_ = photograph(kDesc, 0, 0);
  }
  const compact::TileGrid& grid() const { return encoder_.grid(); }
  const Texture& texture() const { return texture_; }
  void change(uint32_t tile, uint32_t seed) { copy_tile(grid(), tile, noise(kDesc, seed), texture_); }
  Payloads send() {
    const auto slices = encoder_.encode({.texture = texture_, .intra = refresh_.next()});
    Payloads payloads = copied(writer_.write(slices, &refresh_.history()));
    refresh_.coded(slices);
    return payloads;
  }
  compact::IntraRefresh& refresh() { return refresh_; }

 private:
  Workers workers_{0};
  compact::FrameEncoder encoder_;
  compact::IntraRefresh refresh_;
  compact::PayloadWriter writer_;
  Texture texture_;
};

class LossyReceiver {
 public:
  explicit LossyReceiver(const compact::TileGrid& grid)
      : grid_(grid), decoder_(kDesc, workers_), shown_(grid.texture_bytes()), before_(shown_.size()) {}
  compact::DecodedCounts take(const Payloads& payloads) {
    before_.swap(shown_);
    const auto counts = decoder_.decode(views(payloads), is_first_ ? nullptr : before_.data(), shown_, missing_);
    is_first_ = false;
    missing_ = 0;
    return counts;
  }
  void miss() { ++missing_; }
  const compact::FrameDecoder& decoder() const { return decoder_; }
  int lies(const Texture& truth) const {
    const auto differs = differing(grid_, shown_, truth);
    int count = 0;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) count += decoder_.right()[tile] != 0 && differs[tile] != 0;
    return count;
  }

 private:
  const compact::TileGrid& grid_;
  Workers workers_{0};
  compact::FrameDecoder decoder_;
  Texture shown_, before_;
  uint64_t missing_ = 0;
  bool is_first_ = true;
};

}  // namespace

TEST_CASE("after a frame was lost completely, exactly the tiles that it changed are invalid") {
  for (const int lost : {1, 2, 3}) {
    CAPTURE(lost);
    CountingSender sender;
    LossyReceiver receiver(sender.grid());
    receiver.take(sender.send());
    for (int i = 0; i < lost; ++i) {
      sender.change(static_cast<uint32_t>(11 * i + 5), static_cast<uint32_t>(i));
      sender.send();
      receiver.miss();
    }
    const auto counts = receiver.take(sender.send());
    CHECK(counts.wrong == static_cast<uint32_t>(lost));
    CHECK(counts.unsure == 0);
    for (int i = 0; i < lost; ++i) CHECK(receiver.decoder().right()[static_cast<size_t>(11 * i + 5)] == 0);
    CHECK(receiver.lies(sender.texture()) == 0);
  }
  CountingSender sender;  // the history does not describe older frames
  LossyReceiver receiver(sender.grid());
  receiver.take(sender.send());
  for (int i = 0; i < 4; ++i) {
    sender.send();
    receiver.miss();
  }
  CHECK(receiver.take(sender.send()).wrong == sender.grid().tiles());
}

TEST_CASE("a damaged history is ignored, whichever of its bits is wrong") {
  CountingSender sender;
  const Payloads first = sender.send();
  for (const uint32_t tile : {5u, 16u, 17u, 97u}) sender.change(tile, tile);
  sender.send();  // lost
  for (const uint32_t tile : {60u, 70u}) sender.change(tile, tile);
  const Payloads next = sender.send();
  REQUIRE(next.size() > 1);  // if the first one is damaged none of its tiles is valid, but all of the others' are
  const size_t length = (load_u8(next[0], 7) | load_u8(next[0], 8) << 8) & 0x7FF;
  REQUIRE((load_u8(next[0], 8) >> 3 & 7) == 6);
  REQUIRE(length > 6);
  for (size_t bit = 0; bit <= length * 8; ++bit) {
    CAPTURE(bit);
    Payloads come = next;
    if (bit < length * 8) come[0][10 + bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    LossyReceiver receiver(sender.grid());
    receiver.take(first);
    receiver.miss();
    const auto counts = receiver.take(come);
    CHECK(receiver.lies(sender.texture()) == 0);
    CHECK((counts.wrong == 4) == (bit == length * 8));
    CHECK(counts.damaged + counts.disagreed == (bit < length * 8));
  }
}

TEST_CASE("a lost payload leaves its tiles uncertain for one frame; then those that it changed are invalid") {
  CountingSender sender;
  LossyReceiver receiver(sender.grid());
  receiver.take(sender.send());
  for (const uint32_t tile : {3u, 50u, 97u}) sender.change(tile, tile);
  Payloads payloads = sender.send();
  REQUIRE(payloads.size() > 2);
  payloads.pop_back();  // tile 97 and its neighbours
  auto counts = receiver.take(payloads);
  CHECK(counts.wrong == 0);
  CHECK(counts.unsure > 1);
  CHECK(counts.unsure == counts.concealed);
  CHECK(receiver.decoder().unsure()[97] != 0);
  CHECK(receiver.decoder().right()[97] == 0);

  counts = receiver.take(sender.send());
  CHECK(counts.unsure == 0);
  CHECK(counts.wrong == 1);
  CHECK(receiver.decoder().right()[97] == 0);
  CHECK(receiver.lies(sender.texture()) == 0);

  // Requested tiles are intra, and valid again.
  const std::vector<compact::TileRange> requested{{97, 1}};
  sender.refresh().request(2, requested, false);
  CHECK(receiver.take(sender.send()).wrong == 0);
  CHECK(receiver.lies(sender.texture()) == 0);
}

TEST_CASE("with any loss no wrong tile is marked as valid, and requests repair it") {
  std::mt19937 random(5);
  const auto chance = [&](int percent) { return static_cast<int>(random() % 100) < percent; };
  uint64_t resolved = 0;
  for (int stream = 0; stream < 12; stream += test::tiny_only() ? 3 : 1) {
    CountingSender sender;
    LossyReceiver receiver(sender.grid());
    receiver.take(sender.send());
    uint32_t unsure = 0;
    for (uint64_t frame = 1; frame < 60; ++frame) {
      for (int i = 0; i < stream; ++i)
        if (chance(30))
          sender.change(static_cast<uint32_t>(random() % sender.grid().tiles()), static_cast<uint32_t>(random()));
      Payloads payloads = sender.send();
      if (chance(10)) {
        receiver.miss();
        continue;
      }
      std::erase_if(payloads, [&](const auto&) { return chance(15); });
      if (payloads.empty()) {
        receiver.miss();
        continue;
      }
      const auto counts = receiver.take(payloads);
      CHECK(receiver.lies(sender.texture()) == 0);
      CHECK(counts.damaged == 0);
      CHECK(counts.disagreed == 0);
      if (unsure > counts.wrong + counts.unsure) ++resolved;
      unsure = counts.unsure;
      std::vector<compact::TileRange> requested;
      for (uint32_t tile = 0; tile < sender.grid().tiles(); ++tile)
        if (receiver.decoder().right()[tile] == 0 && receiver.decoder().unsure()[tile] == 0)
          requested.push_back({tile, 1});
      if (!requested.empty() && chance(70)) sender.refresh().request(frame, requested, false);
    }
    // Without further loss all tiles become valid, as fast as the budget for repairs allows.
    std::vector<compact::TileRange> requested{{0, 1}};
    for (uint64_t frame = 60; frame < 400 && !requested.empty(); ++frame) {
      receiver.take(sender.send());
      requested.clear();
      for (uint32_t tile = 0; tile < sender.grid().tiles(); ++tile)
        if (receiver.decoder().right()[tile] == 0) requested.push_back({tile, 1});
      if (!requested.empty()) sender.refresh().request(frame, requested, false);
    }
    CHECK(std::ranges::count(receiver.decoder().right(), 1) == sender.grid().tiles());
    CHECK(receiver.lies(sender.texture()) == 0);
  }
  CHECK(resolved > 20);
}
