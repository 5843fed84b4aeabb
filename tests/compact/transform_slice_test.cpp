// Random transform slices, whole and damaged: the decoder gives the answers of the oracle.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "capture_bound.h"
#include "compact/frame_decoder.h"
#include "compact/macroblock_symbols.h"
#include "compact/payload.h"
#include "compact/rans.h"
#include "lookup_reader.h"
#include "oracle_check.h"
#include "textures.h"
#include "tiny.h"
#include "transform_slice_decoder.h"
#include "transform_slices.h"

namespace texcast::compact {
namespace {

using Texture = std::vector<std::byte>;
using transform_slices::random_slice;
using transform_slices::random_wishes;

constexpr TextureFormat kFormats[] = {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422,
                                      TextureFormat::ycocg_bc4_444};

// A whole tile, one of two sub-slices, or several tiles.
Slice random_part(const TileGrid& grid, std::mt19937& random) {
  const auto tile = static_cast<uint32_t>(random() % grid.tiles());
  if (random() % 3 == 0) return {tile, 2, static_cast<uint8_t>(random() % 2)};
  if (random() % 3 == 0 && grid.across() > 1) {
    const uint32_t row = tile / static_cast<uint32_t>(grid.across());
    return {.tile = row * static_cast<uint32_t>(grid.across()),
            .tiles = static_cast<uint16_t>(2 + random() % static_cast<unsigned>(grid.across() - 1))};
  }
  return {.tile = tile};
}

Texture reference_of(const TextureDesc& desc, int number) {
  return number % 2 == 0 ? textures::photograph(desc, 7 * number, 5 * number)
                         : textures::noise(desc, static_cast<uint32_t>(number));
}

void check_slices(const TextureDesc& desc, int trials, oracle::Decoder& oracle) {
  const TileGrid grid(desc);
  std::mt19937 random(static_cast<uint32_t>(desc.width * 1000 + desc.height));
  for (int trial = 0; trial < trials; ++trial) {
    CAPTURE(trial);
    const Texture reference = reference_of(desc, trial);
    const bool intra = trial % 4 == 0;
    const Slice slice = random_part(grid, random);
    const auto coded = random_slice(grid, slice, random_wishes(intra, random), random);
    // The samples of the reference frame, which may be any.
    SamplePlanes samples(grid);
    for (uint8_t& sample : samples.all()) sample = static_cast<uint8_t>(trial % 3 == 0 ? random() : random() % 40 + 90);
    const SliceToDecode what{
        grid, slice, coded, true, intra ? nullptr : &reference, reference, trial % 3 != 2 ? &samples : nullptr};
    const OracleAnswer answer = answer_of_oracle(oracle, what);
    REQUIRE(answer.decoded);
    // Each tile in turn may be the only one that is wrong.
    std::vector<uint8_t> right(grid.tiles(), 1);
    REQUIRE(agrees(what, answer, right));
    for (uint8_t& tile : right) {
      tile = 0;
      REQUIRE(agrees(what, answer, right));
      tile = 1;
    }
    for (int manner = 0; manner < 12; ++manner) {
      const auto bytes = damaged(coded, manner < 4 ? manner : 0, random);
      const SliceToDecode other{grid, slice, bytes, true, what.reference, reference, what.samples};
      REQUIRE(agrees(other, answer_of_oracle(oracle, other), right));
    }
  }
}

}  // namespace

TEST_CASE("transform slices of an encoder's functions are decoded as the document says, in every format and size") {
  for (const TextureFormat format : kFormats) {
    CAPTURE(name(format));
    oracle::Decoder::Seen all;
    for (const auto& [width, height] : {std::pair(150, 83), {1, 1}, {5, 9}, {17, 33}, {63, 31}, {65, 20}, {130, 5}}) {
      CAPTURE_BOUND(width);
      CAPTURE_BOUND(height);
      const TextureDesc desc{.format = format, .width = width, .height = height};
      oracle::Decoder oracle(desc);
      check_slices(desc, test::tiny_only() ? 4 : width == 150 ? 60 : 20, oracle);
      if (width == 150) all = oracle.seen();
    }
    if (test::tiny_only()) continue;
    CHECK(std::ranges::all_of(all.macroblock_modes, [](int n) { return n > 50; }));
    CHECK(all.escapes > 1000);
    CHECK(all.exact_copies > 50);
    CHECK(all.sub_slices[2] > 5);
  }
}

TEST_CASE("a macroblock and its levels are read as they were written") {
  const TileGrid grid({.format = TextureFormat::ycocg_bc4_444, .width = 64, .height = 32});
  std::mt19937 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    CAPTURE(trial);
    const auto wishes = random_wishes(trial % 3 == 0, random);
    std::vector<transform_slices::Coded> written;
    const auto bytes = random_slice(grid, {.tile = 0}, wishes, random, &written);
    const auto tables = [&](int c) -> const LookupTables& {
      return transform_lookup_tables(transform_range(wishes.quantiser), grid.component(c).tables);
    };
    LookupReader<true> reader(bytes);
    const auto use = [&](int c) { reader.use(tables(c)); };
    use(0);
    REQUIRE(read_transform_header(reader, wishes.intra) == wishes.quantiser);
    MacroblockNeighbours neighbours{.intra_slice = wishes.intra, .columns = 4};
    for (size_t n = 0; n < written.size(); ++n) {
      const int column = static_cast<int>(n % 4), row = static_cast<int>(n / 4);
      Macroblock macroblock;
      REQUIRE(read_macroblock(reader, use, neighbours, column, row, {15, 15, 15}, macroblock));
      REQUIRE(macroblock.mode == written[n].macroblock.mode);
      REQUIRE(macroblock.vector == written[n].macroblock.vector);
      REQUIRE(macroblock.coded == written[n].macroblock.coded);
      for (size_t c = 0; c < kTransformComponents; ++c) {
        use(static_cast<int>(c));
        for (size_t i = 0; i < kMostTransformBlocks; ++i) {
          if ((macroblock.coded[c] >> i & 1) == 0) continue;
          TransformLevels levels;
          REQUIRE(read_levels(reader, is_intra(macroblock.mode), levels));
          REQUIRE(levels == written[n].levels[c][i]);
        }
      }
      neighbours.add(macroblock, column, row);
    }
    CHECK(reader.ended_well());
  }
}

namespace {

struct TableSink {
  SymbolList& list;
  const CodingTables* tables;
  void put(int context, int symbol) { list.put(*tables, context, symbol); }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }
};
std::vector<std::byte> only_header(bool intra, int quantiser) {
  SymbolList list;
  list.make_room(kTransformHeaderSymbols);
  TableSink sink{list, &transform_tables(0, TableSet::luma)};  // any tables
  put_transform_header(sink, intra, quantiser);
  std::vector<std::byte> memory(100);
  const size_t used = list.write(memory, kLossyEndState);
  return {memory.end() - static_cast<ptrdiff_t>(used), memory.end()};
}

}  // namespace

TEST_CASE("transform slices that no decoder accepts: other formats, quarters of a tile, quantisers above 51") {
  std::mt19937 random(5);
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 64, .height = 16};
  const TileGrid grid(desc);
  oracle::Decoder oracle(desc);
  const Texture reference = reference_of(desc, 0);
  const std::vector<uint8_t> right(grid.tiles(), 1);
  const auto is_decoded = [&](const Slice& slice, Bytes bytes, bool intra) {
    const SliceToDecode what{grid, slice, bytes, true, intra ? nullptr : &reference, reference};
    const OracleAnswer answer = answer_of_oracle(oracle, what);
    CHECK(agrees(what, answer, right));
    return answer.decoded;
  };
  // The lower half of the tile lies below the picture, so that it has no macroblocks; so has its last quarter.
  const Slice half{.tile = 0, .sub_slices = 2, .sub_slice = 1}, quarter{.tile = 0, .sub_slices = 4, .sub_slice = 3};
  for (const bool intra : {false, true})
    for (int quantiser = 0; quantiser < 64; ++quantiser) {
      CAPTURE(quantiser);
      const auto bytes = only_header(intra, quantiser);
      CHECK(is_transform_slice(bytes, intra));
      CHECK(is_decoded(half, bytes, intra) == (quantiser <= kMostTransformQuantiser));
      CHECK(!is_decoded(quarter, bytes, intra));
    }
  for (const TextureFormat format : textures::cut_formats()) {
    const TextureDesc other{.format = format, .width = 64, .height = 32};
    if (TileGrid(other).can_transform()) continue;
    CAPTURE(name(format));
    const auto bytes = random_slice(grid, {.tile = 0}, {.intra = true}, random);
    const Texture around = textures::noise(other, 1);
    oracle::Decoder of_other(other);
    const TileGrid other_grid(other);
    const SliceToDecode what{other_grid, {.tile = 0}, bytes, true, nullptr, around};
    const OracleAnswer answer = answer_of_oracle(of_other, what);
    CHECK(!answer.decoded);
    CHECK(agrees(what, answer, right));
  }
}

// It is so rare that neither random slices nor damage have it.
TEST_CASE("a magnitude with an escape of 14 bits is the largest that decoders accept") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_444, .width = 16, .height = 16};
  const TileGrid grid(desc);
  oracle::Decoder oracle(desc);
  const std::vector<uint8_t> right(grid.tiles(), 1);
  for (const int size : {14, 15}) {
    SymbolList list;
    list.make_room(100);
    TableSink sink{list, &transform_tables(0, TableSet::luma)};
    put_transform_header(sink, true, 0);
    sink.put(mode_context(true, 0, 0), static_cast<int>(MacroblockMode::intra_dc));
    sink.put(coded_luma_context(true, 0), 1);
    sink.tables = &transform_tables(0, TableSet::chroma_444);
    sink.put(coded_chroma_context(true, true, 0), 0);
    sink.put(coded_chroma_context(true, true, 1), 0);
    sink.tables = &transform_tables(0, TableSet::luma);
    sink.put(last_context(true), 0);
    sink.put(last_magnitude_context(0), kMagnitudeEscape);
    sink.put(transform_context::kEscape.first, size);
    sink.bits(0, size);
    sink.bits(0, 1);  // the sign
    std::vector<std::byte> memory(100);
    const Bytes bytes = Bytes(memory).last(list.write(memory, kLossyEndState));
    const Texture around = textures::noise(desc, 1);
    const SliceToDecode what{grid, {.tile = 0}, bytes, true, nullptr, around};
    const OracleAnswer answer = answer_of_oracle(oracle, what);
    CHECK(answer.decoded == (size == 14));
    CHECK(agrees(what, answer, right));
  }
}

namespace {

// Records the slices that it is given, and fails to decode each of them.
class RecordingBackend : public ReconstructionBackend {
 public:
  RecordingBackend(const TileGrid& grid, std::vector<SliceToReconstruct>& slices)
      : texture_(grid.texture_bytes()), given_(slices) {}
  void begin(const FrameToReconstruct& frame) override {
    std::ranges::copy(frame.reference, texture_.begin());
    given_.assign(frame.slices.begin(), frame.slices.end());
    answers_.assign(frame.slices.size(), {});
  }
  ReconstructedFrame result() override { return {.slices = answers_, .texture = texture_}; }
  std::span<const uint8_t> samples() override { return {}; }

 private:
  Texture texture_;
  std::vector<SliceToReconstruct>& given_;
  std::vector<ReconstructedSlice> answers_;
};

}  // namespace

TEST_CASE("a reconstruction backend learns which of its slices are transform slices") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 192, .height = 64};
  const TileGrid grid(desc);
  Workers workers(0);
  FrameDecoder decoder(desc, workers);
  std::vector<SliceToReconstruct> given;
  decoder.use_backend(std::make_unique<RecordingBackend>(grid, given));
  PayloadWriter writer(grid, 4000);
  std::mt19937 random(9);
  const Texture reference = reference_of(desc, 0);
  // Tile 0 is a transform slice, and tile 1 a block-coded one (of garbage).
  for (const bool intra : {true, false}) {
    const std::vector<std::byte> transform = random_slice(grid, {.tile = 0}, {.intra = intra}, random);
    std::vector<std::byte> garbage(20, std::byte{0x20});
    while (is_transform_slice(garbage, intra)) garbage[0] = static_cast<std::byte>(random());
    const Coding coding = intra ? Coding::lossy_intra : Coding::lossy_inter;
    const std::vector<CodedSlice> slices{{{.tile = 0}, coding, 0, transform}, {{.tile = 1}, coding, 0, garbage}};
    Texture after(reference.size());
    const DecodedCounts counts = decoder.decode(writer.write(slices), reference.data(), after);
    REQUIRE(given.size() == 2);
    CHECK(given[0].slice.tile == 0);
    CHECK(given[0].is_transform);
    CHECK(!given[1].is_transform);
    CHECK(counts.transform == 1);
    CHECK(after == reference);
  }
}

}  // namespace texcast::compact
