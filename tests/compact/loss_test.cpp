// Lost payloads, from one to all but one: tiles that are marked as valid are.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "../tiny.h"
#include "capture_bound.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/intra_refresh.h"
#include "oracle.h"
#include "textures.h"

using namespace texcast;
using namespace textures;

namespace {

struct Frame {
  Texture texture;
  Payloads payloads;
  std::vector<std::vector<uint32_t>> tiles;  // the tiles that each payload codes
};

std::vector<Texture> moving(const TextureDesc& desc) {
  return {photograph(desc, 0, 0), photograph(desc, 2, 1), photograph(desc, 2, 5), photograph(desc, 2, 10)};
}

// A coded frame. An independent parser finds which payload codes which tiles.
Frame coded(compact::FrameEncoder& encoder, compact::PayloadWriter& writer, const Texture& texture,
            std::span<const uint8_t> intra = {}, std::span<const uint8_t> wrong = {}) {
  Frame frame{.texture = texture,
              .payloads = copied(writer.write(encoder.encode({.texture = texture, .intra = intra, .wrong = wrong}))),
              .tiles = {}};
  const oracle::Decoder oracle(encoder.grid().texture());
  for (const auto& payload : frame.payloads) {
    frame.tiles.emplace_back();
    for (const auto& slice : oracle.parse(payload).slices) frame.tiles.back().push_back(slice.tile);
  }
  return frame;
}

class Receiver {
 public:
  explicit Receiver(const compact::TileGrid& grid)
      : grid_(grid), decoder_(grid.texture(), workers_), shown_(grid.texture_bytes()), before_(shown_.size()) {}

  compact::DecodedCounts decode(const std::vector<Bytes>& payloads) {
    before_.swap(shown_);
    const auto counts = decoder_.decode(payloads, is_first_ ? nullptr : before_.data(), shown_);
    is_first_ = false;
    return counts;
  }
  // The number of tiles that are marked as valid but are wrong.
  int lies(const Texture& truth) const {
    const auto differs = differing(grid_, shown_, truth);
    int count = 0;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) count += decoder_.right()[tile] != 0 && differs[tile] != 0;
    return count;
  }
  std::span<const uint8_t> right() const { return decoder_.right(); }
  const Texture& shown() const { return shown_; }
  const Texture& before() const { return before_; }

 private:
  const compact::TileGrid& grid_;
  Workers workers_{0};
  compact::FrameDecoder decoder_;
  Texture shown_, before_;
  bool is_first_ = true;
};

}  // namespace

TEST_CASE("every payload can be decoded without the others") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::bc3}) {
    const TextureDesc desc{.format = format, .width = 250, .height = 120};
    CAPTURE(name(format));
    Workers workers(0);
    compact::FrameEncoder encoder(desc, {.most_slice_bytes = 500}, workers);
    compact::PayloadWriter writer(encoder.grid(), 700);
    const auto film = moving(desc);
    const Frame first = coded(encoder, writer, film[0]), second = coded(encoder, writer, film[1]);
    REQUIRE(second.payloads.size() > 3);
    for (size_t i = 0; i < second.payloads.size(); ++i) {
      Receiver receiver(encoder.grid());
      receiver.decode(views(first.payloads));
      const auto counts = receiver.decode({second.payloads[i]});
      CHECK(receiver.lies(second.texture) == 0);
      CHECK(counts.damaged == 0);
      CHECK(counts.disagreed == 0);
      // Exactly the tiles that it codes completely are new.
      for (uint32_t tile = 0; tile < encoder.grid().tiles(); ++tile) {
        const auto in = [&](size_t p) {
          return p < second.tiles.size() && std::ranges::count(second.tiles[p], tile) > 0;
        };
        const bool is_whole = in(i) && !(i > 0 && in(i - 1)) && !in(i + 1);
        CHECK((receiver.right()[tile] != 0) == is_whole);
        if (in(i)) continue;
        Texture untouched = receiver.before();
        copy_tile(encoder.grid(), tile, receiver.shown(), untouched);
        CHECK(untouched == receiver.before());
      }
    }
  }
}

TEST_CASE("with any loss tiles that are marked as valid are") {
  for (const TextureFormat format : cut_formats()) {
    const TextureDesc desc{.format = format, .width = 250, .height = 120};
    CAPTURE(name(format));
    Workers workers(0);
    compact::FrameEncoder encoder(desc, {.most_slice_bytes = 500}, workers);
    compact::PayloadWriter writer(encoder.grid(), 700);
    std::vector<Frame> stream;
    const auto film = moving(desc);
    for (size_t i = 0; i < 9; ++i) {
      // Some tiles are intra, in turn.
      std::vector<uint8_t> intra(encoder.grid().tiles());
      for (uint32_t tile = 0; tile < intra.size(); ++tile) intra[tile] = (tile + i) % 6 == 0;
      stream.push_back(coded(encoder, writer, i == 6 ? stream.back().texture : film[i % 4], intra));
    }
    std::mt19937 random(11);
    for (int trial = 0; trial < 9; trial += test::tiny_only() ? 4 : 1) {
      Receiver receiver(encoder.grid());
      int lies = 0;
      size_t said = 0, wrong = 0;
      for (const Frame& frame : stream) {
        std::vector<Bytes> come;
        for (const auto& payload : frame.payloads)
          if (random() % 12 >= static_cast<unsigned>(trial)) come.push_back(payload);
        std::ranges::shuffle(come, random);
        const auto counts = receiver.decode(come);
        lies += receiver.lies(frame.texture);
        CHECK(counts.damaged == 0);
        CHECK(counts.disagreed == 0);
        said += std::ranges::count(receiver.right(), uint8_t{1});
        wrong += counts.wrong;
        CHECK(counts.wrong + counts.unsure + std::ranges::count(receiver.right(), uint8_t{1}) ==
              encoder.grid().tiles());
      }
      CHECK(lies == 0);
      if (trial < 4) CHECK(said > 0);
      CHECK((wrong == 0) == (trial == 0));
    }
  }
}

TEST_CASE("intra tiles repair lost ones") {
  const TextureDesc desc{.format = TextureFormat::ycocg_dxt5, .width = 250, .height = 120};
  Workers workers(0);
  compact::FrameEncoder encoder(desc, {.most_slice_bytes = 800}, workers);
  compact::PayloadWriter writer(encoder.grid(), 1000);
  const auto film = moving(desc);
  Receiver receiver(encoder.grid());
  receiver.decode(views(coded(encoder, writer, film[0]).payloads));
  Frame frame = coded(encoder, writer, film[1]);
  auto come = views(frame.payloads);
  come.erase(come.begin() + 1);
  CHECK(receiver.decode(come).unsure > 0);
  // The errors propagate to tiles that reference them …
  frame = coded(encoder, writer, film[2]);
  const auto spread = receiver.decode(views(frame.payloads));
  CHECK(spread.wrong > 0);
  CHECK(receiver.lies(frame.texture) == 0);
  // … remain where nothing is coded …
  frame = coded(encoder, writer, film[2]);
  CHECK(receiver.decode(views(frame.payloads)).wrong == spread.wrong);
  CHECK(receiver.lies(frame.texture) == 0);
  // … and disappear when exactly these tiles are intra.
  std::vector<uint8_t> intra;
  for (const uint8_t right : receiver.right()) intra.push_back(right == 0);
  frame = coded(encoder, writer, film[2], intra);
  const auto counts = receiver.decode(views(frame.payloads));
  CHECK(counts.repaired == spread.wrong);
  CHECK(counts.wrong == 0);
  CHECK(receiver.shown() == film[2]);
}

TEST_CASE("tiles that are repaired during motion do not make others wrong") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 640, .height = 360};
  for (const bool is_signalled : {true, false}) {
    Workers workers(0);
    compact::FrameEncoder encoder(desc, {.most_slice_bytes = 800}, workers);
    compact::PayloadWriter writer(encoder.grid(), 1000);
    Receiver receiver(encoder.grid());
    receiver.decode(views(coded(encoder, writer, photograph(desc, 0, 0)).payloads));
    const Frame lossy = coded(encoder, writer, photograph(desc, 2, 1));
    REQUIRE(lossy.payloads.size() > 20);
    auto come = views(lossy.payloads);
    come.erase(come.begin() + 2);
    receiver.decode(come);
    std::vector<uint8_t> wrong;
    for (const uint8_t right : receiver.right()) wrong.push_back(right == 0);
    REQUIRE(std::ranges::count(wrong, 1) > 0);
    const Frame frame =
        coded(encoder, writer, photograph(desc, 4, 2), wrong, is_signalled ? wrong : std::vector<uint8_t>());
    const auto counts = receiver.decode(views(frame.payloads));
    CHECK((counts.wrong == 0) == is_signalled);
    CHECK(receiver.lies(frame.texture) == 0);
    if (is_signalled) CHECK(receiver.shown() == frame.texture);
    // If nothing is wrong the bytes are the same.
    CHECK(std::ranges::count(wrong, 1) < 20);
    CHECK(counts.inter > 60);
  }
}

TEST_CASE("a receiver without requests has all tiles valid after a refresh cycle, also during motion") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 320, .height = 160};  // 5 x 5 tiles
  Workers workers(0);
  for (const auto& [dx, dy] : {std::pair(3, 2), {-5, 4}, {0, -4}, {40, -33}}) {
    CAPTURE_BOUND(dx);
    CAPTURE_BOUND(dy);
    compact::FrameEncoder encoder(desc, {}, workers);
    compact::PayloadWriter writer(encoder.grid(), 1400);
    compact::IntraRefresh plan(encoder.grid(), {.refresh_frames = 10});
    Receiver receiver(encoder.grid());
    for (int i = 0; i < 24; ++i) {
      CAPTURE(i);
      const Texture texture = photograph(desc, 200 + i * dx, 200 + i * dy);
      const auto intra = plan.next();
      const auto slices =
          encoder.encode({.texture = texture, .intra = intra, .wrong = plan.repaired(), .refreshed = plan.refreshed()});
      const auto payloads = writer.write(slices, i > 0 ? &plan.history() : nullptr);
      plan.coded(slices);
      if (i < 3) continue;  // it joins during the first cycle
      receiver.decode({payloads.begin(), payloads.end()});
      CHECK(receiver.lies(texture) == 0);
      // In the second cycle tiles that were refreshed remain valid.
      if (i >= 10) CHECK(std::ranges::count(receiver.right().first(plan.refreshed()), uint8_t{1}) == plan.refreshed());
      if (i >= 19) CHECK(receiver.shown() == texture);
    }
    CHECK(plan.counts().repair_bytes == 0);
  }
}

TEST_CASE("duplicate payloads are no errors, and have no effect") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 250, .height = 120};
  Workers workers(0);
  compact::FrameEncoder encoder(desc, {.most_slice_bytes = 500}, workers);
  compact::PayloadWriter writer(encoder.grid(), 700);
  Receiver receiver(encoder.grid());
  for (const Texture& texture : {photograph(desc, 0, 0), photograph(desc, 1, 1), photograph(desc, 1, 1)}) {
    const Frame frame = coded(encoder, writer, texture);
    auto come = views(frame.payloads);
    const auto once = come;
    come.insert(come.begin() + 1, once.begin(), once.end());
    const auto counts = receiver.decode(come);
    CHECK(counts.wrong == 0);
    CHECK(counts.disagreed == 0);
    CHECK(receiver.shown() == texture);
  }
}

TEST_CASE("after lose() no tile is valid until it is intra") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 100, .height = 60};
  Workers workers(0);
  compact::FrameEncoder encoder(desc, {}, workers);
  compact::PayloadWriter writer(encoder.grid(), 1400);
  compact::FrameDecoder decoder(desc, workers);
  Texture a(encoder.grid().texture_bytes()), b(a.size());
  decoder.decode(views(coded(encoder, writer, photograph(desc, 0, 0)).payloads), nullptr, a);
  decoder.lose();
  CHECK(decoder.decode(views(coded(encoder, writer, photograph(desc, 0, 0)).payloads), a.data(), b).wrong ==
        encoder.grid().tiles());
  CHECK(decoder.decode(views(coded(encoder, writer, photograph(desc, 1, 0)).payloads), b.data(), a).wrong ==
        encoder.grid().tiles());
  encoder.forget();
  CHECK(decoder.decode(views(coded(encoder, writer, photograph(desc, 1, 0)).payloads), a.data(), b).wrong == 0);
  // Without a reference frame, inter tiles are invalid, but they are not errors.
  const auto counts = decoder.decode(views(coded(encoder, writer, photograph(desc, 2, 0)).payloads), nullptr, a);
  CHECK(counts.wrong == encoder.grid().tiles());
  CHECK(counts.damaged == 0);
}
