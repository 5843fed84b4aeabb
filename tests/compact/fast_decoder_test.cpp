// The fast decoder gives for any bytes what the plain one gives, which is the definition.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "both_decoders.h"
#include "compact/frame_encoder.h"
#include "compact/sub_block.h"
#include "cut_formats.h"
#include "lossless_slice_encoder.h"
#include "textures.h"
#include "tiny.h"

namespace texcast::compact {
namespace {

using Random = std::mt19937_64;
using Texture = std::vector<std::byte>;

// Blocks that are like each other, as a picture's are, so that all of the syntax comes.
Texture picture(const TileGrid& grid, Random& random) {
  Texture texture(grid.texture_bytes());
  std::vector<uint64_t> some(24);
  for (auto& half : some) half = random();
  for (size_t at = 0; at < texture.size(); at += 8) {
    uint64_t half = some[random() % some.size()];
    if (random() % 2 == 0) half ^= (random() & random() & random()) << 32;
    if (random() % 4 == 0) half = (half & 0xFFFFFFFF) | (random() % 2 == 0 ? 0 : 0x5555555500000000);
    store_sub_block(texture.data() + at, half);
  }
  return texture;
}

// What comes after it: some as it was, some moved, some a little different, some new.
Texture next_picture(const Texture& before, Random& random) {
  Texture texture = before;
  const size_t halves = texture.size() / 8;
  for (size_t i = 0; i < halves; ++i) {
    uint64_t half = load_sub_block(&before[i * 8]);
    switch (random() % 8) {
      case 0: half = load_sub_block(&before[(i + 3) % halves * 8]); break;
      case 1: half ^= uint64_t{1} << random() % 64; break;
      case 2: half ^= random() & random() & random() & random(); break;
      case 3: half += random() % 5; break;
      case 4: half = random() % 3 == 0 ? random() : half; break;
      default: break;
    }
    store_sub_block(&texture[i * 8], half);
  }
  return texture;
}

constexpr TextureFormat kFormats[] = {TextureFormat::bc1, TextureFormat::bc5, TextureFormat::ycocg_dxt5,
                                      TextureFormat::ycocg_bc4_420};

std::array<MotionVector, 8> random_vectors(Random& random) {
  std::array<MotionVector, 8> vectors{};
  for (MotionVector& v : vectors) {
    const int size = random() % 8 == 0 ? 300 : 9;
    if (random() % 3 != 0)
      v = {static_cast<int>(random() % (2 * size)) - size, static_cast<int>(random() % (2 * size)) - size};
    if (random() % 3 == 0) v = {v.x & ~3, v.y & ~3};
  }
  return vectors;
}

TEST_CASE("both decoders give the same half-blocks") {
  for (const auto format : kFormats) {
    const TileGrid grid({.format = format, .width = 150, .height = 83});
    Random random(7);
    LosslessSliceEncoder encoder;
    std::vector<std::byte> memory(20000);
    Texture before = picture(grid, random);
    for (int frame = 0; frame < 6; ++frame) {
      const Texture now = next_picture(before, random);
      std::vector<SubBlockIndex> places;
      for (int i = 0; i < grid.component_count(); ++i) {
        const Component& component = grid.component(i);
        places.emplace_back(component);
        for (int y = 0; y < component.blocks_y; ++y)
          for (int x = 0; x < component.blocks_x; ++x)
            places.back().put(load_sub_block(before.data() + component.at(x, y)), x, y);
      }
      std::vector<uint8_t> right(grid.tiles(), 1);
      if (frame % 2 == 1)
        for (auto& r : right) r = random() % 8 != 0;
      for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
        for (const int sub_slices : {1, 4}) {
          const Slice slice{tile, static_cast<uint8_t>(sub_slices), static_cast<uint8_t>(sub_slices - 1)};
          const bool intra = frame == 3;
          const auto vectors = random_vectors(random);
          const Reference reference =
              intra ? Reference{} : Reference{.texture = before.data(), .places = places.data(), .vectors = vectors};
          const size_t used = encoder.encode(grid, slice, now.data(), reference, memory);
          REQUIRE(used > 0);
          const Bytes coded = Bytes(memory).subspan(memory.size() - used);
          bool decoded = false;
          CHECK(agree({grid, slice, coded, false, intra ? nullptr : before.data(), before, right}, decoded));
          CHECK(decoded);
        }
      }
      before = now;
    }
  }
}

// A vector of a pixel or two reads one column or row of the tile beside: that one is all that may be wrong.
TEST_CASE("both decoders tell of every tile that a unit reads") {
  const TileGrid grid({.format = TextureFormat::bc1, .width = 192, .height = 96});
  Random random(5);
  LosslessSliceEncoder encoder;
  std::vector<std::byte> memory(20000);
  const Texture before = picture(grid, random), now = next_picture(before, random);
  const Slice slice{.tile = 4};
  bool found_wrong = false;
  for (const MotionVector v : {MotionVector{1, 0}, MotionVector{-1, 0}, MotionVector{0, 2}, MotionVector{0, -2},
                               MotionVector{3, 3}, MotionVector{0, 0}}) {
    const std::array<MotionVector, 8> vectors{v, v, v, v, v, v, v, v};
    const size_t used = encoder.encode(grid, slice, now.data(), {.texture = before.data(), .vectors = vectors}, memory);
    for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
      std::vector<uint8_t> right(grid.tiles(), 1);
      right[tile] = 0;
      bool decoded = false;
      const SliceToDecode what{grid, slice, Bytes(memory).last(used), false, before.data(), before, right};
      CHECK(agree(what, decoded));
      found_wrong = found_wrong || (tile != slice.tile && !outcome(decode_slice_plainly, what).all_right);
    }
  }
  CHECK(found_wrong);
}

TEST_CASE("both decoders say the same of damaged bytes") {
  for (const auto format : kFormats) {
    const TileGrid grid({.format = format, .width = 150, .height = 83});
    Random random(11);
    LosslessSliceEncoder encoder;
    std::vector<std::byte> memory(20000);
    const Texture before = picture(grid, random), now = next_picture(before, random);
    const std::vector<uint8_t> right(grid.tiles(), 1);
    const auto vectors = random_vectors(random);
    size_t decoded_ones = 0, differ = 0;
    for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
      const Slice slice{.tile = tile};
      const size_t used =
          encoder.encode(grid, slice, now.data(), {.texture = before.data(), .vectors = vectors}, memory);
      for (int n = 0; n < 150; ++n) {
        const auto bytes = damaged(Bytes(memory).last(used), n, random);
        bool decoded = false;
        differ += !agree({grid, slice, bytes, false, n % 5 == 0 ? nullptr : before.data(), before, right}, decoded);
        decoded_ones += decoded;
      }
    }
    CHECK(differ == 0);
    CHECK(decoded_ones > 0);  // some of what was only longer by nothing
  }
}

// A photograph that moves; in one corner everything is new.
std::vector<Texture> moving_pictures(const TextureDesc& desc) {
  std::vector<Texture> frames;
  for (int i = 0; i < 4; ++i) {
    frames.push_back(textures::photograph(desc, i * 5, i * 3));
    if (i > 0) textures::copy_tile(TileGrid(desc), 0, textures::photograph(desc, 300 + 50 * i, 200), frames.back());
  }
  return frames;
}

// As an encoder of streams has it: runs of tiles where little is told, strips where much is. call(unit, frame before,
// what of the frame was there before the unit).
template <typename Call>
void for_each_lossy_unit(const TextureDesc& desc, std::span<const Texture> frames, double crf, const Call& call) {
  Workers workers(0);
  FrameEncoder encoder(desc, {.most_slice_bytes = 400, .lossy = true}, workers);
  const TileGrid& grid = encoder.grid();
  Texture before, now(grid.texture_bytes());
  std::vector<uint8_t> intra(grid.tiles());
  for (const Texture& frame : frames) {
    before = now;
    for (const CodedSlice& slice : encoder.encode({.texture = frame, .intra = intra, .target = rd_parameters(crf)})) {
      if (slice.coding == Coding::raw) {
        size_t used = 0;
        grid.for_each_sub_block(slice.slice, [&](size_t at) {
          std::copy_n(&slice.bytes[used], 8, &now[at]);
          used += 8;
        });
        continue;
      }
      call(slice, before, now);
      REQUIRE(decode_slice_plainly(grid, slice.slice, slice.bytes, is_lossy(slice.coding),
                                   is_intra(slice.coding) ? nullptr : before.data(), now.data(), nullptr));
    }
    intra[grid.tiles() / 2] = 1;
  }
}

std::vector<TextureFormat> lossy_formats() {
  auto formats = textures::cut_formats();
  std::erase_if(formats, [](TextureFormat format) { return !TileGrid::can_be_lossy(format); });
  return formats;
}

TEST_CASE(
    "both decoders give the same half-blocks of lossy units, in every format, and say the same of damaged bytes") {
  for (const auto format : lossy_formats()) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 275, .height = 77};
    const TileGrid grid(desc);
    const auto frames = moving_pictures(desc);
    Random random(13);
    size_t runs = 0, sub_slices = 0, intra = 0, not_right = 0, refused = 0, differ = 0;
    for (const double crf : {8., 24., 36., 44.}) {
      if (test::tiny_only() && (crf == 24 || crf == 44)) continue;
      for_each_lossy_unit(desc, frames, crf, [&](const CodedSlice& slice, const Texture& before, const Texture& now) {
        REQUIRE(is_lossy(slice.coding));
        runs += slice.slice.tiles > 1;
        sub_slices += slice.slice.sub_slices > 1;
        intra += is_intra(slice.coding);
        std::vector<uint8_t> right(grid.tiles(), 1);
        SliceToDecode what{grid, slice.slice, slice.bytes, true, is_intra(slice.coding) ? nullptr : before.data(),
                           now,  right};
        bool decoded = false;
        for (int wrong = 0; wrong < 3; ++wrong) {
          differ += !agree(what, decoded);
          CHECK(decoded);
          not_right += !outcome(decode_slice, what).all_right;
          for (auto& r : right) r = random() % 8 != 0;
        }
        for (int n = 0; n < 8; ++n) {
          const auto bytes = damaged(slice.bytes, n, random);
          what.coded = bytes;
          if (n == 5) what.reference = what.reference == nullptr ? before.data() : nullptr;  // what it is not
          differ += !agree(what, decoded);
          refused += !decoded;
        }
      });
    }
    CHECK(differ == 0);
    CHECK(runs > 5);
    CHECK(sub_slices > 5);
    CHECK(intra > 5);
    CHECK(not_right > 50);
    CHECK(refused > 200);
  }
}

}  // namespace
}  // namespace texcast::compact
