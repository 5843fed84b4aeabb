// Units into payloads, and what they say.
#include "compact/payload.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "oracle.h"
#include "textures.h"

using namespace texcast;
using namespace textures;
using compact::CodedSlice;

namespace {

// Of one tile's width and so many tiles' height, or more columns of them.
compact::TileGrid grid_of(uint32_t across, uint32_t down) {
  return compact::TileGrid({.format = TextureFormat::bc4,
                            .width = static_cast<int>(across) * compact::kTileWidth,
                            .height = static_cast<int>(down) * compact::kTileHeight});
}

const Texture kBytes(compact::kMostSliceBytes, std::byte{0x77});

CodedSlice unit_of(uint32_t tile, size_t bytes, uint8_t sub_slices = 1, uint8_t sub_slice = 0) {
  return {{tile, sub_slices, sub_slice}, compact::Coding::intra, tile * 31 + sub_slice, Bytes(kBytes).first(bytes)};
}

struct Said {
  std::vector<CodedSlice> slices;
  std::vector<uint32_t> passed;
};

// All payloads as the second decoder reads them, in order.
Said read(const compact::TileGrid& grid, std::span<const Bytes> payloads) {
  const oracle::Decoder oracle(grid.texture());
  Said said;
  for (const Bytes payload : payloads) {
    const auto parsed = oracle.parse(payload);
    uint32_t check = 0;
    for (const auto& slice : parsed.slices) {
      said.slices.push_back(unit_of(slice.tile, slice.bytes.size(), static_cast<uint8_t>(slice.sub_slices),
                                    static_cast<uint8_t>(slice.sub_slice)));
      check = (check ^ said.slices.back().check) * 0x9E3779B1u + 1;
    }
    CHECK(check == parsed.expected_units);
    said.passed.insert(said.passed.end(), parsed.skipped.begin(), parsed.skipped.end());
  }
  return said;
}

void check_written(const compact::TileGrid& grid, const std::vector<CodedSlice>& slices, size_t most_bytes) {
  compact::PayloadWriter writer(grid, most_bytes);
  const auto payloads = writer.write(slices);
  REQUIRE(!payloads.empty());
  for (const Bytes payload : payloads) CHECK(payload.size() <= most_bytes);
  // How long they get was known without them.
  compact::PayloadSizes sizes(grid.tiles(), most_bytes);
  sizes.begin();
  size_t opened = 1;
  for (const auto& slice : slices) opened += sizes.add(slice) ? 1 : 0;
  const auto sum = sizes.ended();
  CHECK(sum.payloads == payloads.size());
  CHECK(opened == payloads.size());
  CHECK(sum.bytes == bytes_of(copied(payloads)));
  CHECK(sum.longest == std::ranges::max(payloads, {}, [](Bytes payload) { return payload.size(); }).size());
  const Said said = read(grid, payloads);
  REQUIRE(said.slices.size() == slices.size());
  for (size_t i = 0; i < slices.size(); ++i) {
    CHECK(said.slices[i].slice == slices[i].slice);
    CHECK(said.slices[i].bytes.size() == slices[i].bytes.size());
  }
  // Every other tile is passed over, once, in order.
  std::vector<uint8_t> has_units(grid.tiles());
  for (const auto& slice : slices) has_units[slice.slice.tile] = 1;
  std::vector<uint32_t> others;
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile)
    if (!has_units[tile]) others.push_back(tile);
  CHECK(said.passed == others);
  // And the room's own reader says the same.
  Said own;
  for (const Bytes payload : payloads) {
    const auto header = compact::parse_payload(
        grid, payload,
        [&](uint32_t first, uint32_t count) {
          for (uint32_t i = 0; i < count; ++i) own.passed.push_back(first + i);
        },
        [&](const compact::ParsedSlice& slice) {
          own.slices.push_back({slice.slice, slice.coding, 0, slice.bytes});
        });
    CHECK(header.has_value());
  }
  CHECK(own.passed == others);
  REQUIRE(own.slices.size() == slices.size());
  for (size_t i = 0; i < slices.size(); ++i) CHECK(own.slices[i].slice == slices[i].slice);
}

}  // namespace

TEST_CASE("payloads: tiles in order, others passed over, sizes at most what was asked") {
  const auto grid = grid_of(20, 20);
  check_written(grid, {}, 100);
  check_written(grid, {unit_of(0, 10)}, 100);
  check_written(grid, {unit_of(399, 10)}, 100);
  for (const uint32_t gap : {0u, 1u, 61u, 62u, 63u, 64u, 65u, 127u}) {
    CAPTURE(gap);
    check_written(grid, {unit_of(3, 5), unit_of(4 + gap, 7)}, 100);
    check_written(grid, {unit_of(gap, 50), unit_of(gap + 1, 50), unit_of(399 - gap, 50)}, 80);
  }
  // Full to the last byte, and one byte more.
  for (size_t last = 60; last < 100; ++last) {
    CAPTURE(last);
    check_written(grid, {unit_of(0, 100), unit_of(1, 100), unit_of(2, last)}, 300);
    check_written(grid, {unit_of(0, 100), unit_of(70, 100), unit_of(200, last)}, 300);
  }
  std::vector<CodedSlice> all;
  for (uint32_t tile = 0; tile < 400; ++tile) all.push_back(unit_of(tile, 4 + tile * 37 % 300));
  for (const size_t most : {400, 401, 500, 1400, 60000}) check_written(grid, all, most);
}

TEST_CASE("payloads: strips of a tile, also over the end of a payload") {
  const auto grid = grid_of(3, 3);
  for (const uint8_t sub_slices : {uint8_t{2}, uint8_t{4}, uint8_t{8}})
    for (const size_t bytes : {10, 60, 150}) {
      std::vector<CodedSlice> slices;
      for (const uint32_t tile : {0u, 1u, 4u, 8u})
        for (uint8_t sub_slice = 0; sub_slice < sub_slices; ++sub_slice)
          slices.push_back(unit_of(tile, bytes, sub_slices, sub_slice));
      CAPTURE(sub_slices);
      CAPTURE(bytes);
      check_written(grid, slices, 200);
      // A whole tile between, others in other numbers of strips.
      slices.insert(slices.begin() + 2 * sub_slices, unit_of(2, 33));
      slices.insert(slices.begin() + 2 * sub_slices + 1, {unit_of(3, 9, 2, 0), unit_of(3, 9, 2, 1)});
      check_written(grid, slices, 200);
    }
  // The upper strips of tiles at the lower edge alone.
  check_written(grid, {unit_of(6, 9, 8, 0), unit_of(7, 9, 8, 0), unit_of(8, 9, 8, 0), unit_of(8, 9, 8, 1)}, 200);
}

TEST_CASE("payloads: more than 65598 tiles are passed over by more than one record") {
  const auto grid = grid_of(256, 512);
  REQUIRE(grid.tiles() == 131072);
  for (const size_t most : {100, 120}) {
    check_written(grid, {}, most);
    for (const uint32_t tile : {62u, 63u, 65597u, 65598u, 65599u, 131071u}) {
      CAPTURE(tile);
      check_written(grid, {unit_of(tile, 70)}, most);
      check_written(grid, {unit_of(0, 70), unit_of(tile, 70)}, most);
      check_written(grid, {unit_of(0, 20), unit_of(tile, 55)}, most);
    }
  }
  // The largest unit that slice_room() promises, wherever it stands.
  for (const size_t most : {401, 1400})
    for (const uint32_t tile : {0u, 65535u, 65599u, 70000u, 131071u})
      check_written(grid, {unit_of(tile, compact::slice_room(most))}, most);
}

TEST_CASE("payloads: a writer is the same at its second frame") {
  const auto grid = grid_of(5, 5);
  compact::PayloadWriter writer(grid, 60);
  const std::vector<CodedSlice> slices{unit_of(1, 20), unit_of(2, 30, 2, 0), unit_of(2, 30, 2, 1), unit_of(24, 9)};
  const auto first = copied(writer.write(slices));
  writer.write({});
  CHECK(copied(writer.write(slices)) == first);
}

TEST_CASE("payloads: records that make no sense end a payload") {
  const auto grid = grid_of(4, 2);
  const auto is_read = [&](std::vector<int> bytes) {
    std::vector<std::byte> payload(7);
    for (const int byte : bytes) payload.push_back(static_cast<std::byte>(byte));
    bool accepted = true;
    uint32_t expected = 0;
    try {
      expected = oracle::Decoder(grid.texture()).parse(payload).expected_units;
    } catch (const oracle::Damage&) {
      accepted = false;
    }
    const auto header = compact::parse_payload(
        grid, payload, [](uint32_t, uint32_t) {}, [](const auto&) {});
    CHECK(header.has_value() == accepted);
    if (header) CHECK(header->check == expected);
    return header.has_value();
  };
  const auto head = [](uint32_t length, uint32_t coding, uint32_t part, uint32_t passed) {
    const uint32_t bits = length | coding << 11 | part << 14 | passed << 18;
    return std::vector<int>{static_cast<int>(bits & 255), static_cast<int>(bits >> 8 & 255),
                            static_cast<int>(bits >> 16)};
  };
  CHECK(is_read({}));
  CHECK(is_read(head(0, 7, 0, 8)));
  CHECK(!is_read(head(0, 7, 0, 9)));  // more tiles than there are
  CHECK(is_read(head(0, 2, 0, 7)));
  CHECK(!is_read(head(0, 2, 0, 8)));   // a unit outside
  CHECK(!is_read(head(1, 2, 0, 0)));   // longer than the payload
  CHECK(!is_read(head(0, 7, 1, 8)));   // a part of nothing
  CHECK(!is_read(head(0, 2, 15, 0)));  // 16 strips
  CHECK(is_read(head(0, 2, 14, 0)));
  auto reserved = head(4, 4, 0, 1);
  reserved.insert(reserved.end(), {1, 2, 3, 200});
  CHECK(is_read(reserved));
  CHECK(!is_read({0, 0}));             // no whole head
  CHECK(!is_read(head(0, 7, 0, 63)));  // a long number of tiles that is not there
  auto many = head(0, 7, 0, 63);
  many.insert(many.end(), {0, 0});
  CHECK(!is_read(many));
  for (const int first : {0, 7, 8}) {
    std::vector<std::byte> payload(7);
    payload[0] = static_cast<std::byte>(first);
    CHECK(compact::parse_payload(
              grid, payload, [](uint32_t, uint32_t) {}, [](const auto&) {})
              .has_value() == (first < 8));
    for (size_t length = 0; length < 7; ++length)
      CHECK(!compact::parse_payload(
          grid, Bytes(payload).first(length), [](uint32_t, uint32_t) {}, [](const auto&) {}));
  }
  // 4:2:0 has four rows of chroma in a tile, and no eighths.
  const compact::TileGrid halves({.format = TextureFormat::ycocg_bc4_420, .width = 64, .height = 32});
  for (const auto& [part, is_good] : {std::pair(6, true), {7, false}}) {
    std::vector<std::byte> payload(10);
    payload[8] = static_cast<std::byte>(2 << 3 | (part & 3) << 6);
    payload[9] = static_cast<std::byte>(part >> 2);
    CHECK(compact::parse_payload(
              halves, payload, [](uint32_t, uint32_t) {}, [](const auto&) {})
              .has_value() == is_good);
  }
}

TEST_CASE("payloads: a run of as many tiles as a byte can tell") {
  constexpr uint32_t kTiles = 256;
  const auto grid = grid_of(kTiles, 1);
  std::vector<std::byte> payload(7);
  const uint32_t bits = 4u | static_cast<uint32_t>(compact::Coding::lossy_intra) << 11 | 15u << 14;
  for (const uint32_t byte : {bits & 255, bits >> 8 & 255, bits >> 16, kTiles - 1, 1u, 2u, 3u, 4u})
    payload.push_back(static_cast<std::byte>(byte));
  uint32_t tiles = 0, passed = 0;
  CHECK(compact::parse_payload(
      grid, payload, [&](uint32_t, uint32_t count) { passed += count; },
      [&](const compact::ParsedSlice& slice) { tiles += slice.slice.tiles; }));
  CHECK(tiles == kTiles);
  CHECK(passed == 0);
  // One more than the row has.
  CHECK(!compact::parse_payload(
      grid_of(kTiles - 1, 2), payload, [](uint32_t, uint32_t) {}, [](const auto&) {}));
}

TEST_CASE("what decoding a payload may cost is told by the heads of its records: whole tiles, strips and runs") {
  const compact::TileGrid grid = grid_of(4, 4);
  const size_t tile = grid.texture_bytes() / 16;
  CodedSlice run = unit_of(8, 20);
  run.slice.tiles = 3;
  run.coding = compact::Coding::lossy_intra;
  const auto cost_of = [&](const std::vector<CodedSlice>& slices) {
    compact::PayloadWriter writer(grid, 500);
    size_t bytes = 0;
    for (const Bytes payload : writer.write(slices)) bytes += compact::covered_bytes(grid, payload);
    return bytes;
  };
  CHECK(cost_of({}) == 0);  // all tiles are skipped
  CHECK(cost_of({unit_of(3, 100)}) == tile);
  CHECK(cost_of({unit_of(3, 400), unit_of(5, 50, 4, 1), unit_of(5, 60, 4, 3), run}) == tile + tile / 2 + 3 * tile);
  CHECK(compact::covered_bytes(grid, {}) == 0);
  CHECK(compact::covered_bytes(grid, kBytes) == 0);  // that makes no sense
}
