// Damaged and forged payloads: truncated, with flipped bits, with wrong checks, of another stream.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>

#include "../tiny.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "textures.h"

using namespace texcast;
using namespace textures;

namespace {

// Two frames of a stream. The first one is decoded, the second one is to be damaged.
class Spoiled {
 public:
  Spoiled(const TextureDesc& desc, size_t payload_bytes)
      : encoder_(desc, {.most_slice_bytes = std::min<size_t>(payload_bytes - 22, 800)}, workers_),
        before_(photograph(desc, 0, 0)),
        truth_(photograph(desc, 2, 3)) {
    // Some tiles do not change.
    for (uint32_t tile = 0; tile < grid().tiles(); ++tile)
      if (tile % 3 == 1) copy_tile(grid(), tile, before_, truth_);
    compact::PayloadWriter writer(grid(), payload_bytes);
    // Raw, which is fast, as it is decoded again for every trial.
    first_ = copied(writer.write(encoder_.encode({.texture = before_, .most_due = 0})));
    std::vector<uint8_t> intra(grid().tiles());
    intra[0] = 1;
    payloads_ = copied(writer.write(encoder_.encode({.texture = truth_, .intra = intra})));
  }
  const compact::TileGrid& grid() const { return encoder_.grid(); }
  const Payloads& payloads() const { return payloads_; }
  const Texture& truth() const { return truth_; }
  const Texture& before() const { return before_; }

  struct Outcome {
    compact::DecodedCounts counts;
    int lies = 0;         // tiles that are marked as valid but are wrong
    int changed = 0;      // tiles that differ from the reference frame
    int unsignalled = 0;  // tiles that changed although no payload codes them
    uint32_t right = 0;
  };
  Outcome decode(const std::vector<Bytes>& payloads) {
    compact::FrameDecoder decoder(grid().texture(), workers_);
    Texture a(before_.size()), b(a.size());
    REQUIRE(decoder.decode(views(first_), nullptr, a).wrong == 0);
    Outcome outcome{.counts = decoder.decode(payloads, a.data(), b)};
    std::vector<uint8_t> coded(grid().tiles());
    for (const Bytes payload : payloads)
      (void)compact::parse_payload(
          grid(), payload, [](uint32_t, uint32_t) {}, [&](const auto& slice) { coded[slice.slice.tile] = 1; });
    const auto wrong = differing(grid(), b, truth_), changed = differing(grid(), b, before_);
    for (uint32_t tile = 0; tile < grid().tiles(); ++tile) {
      outcome.lies += decoder.right()[tile] != 0 && wrong[tile] != 0;
      outcome.changed += changed[tile];
      outcome.unsignalled += changed[tile] != 0 && coded[tile] == 0;
      outcome.right += decoder.right()[tile] != 0;
    }
    return outcome;
  }

 private:
  Workers workers_{0};
  compact::FrameEncoder encoder_;
  Texture before_, truth_;
  Payloads first_, payloads_;
};

const TextureDesc kDescs[] = {{.format = TextureFormat::bc1, .width = 200, .height = 70},
                              {.format = TextureFormat::ycocg_bc4_420, .width = 130, .height = 90},
                              {.format = TextureFormat::ycocg_dxt5_alpha, .width = 66, .height = 40}};

}  // namespace

TEST_CASE("undamaged payloads give valid tiles") {
  for (const TextureDesc& desc : kDescs) {
    Spoiled stream(desc, 600);
    const auto outcome = stream.decode(views(stream.payloads()));
    CHECK(outcome.counts.wrong == 0);
    CHECK(outcome.counts.passed > 0);
    CHECK(outcome.counts.intra + outcome.counts.plain > 0);
  }
}

TEST_CASE("truncated payloads never mark wrong tiles as valid") {
  for (const TextureDesc& desc : kDescs) {
    CAPTURE(name(desc.format));
    Spoiled stream(desc, 600);
    for (size_t i = 0; i < stream.payloads().size(); ++i)
      for (size_t length = 0; length < stream.payloads()[i].size(); length += length < 16 ? 1 : 13) {
        auto payloads = views(stream.payloads());
        payloads[i] = payloads[i].first(length);
        const auto outcome = stream.decode(payloads);
        REQUIRE(outcome.lies == 0);
        REQUIRE(outcome.unsignalled == 0);
        REQUIRE(outcome.counts.wrong + outcome.counts.unsure > 0);
      }
  }
}

TEST_CASE("payloads with flipped bits never mark wrong tiles as valid") {
  for (const TextureDesc& desc : kDescs) {
    CAPTURE(name(desc.format));
    Spoiled stream(desc, 600);
    std::mt19937 random(5);
    int spoiled = 0;
    const int trials = test::tiny_only() ? 300 : 1200;
    for (int trial = 0; trial < trials; ++trial) {
      CAPTURE(trial);
      auto payloads = stream.payloads();
      auto& payload = payloads[random() % payloads.size()];
      // Every other time outside of slices.
      const size_t room = trial % 2 == 0 ? payload.size() : std::min<size_t>(payload.size(), 12);
      for (auto bits = 1 + random() % 3; bits-- > 0;)
        payload[random() % room] ^= static_cast<std::byte>(1u << random() % 8);
      auto come = views(payloads);
      if (trial % 5 == 0) come.erase(come.begin() + random() % come.size());
      const auto outcome = stream.decode(come);
      REQUIRE(outcome.lies == 0);
      REQUIRE(outcome.unsignalled == 0);
      spoiled += outcome.counts.damaged + outcome.counts.disagreed > 0 ? 1 : 0;
    }
    CHECK(spoiled > 3 * trials / 4);
  }
}

TEST_CASE("the check covers every bit of a payload's records") {
  Spoiled stream(kDescs[0], 600);
  for (size_t i = 0; i < stream.payloads().size(); ++i)
    for (size_t bit = 0; bit < 12 * 8; ++bit) {
      auto payloads = stream.payloads();
      if (bit / 8 >= payloads[i].size()) continue;
      payloads[i][bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
      // The payload is the only one, so that no other one codes its tiles.
      const auto outcome = stream.decode({payloads[i]});
      CAPTURE(i);
      CAPTURE(bit);
      CHECK(outcome.counts.damaged + outcome.counts.disagreed > 0);
      CHECK(outcome.right == 0);
    }
}

TEST_CASE("a wrong check is detected, and no tile of its payload is valid") {
  Spoiled stream(kDescs[0], 600);
  for (size_t i = 0; i < stream.payloads().size(); ++i) {
    auto payloads = stream.payloads();
    payloads[i][4] ^= std::byte{0x40};
    const auto outcome = stream.decode(views(payloads));
    CHECK(outcome.counts.disagreed == 1);
    CHECK(outcome.counts.wrong > 0);
    CHECK(outcome.lies == 0);
  }
}

TEST_CASE("a decoder with a different reference frame detects it by the check") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 128, .height = 64};
  Workers workers(0);
  compact::FrameEncoder encoder(desc, {}, workers);
  compact::PayloadWriter writer(encoder.grid(), 1400);
  compact::FrameDecoder decoder(desc, workers);
  Texture a(encoder.grid().texture_bytes()), b(a.size());
  decoder.decode(writer.write(encoder.encode({.texture = photograph(desc, 0, 0)})), nullptr, a);
  // Flips only the highest bit of each block, which does not affect any other bit of a 64-bit product.
  for (size_t at = 7; at < a.size(); at += 8) a[at] ^= std::byte{0x80};
  const auto counts = decoder.decode(writer.write(encoder.encode({.texture = photograph(desc, 0, 4)})), a.data(), b);
  CHECK(counts.inter > 0);
  CHECK(counts.disagreed > 0);
}

TEST_CASE("blocks that differ only in their highest bits have different checks") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 64, .height = 32};
  const compact::TileGrid grid(desc);
  Texture texture = photograph(desc, 0, 0);
  const uint32_t check = compact::slice_check(grid, {}, texture.data());
  for (size_t first = 0; first < 16; ++first)
    for (size_t second = 0; second < 128; ++second) {
      Texture other = texture;
      other[first * 8 + 7] ^= std::byte{0x80};
      other[second * 8 + 7] ^= std::byte{0x80};
      CHECK((compact::slice_check(grid, {}, other.data()) == check) == (first == second));
    }
}

TEST_CASE("checks of several slices at once are those of each slice") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::bc5}) {
    const TextureDesc desc{.format = format, .width = 1000, .height = 90};  // tiles at the edges are smaller
    const compact::TileGrid grid(desc);
    const Texture texture = photograph(desc, 0, 0);
    std::mt19937 random(5);
    for (size_t count = 0; count <= compact::kChecksAtOnce; ++count) {
      std::vector<compact::Slice> slices(count);
      for (compact::Slice& slice : slices) {
        slice.tile = static_cast<uint32_t>(random() % grid.tiles());
        const uint32_t left = static_cast<uint32_t>(grid.across()) - slice.tile % static_cast<uint32_t>(grid.across());
        if (random() % 4 == 0)
          slice.sub_slices = 4, slice.sub_slice = static_cast<uint8_t>(random() % 4);
        else
          slice.tiles = static_cast<uint16_t>(1 + random() % std::min(left, 8u));
      }
      std::array<uint32_t, compact::kChecksAtOnce> checks{};
      compact::slice_checks(grid, slices, texture.data(), checks);
      for (size_t i = 0; i < count; ++i) CHECK(checks[i] == compact::slice_check(grid, slices[i], texture.data()));
    }
  }
}

TEST_CASE("random bytes are decoded in bounded time, and change only tiles that they code") {
  for (const TextureDesc& desc : kDescs) {
    Spoiled stream(desc, 600);
    std::mt19937 random(23);
    for (int trial = 0; trial < 300; ++trial) {
      Payloads payloads(1 + random() % 4);
      for (auto& payload : payloads) {
        payload.resize(random() % 300);
        for (auto& byte : payload) byte = static_cast<std::byte>(random() & 0xFF);
        if (payload.size() > 10) {
          payload[0] = static_cast<std::byte>(random() % stream.grid().tiles());
          payload[1] = payload[2] = std::byte{0};
          // A complete slice.
          payload[7] = static_cast<std::byte>((payload.size() - 10) & 0xFF);
          payload[8] = static_cast<std::byte>((payload.size() - 10) >> 8 | (random() % 4 == 0 ? 8 : 0));
          payload[9] = std::byte{0};
        }
      }
      const auto outcome = stream.decode(views(payloads));
      REQUIRE(outcome.lies == 0);
      REQUIRE(outcome.unsignalled == 0);
    }
  }
}

TEST_CASE("a damaged slice leaves the tile as in the reference frame") {
  for (const TextureDesc& desc : kDescs) {
    CAPTURE(name(desc.format));
    Spoiled stream(desc, 600);
    for (const auto& payload : stream.payloads()) {
      auto spoiled = payload;
      spoiled.back() ^= std::byte{0x11};  // the last word of its last coded slice, or of a record
      const auto outcome = stream.decode({spoiled});
      CHECK(outcome.counts.damaged + outcome.counts.disagreed == 1);
    }
    // A raw slice with one byte too many, and a truncated inter slice.
    for (const unsigned coding : {0u, 1u, 2u, 4u}) {
      Texture payload(7 + 3 + 9, std::byte{0x55});
      std::fill_n(payload.begin(), 7, std::byte{0});
      payload[7] = std::byte{9};
      payload[8] = static_cast<std::byte>(coding << 3);
      payload[9] = std::byte{0};
      const auto outcome = stream.decode({payload});
      CHECK(outcome.counts.damaged == 1);
      CHECK(outcome.changed == 0);
      CHECK(outcome.right == 0);
    }
  }
}

TEST_CASE("reserved codings and parts are errors, but their length is respected") {
  Spoiled stream(kDescs[0], 600);
  const auto whole = stream.payloads();
  for (unsigned coding = 3; coding <= 5; ++coding) {  // 3 and 4 are lossy slices, which these bytes are not
    CAPTURE(coding);
    auto payloads = whole;
    payloads[0][8] = static_cast<std::byte>((std::to_integer<unsigned>(payloads[0][8]) & ~0x38u) | coding << 3);
    const auto outcome = stream.decode(views(payloads));
    CHECK(outcome.counts.damaged == 1);
    CHECK(outcome.lies == 0);
    // The other payloads are unaffected.
    CHECK(outcome.right > 0);
  }
}
