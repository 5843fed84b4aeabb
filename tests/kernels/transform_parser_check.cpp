// The symbols of transform slices, parsed by the device: it finds the macroblocks and levels that were coded, and
// accepts the slices that the CPU accepts, whatever their bytes are.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "check.h"
#include "compact/macroblock_grid.h"
#include "compact/macroblock_symbols.h"
#include "compact/rans.h"
#include "compact/sample_planes.h"
#include "compact/symbol_writer.h"
#include "compact/tables.h"
#include "decoding_buffers.h"
#include "decoding_tables.h"
#include "kernels/compact.h"
#include "ocl/program.h"
#include "oracle_check.h"
#include "textures.h"
#include "transform_slice_decoder.h"
#include "transform_slices.h"

using namespace texcast;

namespace {

using namespace compact;
using transform_slices::Coded;

constexpr size_t kLevels = size_t{TEXCAST_MACROBLOCKS} * TEXCAST_TRANSFORM_BLOCKS * TEXCAST_COEFFICIENTS;
// Levels of blocks that have none keep this.
constexpr cl_short kUntouched = 0x5A5A;

struct Parsed {
  bool is_valid = false;
  std::vector<texcast_decoded_part> parts;
  std::vector<texcast_macroblock> macroblocks;  // of each part
  std::vector<cl_short> levels;
};

// Parses slices one at a time.
class Parser {
 public:
  explicit Parser(const TileGrid& grid)
      : queue_(check::device()),
        tables_(check::device(), grid),
        buffers_(queue_, grid, grid.tiles() + 2),
        parse_(ocl::build_program(check::device(), "compact/decode.cl", "-DCHANNEL=1"), "parse_slices") {}

  // The slice begins at word 3, and its first part is number 2.
  Parsed parse(const Slice& slice, bool intra, Bytes bytes) {
    const size_t parts = size_t{2} + slice.tiles;
    buffers_.slices.host()[0] = {.tile = static_cast<cl_int>(slice.tile),
                                 .tiles = slice.tiles,
                                 .sub_slices = slice.sub_slices,
                                 .sub_slice = slice.sub_slice,
                                 .intra = intra,
                                 .first_word = 3,
                                 .bytes = static_cast<cl_uint>(bytes.size()),
                                 .first_part = 2};
    std::ranges::copy(bytes, reinterpret_cast<std::byte*>(buffers_.words->host().data() + 3));
    buffers_.slices.upload(queue_.commands(), 1);
    buffers_.words->upload(queue_.commands(), 3 + (bytes.size() + 1) / 2);
    const cl::Buffer macroblocks = queue_.memory(parts * TEXCAST_MACROBLOCKS * sizeof(texcast_macroblock));
    const cl::Buffer levels = queue_.memory(parts * kLevels * sizeof(cl_short));
    queue_.commands().enqueueFillBuffer(levels, kUntouched, 0, parts * kLevels * sizeof(cl_short));
    Stage stage;
    set_arguments(parse_, buffers_.words->device(), buffers_.slices.device(), cl_int{1}, tables_.descriptions,
                  tables_.components, tables_.buckets, tables_.starts, tables_.sets, tables_.transform_buckets,
                  tables_.transform_starts, buffers_.parts, buffers_.symbols, macroblocks, levels,
                  buffers_.results.device(), cl::Local(sizeof(texcast_block_parser)),
                  cl::Local(sizeof(texcast_transform_parser)));
    queue_.launch_groups(parse_, 1, 1, stage);
    Parsed parsed;
    parsed.parts.resize(parts);
    parsed.macroblocks.resize(parts * TEXCAST_MACROBLOCKS);
    parsed.levels.resize(parts * kLevels);
    const auto read = [&](const cl::Buffer& from, auto& to) {
      queue_.commands().enqueueReadBuffer(from, CL_TRUE, 0, to.size() * sizeof to[0], to.data());
    };
    read(buffers_.parts, parsed.parts);
    read(macroblocks, parsed.macroblocks);
    read(levels, parsed.levels);
    std::array<texcast_decoded_slice, 1> results;
    read(buffers_.results.device(), results);
    parsed.is_valid = results[0].flags == TEXCAST_DECODED_VALID;
    const auto begin = [&](auto& list, size_t of_part) {
      list.erase(list.begin(), list.begin() + static_cast<ptrdiff_t>(2 * of_part));
    };
    begin(parsed.parts, 1);
    begin(parsed.macroblocks, TEXCAST_MACROBLOCKS);
    begin(parsed.levels, kLevels);
    return parsed;
  }

 private:
  DeviceQueue queue_;
  const DecodingTables tables_;
  DecodingBuffers buffers_;
  cl::Kernel parse_;
};

bool is_same(const texcast_macroblock& parsed, const Macroblock& coded) {
  const unsigned bits = coded.coded[0] | unsigned{coded.coded[1]} << 4 | unsigned{coded.coded[2]} << 8;
  return parsed.mode == static_cast<int>(coded.mode) && parsed.vector[0] == coded.vector.x &&
         parsed.vector[1] == coded.vector.y && parsed.coded == bits;
}
// Whether coded transform blocks have their levels, and no others were written.
bool is_same(const cl_short* parsed, const Coded& coded) {
  for (size_t c = 0; c < kTransformComponents; ++c)
    for (size_t i = 0; i < kMostTransformBlocks; ++i, parsed += kCoefficients) {
      const bool has_levels = (coded.macroblock.coded[c] >> i & 1) != 0;
      const TransformLevels& want = coded.levels[c][i];
      const bool is_same =
          has_levels ? std::equal(want.begin(), want.end(), parsed)
                     : std::all_of(parsed, parsed + kCoefficients, [](cl_short level) { return level == kUntouched; });
      if (!is_same) return false;
    }
  return true;
}
bool is_same(const TileGrid& grid, const Slice& slice, const transform_slices::Wishes& wishes, const Parsed& parsed,
             const std::vector<Coded>& coded) {
  size_t next = 0;
  for (uint32_t tile = 0; tile < slice.tiles; ++tile) {
    const texcast_decoded_part& part = parsed.parts[tile];
    if (part.slice != 0 || part.tile != static_cast<int>(slice.tile + tile) || part.sub_slices != slice.sub_slices ||
        part.sub_slice != slice.sub_slice || part.intra != static_cast<int>(wishes.intra) || part.is_valid != 1 ||
        part.quantiser != wishes.quantiser)
      return false;
    const MacroblockGrid macroblocks(grid, slice.only(tile));
    for (int row = 0; row < macroblocks.rows(); ++row)
      for (int column = 0; column < macroblocks.columns(); ++column, ++next) {
        const size_t at = tile * TEXCAST_MACROBLOCKS + MacroblockNeighbours::index(column, row);
        if (!is_same(parsed.macroblocks[at], coded[next].macroblock) ||
            !is_same(&parsed.levels[at * TEXCAST_TRANSFORM_BLOCKS * TEXCAST_COEFFICIENTS], coded[next]))
          return false;
      }
  }
  return next == coded.size();
}

Slice random_part(const TileGrid& grid, std::mt19937& random) {
  Slice slice{.tile = static_cast<uint32_t>(random() % grid.tiles())};
  const uint32_t left = static_cast<uint32_t>(grid.across()) - slice.tile % static_cast<uint32_t>(grid.across());
  if (random() % 3 == 0) slice.tiles = static_cast<uint8_t>(1 + random() % left);
  if (slice.tiles == 1 && random() % 2 == 0) slice.sub_slices = 2, slice.sub_slice = static_cast<uint8_t>(random() % 2);
  return slice;
}

constexpr TextureFormat kTransformFormats[] = {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422,
                                               TextureFormat::ycocg_bc4_444};

}  // namespace

TEST_CASE("transform slices parsed by the device: macroblocks and levels, and invalid slices") {
  for (const TextureFormat format : kTransformFormats) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 219, .height = 43};
    const TileGrid grid(desc);
    Parser parser(grid);
    const textures::Texture reference(grid.texture_bytes());
    const SamplePlanes reference_samples(grid);
    SamplePlanes samples(grid);
    std::mt19937 random(29);
    int refused = 0;
    for (int i = 0; i < (check::tiny_only() ? 6 : 200); ++i) {
      CAPTURE(i);
      const Slice slice = random_part(grid, random);
      const bool intra = random() % 3 == 0;
      const transform_slices::Wishes wishes = transform_slices::random_wishes(intra, random);
      std::vector<Coded> coded;
      std::vector<std::byte> bytes = transform_slices::random_slice(grid, slice, wishes, random, &coded);
      const Parsed parsed = parser.parse(slice, intra, bytes);
      CHECK(parsed.is_valid);
      CHECK(is_same(grid, slice, wishes, parsed, coded));
      // Damaged ones, of the wrong type, and with more sub-slices than there are.
      Slice of = slice;
      if (i % 8 == 7 && slice.tiles == 1) of.sub_slices = 4;
      if (i % 4 != 3) bytes = damaged(bytes, i % 4, random);
      const bool is_intra = i % 4 == 3 ? !intra : intra;
      textures::Texture texture(grid.texture_bytes());
      ReferenceReads reads(grid, std::vector<uint8_t>(grid.tiles(), 1));
      const bool is_valid = decode_transform_slice(grid, of, bytes,
                                                   {.reference = is_intra ? nullptr : reference.data(),
                                                    .reference_samples = &reference_samples,
                                                    .texture = texture.data(),
                                                    .samples = &samples},
                                                   &reads);
      CHECK(parser.parse(of, is_intra, bytes).is_valid == is_valid);
      refused += !is_valid;
    }
    CHECK(refused > (check::tiny_only() ? 0 : 100));
  }
}

namespace {

// A slice of a tile whose macroblocks all predict the mean and have no coefficients, but for the last one.
class FaultySlice {
 public:
  FaultySlice(const TileGrid& grid, const Slice& slice, bool intra, int quantiser)
      : macroblocks_(grid, slice), neighbours_{.intra_slice = intra, .columns = macroblocks_.columns()} {
    list_.make_room(4000);
    for (int c = 0; c < kTransformComponents; ++c)
      tables_[static_cast<size_t>(c)] = &transform_tables(transform_range(quantiser), grid.component(c).tables);
    put_transform_header(*this, intra, quantiser);
    for (int row = 0; row < macroblocks_.rows(); ++row)
      for (int column = 0; column < macroblocks_.columns(); ++column)
        if (row + 1 < macroblocks_.rows() || column + 1 < macroblocks_.columns())
          add({.mode = MacroblockMode::intra_dc}, column, row, macroblocks_.masks(column, row));
  }
  void put(int context, int symbol) { list_.put(*tables_[component_], context, symbol); }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }
  // The last one. Its `coded` is written for components with a bit in `masks`.
  void finish(const Macroblock& macroblock, const std::array<uint8_t, kTransformComponents>& masks) {
    add(macroblock, macroblocks_.columns() - 1, macroblocks_.rows() - 1, masks);
    for (component_ = 0; component_ < kTransformComponents; ++component_)
      for (int i = 0; i < kMostTransformBlocks; ++i)
        if ((macroblock.coded[component_] >> i & 1) != 0) put_levels(*this, true, {7, -2});
    component_ = 0;
  }
  // The last one has a luma coefficient, of this escape.
  void finish_with_escape(int size, uint32_t escape) {
    add({.mode = MacroblockMode::intra_dc, .coded = {1}}, macroblocks_.columns() - 1, macroblocks_.rows() - 1,
        last_masks());
    component_ = 0;
    put(last_context(true), 0);
    put(last_magnitude_context(0), kMagnitudeEscape);
    put(transform_context::kEscape.first, size);
    bits(escape, size);
    bits(1, 1);  // negative
  }
  std::array<uint8_t, kTransformComponents> last_masks() const {
    return macroblocks_.masks(macroblocks_.columns() - 1, macroblocks_.rows() - 1);
  }
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> memory(8000);
    const size_t used = list_.write(memory, kLossyEndState);
    return {memory.end() - static_cast<ptrdiff_t>(used), memory.end()};
  }

 private:
  void add(const Macroblock& macroblock, int column, int row, const std::array<uint8_t, kTransformComponents>& masks) {
    put_macroblock(
        *this, [this](int c) { component_ = static_cast<size_t>(c); }, neighbours_, column, row, masks, macroblock);
    neighbours_.add(macroblock, column, row);
  }
  const MacroblockGrid macroblocks_;
  MacroblockNeighbours neighbours_;
  std::array<const CodingTables*, kTransformComponents> tables_{};
  size_t component_ = 0;
  SymbolList list_;
};

// Parses slices by device and CPU.
class BothParse {
 public:
  explicit BothParse(const TextureDesc& desc)
      : grid_(desc), parser_(grid_), reference_(grid_.texture_bytes()), reference_samples_(grid_), samples_(grid_) {}
  const TileGrid& grid() const { return grid_; }
  // Whether both accept the slice, or both refuse it, as they should.
  bool is(bool valid, Bytes bytes, bool intra = true, const Slice& slice = {.tile = 0}) {
    textures::Texture texture(grid_.texture_bytes());
    ReferenceReads reads(grid_, std::vector<uint8_t>(grid_.tiles(), 1));
    const std::byte* const reference = intra ? nullptr : reference_.data();
    parsed_ = parser_.parse(slice, intra, bytes);
    return parsed_.is_valid == valid && decode_transform_slice(grid_, slice, bytes,
                                                               {.reference = reference,
                                                                .reference_samples = &reference_samples_,
                                                                .texture = texture.data(),
                                                                .samples = &samples_},
                                                               &reads) == valid;
  }
  const Parsed& parsed() const { return parsed_; }

 private:
  const TileGrid grid_;
  Parser parser_;
  const textures::Texture reference_;
  const SamplePlanes reference_samples_;
  SamplePlanes samples_;
  Parsed parsed_;
};

}  // namespace

// An attacker can make everything else in such a slice valid.
TEST_CASE("the device refuses transform slices with a single invalid symbol") {
  // In two rows of two macroblocks. The last one lacks transform blocks in all components.
  BothParse both({.format = TextureFormat::ycocg_bc4_422, .width = 24, .height = 24});
  const Slice whole{.tile = 0};
  const Macroblock usual{.mode = MacroblockMode::intra_dc};
  for (int mode = 0; mode < 16; ++mode) {
    CAPTURE(mode);
    for (const bool intra : {false, true}) {
      FaultySlice slice(both.grid(), whole, intra, 30);
      slice.finish({.mode = static_cast<MacroblockMode>(mode)}, slice.last_masks());
      CHECK(both.is(mode < kMacroblockModes && (!intra || mode >= 3), slice.bytes(), intra));
    }
  }
  for (size_t c = 0; c < kTransformComponents; ++c)
    for (int i = 0; i < kMostTransformBlocks; ++i) {
      CAPTURE(c);
      CAPTURE(i);
      FaultySlice slice(both.grid(), whole, true, 20);
      Macroblock macroblock = usual;
      macroblock.coded[c] = static_cast<uint8_t>(1u << i);
      slice.finish(macroblock, slice.last_masks());
      CHECK(both.is((slice.last_masks()[c] >> i & 1) != 0, slice.bytes()));
    }
  for (const int quantiser : {0, 15, 16, 24, 25, kMostTransformQuantiser, kMostTransformQuantiser + 1, 63}) {
    CAPTURE(quantiser);
    for (const bool intra : {false, true}) {
      FaultySlice slice(both.grid(), whole, intra, quantiser);
      slice.finish(usual, slice.last_masks());
      CHECK(both.is(quantiser <= kMostTransformQuantiser, slice.bytes(), intra));
    }
  }
  for (const uint8_t sub_slices : std::array<uint8_t, 4>{1, 2, 4, 8}) {
    const Slice part{.tile = 0, .sub_slices = sub_slices};
    FaultySlice slice(both.grid(), part, true, 20);
    slice.finish(usual, slice.last_masks());
    CHECK(both.is(sub_slices <= kMostTransformSubSlices, slice.bytes(), true, part));
  }
  for (const bool has_more : {false, true}) {
    FaultySlice slice(both.grid(), whole, true, 20);
    slice.finish(usual, slice.last_masks());
    if (has_more) slice.bits(5, 4);
    CHECK(both.is(!has_more, slice.bytes()));
  }
}

TEST_CASE("the largest escapes of transform slices on the device are limited to levels of 16 bits") {
  BothParse both({.format = TextureFormat::ycocg_bc4_420, .width = 16, .height = 16});
  for (const int size : {13, 14, 15})
    for (const uint32_t escape : {(1u << size) - 1, 0u}) {
      CAPTURE(size);
      FaultySlice slice(both.grid(), {.tile = 0}, true, 20);
      slice.finish_with_escape(size, escape);
      CHECK(both.is(size <= kMostMagnitudeBits, slice.bytes()));
      if (size > kMostMagnitudeBits) continue;
      const int level = 15 + (1 << size) + static_cast<int>(escape);  // the last one counts from 1
      CHECK(both.parsed().levels[0] == -std::min(level, 32767));
    }
}
