// The fast decoder gives for any bytes what the plain one gives, which is the definition.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "fast_unit_decoder.h"
#include "half_block.h"
#include "unit_encoder.h"

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
    store_half(texture.data() + at, half);
  }
  return texture;
}

// What comes after it: some as it was, some moved, some a little different, some new.
Texture next_picture(const Texture& before, Random& random) {
  Texture texture = before;
  const size_t halves = texture.size() / 8;
  for (size_t i = 0; i < halves; ++i) {
    uint64_t half = load_half(&before[i * 8]);
    switch (random() % 8) {
      case 0: half = load_half(&before[(i + 3) % halves * 8]); break;
      case 1: half ^= uint64_t{1} << random() % 64; break;
      case 2: half ^= random() & random() & random() & random(); break;
      case 3: half += random() % 5; break;
      case 4: half = random() % 3 == 0 ? random() : half; break;
      default: break;
    }
    store_half(&texture[i * 8], half);
  }
  return texture;
}

struct Outcome {
  bool decoded, all_right;
  Texture texture;
};

// `around`: what stands in the texture before.
template <typename Decode>
Outcome outcome(const Decode& decode, const TileGrid& grid, const Unit& unit, Bytes coded, const std::byte* before,
                const Texture& around, std::span<const uint8_t> right) {
  Outcome out{.decoded = false, .all_right = false, .texture = around};
  TilesRead read(grid, right);
  out.decoded = decode(grid, unit, coded, false, before, out.texture.data(), &read);
  out.all_right = read.all_right();
  return out;
}

// Whether both decoders agree; and whether the bytes could be decoded.
bool agree(const TileGrid& grid, const Unit& unit, Bytes coded, const std::byte* before, const Texture& around,
           std::span<const uint8_t> right, bool& decoded) {
  const Outcome plain = outcome(decode_unit, grid, unit, coded, before, around, right);
  const Outcome fast = outcome(decode_unit_fast, grid, unit, coded, before, around, right);
  decoded = plain.decoded;
  if (plain.decoded != fast.decoded || plain.all_right != fast.all_right) return false;
  if (plain.decoded) return plain.texture == fast.texture;
  // Refused: what stands in the unit is undefined, what stands beside it is not.
  Texture beside = fast.texture;
  for (int i = 0; i < grid.component_count(); ++i) {
    const BlockRect rect = grid.blocks(grid.component(i), unit);
    for (int y = rect.y0; y < rect.y1; ++y)
      for (int x = rect.x0; x < rect.x1; ++x) {
        const size_t at = grid.component(i).at(x, y);
        std::copy_n(around.begin() + static_cast<ptrdiff_t>(at), 8, beside.begin() + static_cast<ptrdiff_t>(at));
      }
  }
  return beside == around;
}

constexpr TextureFormat kFormats[] = {TextureFormat::bc1, TextureFormat::bc5, TextureFormat::ycocg_dxt5,
                                      TextureFormat::ycocg_bc4_420};

std::array<Vector, 8> random_vectors(Random& random) {
  std::array<Vector, 8> vectors{};
  for (Vector& v : vectors) {
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
    UnitEncoder encoder;
    std::vector<std::byte> memory(20000);
    Texture before = picture(grid, random);
    for (int frame = 0; frame < 6; ++frame) {
      const Texture now = next_picture(before, random);
      std::vector<BlockPlaces> places;
      for (int i = 0; i < grid.component_count(); ++i) {
        const Component& component = grid.component(i);
        places.emplace_back(component);
        for (int y = 0; y < component.blocks_y; ++y)
          for (int x = 0; x < component.blocks_x; ++x)
            places.back().put(load_half(before.data() + component.at(x, y)), x, y);
      }
      std::vector<uint8_t> right(grid.tiles(), 1);
      if (frame % 2 == 1)
        for (auto& r : right) r = random() % 8 != 0;
      for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
        for (const int strips : {1, 4}) {
          const Unit unit{tile, static_cast<uint8_t>(strips), static_cast<uint8_t>(strips - 1)};
          const bool alone = frame == 3;
          const auto vectors = random_vectors(random);
          const Reference reference =
              alone ? Reference{} : Reference{.texture = before.data(), .places = places.data(), .vectors = vectors};
          const size_t used = encoder.encode(grid, unit, now.data(), reference, memory);
          REQUIRE(used > 0);
          const Bytes coded = Bytes(memory).subspan(memory.size() - used);
          bool decoded = false;
          CHECK(agree(grid, unit, coded, alone ? nullptr : before.data(), before, right, decoded));
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
  UnitEncoder encoder;
  std::vector<std::byte> memory(20000);
  const Texture before = picture(grid, random), now = next_picture(before, random);
  const Unit unit{.tile = 4};
  bool found_wrong = false;
  for (const Vector v : {Vector{1, 0}, Vector{-1, 0}, Vector{0, 2}, Vector{0, -2}, Vector{3, 3}, Vector{0, 0}}) {
    const std::array<Vector, 8> vectors{v, v, v, v, v, v, v, v};
    const size_t used = encoder.encode(grid, unit, now.data(), {.texture = before.data(), .vectors = vectors}, memory);
    for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
      std::vector<uint8_t> right(grid.tiles(), 1);
      right[tile] = 0;
      bool decoded = false;
      CHECK(agree(grid, unit, Bytes(memory).subspan(memory.size() - used), before.data(), before, right, decoded));
      const Outcome plain =
          outcome(decode_unit, grid, unit, Bytes(memory).subspan(memory.size() - used), before.data(), before, right);
      found_wrong = found_wrong || (tile != unit.tile && !plain.all_right);
    }
  }
  CHECK(found_wrong);
}

TEST_CASE("both decoders say the same of damaged bytes") {
  for (const auto format : kFormats) {
    const TileGrid grid({.format = format, .width = 150, .height = 83});
    Random random(11);
    UnitEncoder encoder;
    std::vector<std::byte> memory(20000);
    const Texture before = picture(grid, random), now = next_picture(before, random);
    const std::vector<uint8_t> right(grid.tiles(), 1);
    const auto vectors = random_vectors(random);
    size_t decoded_ones = 0, differ = 0;
    for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
      const Unit unit{.tile = tile};
      const size_t used =
          encoder.encode(grid, unit, now.data(), {.texture = before.data(), .vectors = vectors}, memory);
      const std::vector<std::byte> whole(memory.end() - static_cast<ptrdiff_t>(used), memory.end());
      for (int n = 0; n < 150; ++n) {
        std::vector<std::byte> bytes = whole;
        switch (n % 4) {
          case 0: bytes[random() % bytes.size()] ^= std::byte{1} << random() % 8; break;
          case 1: bytes.resize(random() % bytes.size()); break;
          case 2: bytes.resize(bytes.size() + random() % 5, std::byte{0}); break;
          default:
            for (auto& byte : bytes) byte = static_cast<std::byte>(random());
            break;
        }
        bool decoded = false;
        differ += !agree(grid, unit, bytes, n % 5 == 0 ? nullptr : before.data(), before, right, decoded);
        decoded_ones += decoded;
      }
    }
    CHECK(differ == 0);
    CHECK(decoded_ones > 0);  // some of what was only longer by nothing
  }
}

}  // namespace
}  // namespace texcast::compact
