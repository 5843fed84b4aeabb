// The slice decoder gives the oracle's answer for any bytes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "compact/frame_encoder.h"
#include "compact/sub_block.h"
#include "cut_formats.h"
#include "lossless_slice_encoder.h"
#include "oracle_check.h"
#include "textures.h"
#include "tiny.h"

namespace texcast::compact {
namespace {

using Random = std::mt19937_64;
using Texture = std::vector<std::byte>;

// Sub-blocks that resemble each other, as a picture's do, so that all of the syntax occurs.
Texture picture(const TileGrid& grid, Random& random) {
  Texture texture(grid.texture_bytes());
  std::vector<uint64_t> some(24);
  for (auto& value : some) value = random();
  for (size_t at = 0; at < texture.size(); at += 8) {
    uint64_t value = some[random() % some.size()];
    if (random() % 2 == 0) value ^= (random() & random() & random()) << 32;
    if (random() % 4 == 0) value = (value & 0xFFFFFFFF) | (random() % 2 == 0 ? 0 : 0x5555555500000000);
    store_sub_block(texture.data() + at, value);
  }
  return texture;
}

// The next frame: some sub-blocks are unchanged, some copied, some slightly different, some new.
Texture next_picture(const Texture& reference, Random& random) {
  Texture texture = reference;
  const size_t sub_blocks = texture.size() / 8;
  for (size_t i = 0; i < sub_blocks; ++i) {
    uint64_t value = load_sub_block(&reference[i * 8]);
    switch (random() % 8) {
      case 0: value = load_sub_block(&reference[(i + 3) % sub_blocks * 8]); break;
      case 1: value ^= uint64_t{1} << random() % 64; break;
      case 2: value ^= random() & random() & random() & random(); break;
      case 3: value += random() % 5; break;
      case 4: value = random() % 3 == 0 ? random() : value; break;
      default: break;
    }
    store_sub_block(&texture[i * 8], value);
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

TEST_CASE("lossless slices decode to the oracle's sub-blocks") {
  for (const auto format : kFormats) {
    const TextureDesc desc{.format = format, .width = 150, .height = 83};
    const TileGrid grid(desc);
    oracle::Decoder oracle(desc);
    Random random(7);
    LosslessSliceEncoder encoder;
    std::vector<std::byte> memory(20000);
    Texture reference = picture(grid, random);
    for (int frame = 0; frame < 6; ++frame) {
      const Texture source = next_picture(reference, random);
      std::vector<SubBlockIndex> places;
      for (int i = 0; i < grid.component_count(); ++i) {
        const Component& component = grid.component(i);
        places.emplace_back(component);
        for (int y = 0; y < component.blocks_y; ++y)
          for (int x = 0; x < component.blocks_x; ++x)
            places.back().put(load_sub_block(reference.data() + component.at(x, y)), x, y);
      }
      std::vector<uint8_t> right(grid.tiles(), 1);
      if (frame % 2 == 1)
        for (auto& r : right) r = random() % 8 != 0;
      for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
        for (const int sub_slices : {1, 4}) {
          const Slice slice{tile, static_cast<uint8_t>(sub_slices), static_cast<uint8_t>(sub_slices - 1)};
          const bool intra = frame == 3;
          const auto vectors = random_vectors(random);
          const size_t used = encoder.encode(
              grid, slice, source.data(),
              intra ? Reference{} : Reference{.texture = reference.data(), .places = places.data(), .vectors = vectors},
              memory);
          REQUIRE(used > 0);
          const SliceToDecode what{grid,     slice, Bytes(memory).last(used), false, intra ? nullptr : &reference,
                                   reference};
          const OracleAnswer answer = answer_of_oracle(oracle, what);
          CHECK(answer.decoded);
          CHECK(agrees(what, answer, right));
        }
      }
      reference = source;
    }
  }
}

// With a vector of a pixel or two a slice reads one column or row of an adjacent tile, which alone may be wrong.
TEST_CASE("the decoder tells of every tile that a slice reads") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 192, .height = 96};
  const TileGrid grid(desc);
  oracle::Decoder oracle(desc);
  Random random(5);
  LosslessSliceEncoder encoder;
  std::vector<std::byte> memory(20000);
  const Texture reference = picture(grid, random), source = next_picture(reference, random);
  const Slice slice{.tile = 4};
  bool has_adjacent = false;
  for (const MotionVector v : {MotionVector{1, 0}, MotionVector{-1, 0}, MotionVector{0, 2}, MotionVector{0, -2},
                               MotionVector{3, 3}, MotionVector{0, 0}}) {
    const std::array<MotionVector, 8> vectors{v, v, v, v, v, v, v, v};
    const size_t used =
        encoder.encode(grid, slice, source.data(), {.texture = reference.data(), .vectors = vectors}, memory);
    const SliceToDecode what{grid, slice, Bytes(memory).last(used), false, &reference, reference};
    const OracleAnswer answer = answer_of_oracle(oracle, what);
    CHECK(answer.decoded);
    for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
      std::vector<uint8_t> right(grid.tiles(), 1);
      right[tile] = 0;
      CHECK(agrees(what, answer, right));
      has_adjacent = has_adjacent || (tile != slice.tile && answer.referenced.contains(tile));
    }
  }
  CHECK(has_adjacent);
}

TEST_CASE("damaged lossless slices are refused as the oracle refuses them") {
  for (const auto format : kFormats) {
    const TextureDesc desc{.format = format, .width = 150, .height = 83};
    const TileGrid grid(desc);
    oracle::Decoder oracle(desc);
    Random random(11);
    LosslessSliceEncoder encoder;
    std::vector<std::byte> memory(20000);
    const Texture reference = picture(grid, random), source = next_picture(reference, random);
    const std::vector<uint8_t> right(grid.tiles(), 1);
    const auto vectors = random_vectors(random);
    size_t decoded = 0, differ = 0;
    for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
      const Slice slice{.tile = tile};
      const size_t used =
          encoder.encode(grid, slice, source.data(), {.texture = reference.data(), .vectors = vectors}, memory);
      for (int n = 0; n < 150; ++n) {
        const auto bytes = damaged(Bytes(memory).last(used), n, random);
        const SliceToDecode what{grid, slice, bytes, false, n % 5 == 0 ? nullptr : &reference, reference};
        const OracleAnswer answer = answer_of_oracle(oracle, what);
        differ += !agrees(what, answer, right);
        decoded += answer.decoded;
      }
    }
    CHECK(differ == 0);
    CHECK(decoded > 0);  // those that were extended by no byte
  }
}

// A photograph that moves; one corner is new in each frame.
std::vector<Texture> moving_pictures(const TextureDesc& desc) {
  std::vector<Texture> frames;
  for (int i = 0; i < 4; ++i) {
    frames.push_back(textures::photograph(desc, i * 5, i * 3));
    if (i > 0) textures::copy_tile(TileGrid(desc), 0, textures::photograph(desc, 300 + 50 * i, 200), frames.back());
  }
  return frames;
}

// Calls `call(slice, reference, texture)` for the slices of an encoder of lossy streams, which are of several tiles
// where little is coded, and sub-slices where much is. `texture`: the frame as decoded before the slice.
template <typename Call>
void for_each_lossy_slice(const TextureDesc& desc, std::span<const Texture> frames, double crf, const Call& call) {
  Workers workers(0);
  FrameEncoder encoder(desc, {.most_slice_bytes = 400, .lossy = true}, workers);
  const TileGrid& grid = encoder.grid();
  Texture reference, texture(grid.texture_bytes());
  std::vector<uint8_t> intra(grid.tiles());
  for (const Texture& frame : frames) {
    reference = texture;
    for (const CodedSlice& slice : encoder.encode({.texture = frame, .intra = intra, .target = rd_parameters(crf)})) {
      if (slice.coding == Coding::raw) {
        size_t used = 0;
        grid.for_each_sub_block(slice.slice, [&](size_t at) {
          std::copy_n(&slice.bytes[used], 8, &texture[at]);
          used += 8;
        });
        continue;
      }
      call(slice, reference, texture);
      REQUIRE(decode_slice(grid, slice.slice, slice.bytes, is_lossy(slice.coding),
                           is_intra(slice.coding) ? nullptr : reference.data(), texture.data(), nullptr));
    }
    intra[grid.tiles() / 2] = 1;
  }
}

std::vector<TextureFormat> lossy_formats() {
  auto formats = textures::cut_formats();
  std::erase_if(formats, [](TextureFormat format) { return !TileGrid::can_be_lossy(format); });
  return formats;
}

TEST_CASE("lossy slices decode to the oracle's sub-blocks, and damaged ones are refused, in every format") {
  for (const auto format : lossy_formats()) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 275, .height = 77};
    const TileGrid grid(desc);
    oracle::Decoder oracle(desc);
    const auto frames = moving_pictures(desc);
    Random random(13);
    size_t several_tiles = 0, sub_slices = 0, intra = 0, not_right = 0, refused = 0, differ = 0;
    for (const double crf : {8., 24., 36., 44.}) {
      if (test::tiny_only() && (crf == 24 || crf == 44)) continue;
      for_each_lossy_slice(
          desc, frames, crf, [&](const CodedSlice& slice, const Texture& reference, const Texture& texture) {
            REQUIRE(is_lossy(slice.coding));
            several_tiles += slice.slice.tiles > 1;
            sub_slices += slice.slice.sub_slices > 1;
            intra += is_intra(slice.coding);
            std::vector<uint8_t> right(grid.tiles(), 1);
            SliceToDecode what{grid,   slice.slice, slice.bytes, true, is_intra(slice.coding) ? nullptr : &reference,
                               texture};
            OracleAnswer answer = answer_of_oracle(oracle, what);
            CHECK(answer.decoded);
            for (int wrong = 0; wrong < 3; ++wrong) {
              differ += !agrees(what, answer, right);
              not_right += std::ranges::any_of(answer.referenced, [&](unsigned tile) { return right[tile] == 0; });
              for (auto& r : right) r = random() % 8 != 0;
            }
            for (int n = 0; n < 8; ++n) {
              const auto bytes = damaged(slice.bytes, n, random);
              what.coded = bytes;
              if (n == 5) what.reference = what.reference == nullptr ? &reference : nullptr;  // the other coding
              answer = answer_of_oracle(oracle, what);
              differ += !agrees(what, answer, right);
              refused += !answer.decoded;
            }
          });
    }
    CHECK(differ == 0);
    CHECK(several_tiles > 5);
    CHECK(sub_slices > 5);
    CHECK(intra > 5);
    CHECK(not_right > 50);
    CHECK(refused > 200);
  }
}

}  // namespace
}  // namespace texcast::compact
