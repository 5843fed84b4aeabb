// Symbols and bytes of transform slices by a device, and its choice between two codings of a tile, compared with the
// CPU's.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <vector>

#include "base/workers.h"
#include "check.h"
#include "coding_choice.h"
#include "compact/adaptive_quantisation.h"
#include "compact/macroblock_grid.h"
#include "compact/rans.h"
#include "textures.h"
#include "transform_slice_encoder.h"
#include "transform_slices.h"
#include "transform_symbol_coder.h"

using namespace texcast;
using namespace texcast::compact;
using namespace textures;

namespace {

using transform_slices::Coded;

using transform_slices::Wishes;

constexpr size_t kFirst = 2;  // of the tiles, in the lists
constexpr size_t kUsualSliceBytes = 1200;

int up_to(std::mt19937& random, int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); }

// A tile, and what a CPU makes of it.
struct Tile {
  Slice slice;
  texcast_lossy_tile argument{};
  std::vector<Coded> macroblocks;  // row by row
  std::vector<std::byte> bytes;    // of the slice, however many
};
// The coding of a tile by blocks, as the device's block coder would report it.
struct Blocks {
  size_t words = 0;
  bool has_room = true;
};

class DeviceCoder {
 public:
  explicit DeviceCoder(const TextureDesc& desc)
      : grid_(desc),
        queue_(check::device()),
        buffers_(queue_, grid_),
        tables_(check::device(), grid_),
        transform_tables_(check::device(), grid_),
        blocks_(queue_, grid_, kMostTiles, "code_tiles"),
        coder_(queue_, grid_, buffers_, tables_, transform_tables_) {
    REQUIRE(grid_.tiles() >= kFirst);
  }
  const TileGrid& grid() const { return grid_; }

  void begin_frame() {
    coder_.begin_frame();
    blocks_.begin_frame();
  }
  // Textures and texels that the choice compares. By default they are all 0.
  Texture transform_texture, reconstruction;
  std::vector<SubBlockTexels> texels;

  // Codes the tiles. `blocks`: of each tile; empty: the block coder has no memory.
  void code(std::span<const Tile> tiles, std::span<const Blocks> blocks, size_t most_slice_bytes = kUsualSliceBytes) {
    const size_t count = tiles.size();
    std::vector<texcast_lossy_tile> arguments(kFirst + count);
    for (size_t i = 0; i < count; ++i) arguments[kFirst + i] = tiles[i].argument;
    const cl::Buffer list = copy_of(arguments), macroblocks = copy_of(macroblocks_of(tiles)),
                     levels = copy_of(levels_of(tiles)), source = copy_of(filled(texels)),
                     texture = copy_of(filled(transform_texture));
    const Texture before = filled(reconstruction);
    queue_.commands().enqueueWriteBuffer(buffers_.reconstruction, CL_TRUE, 0, before.size(), before.data());
    Stage stage;
    if (!blocks.empty()) put_blocks(blocks);
    coder_.start({.tiles = list,
                  .first = kFirst,
                  .count = count,
                  .texels = source,
                  .macroblocks = macroblocks,
                  .levels = levels,
                  .texture = texture},
                 blocks_, queue_.marker(), most_slice_bytes, stage, stage);
    coder_.download_usual(count, stage);
    send_and_wait();
    if (coder_.download_rest(count, workers_, stage)) send_and_wait();
    coder_.end_batch(count);
    reconstruction = before;
    queue_.commands().enqueueReadBuffer(buffers_.reconstruction, CL_TRUE, 0, before.size(), reconstruction.data());
    slices_.assign(count, {});
  }
  KeptCoding kept(size_t i) const { return coder_.kept(i); }
  EncodedTile result(size_t i) {
    EncodedTile tile;
    coder_.result(i, tile, slices_[i]);
    return tile;
  }

 private:
  static constexpr size_t kMostTiles = 200;

  template <typename List>
  static cl::Buffer copy_of(const List& list) {
    return {check::device().context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, list.size() * sizeof list[0],
            const_cast<void*>(static_cast<const void*>(list.data()))};
  }
  Texture filled(Texture texture) const {
    texture.resize(grid_.texture_bytes());
    return texture;
  }
  std::vector<SubBlockTexels> filled(std::vector<SubBlockTexels> list) const {
    list.resize(grid_.texture_bytes() / 8);
    return list;
  }
  void send_and_wait() {
    queue_.send();
    queue_.wait();
  }
  void put_blocks(std::span<const Blocks> blocks) {
    blocks_.begin(kFirst, blocks.size());
    std::vector<texcast_coded_tile> coded;
    for (const Blocks& of : blocks)
      coded.push_back({.first = of.has_room ? 0 : TEXCAST_LOSSY_NO_ROOM,
                       .end = {},
                       .content = 0,
                       .most_words = 0,
                       .words = static_cast<cl_uint>(of.words),
                       .first_word = 0,
                       .kept = 0});
    queue_.commands().enqueueWriteBuffer(blocks_.device_tiles(), CL_TRUE, kFirst * sizeof coded[0],
                                         coded.size() * sizeof coded[0], coded.data());
  }
  template <typename Call>
  void each_macroblock(std::span<const Tile> tiles, const Call& call) const {
    for (size_t i = 0; i < tiles.size(); ++i) {
      const MacroblockGrid geometry(grid_, tiles[i].slice);
      for (size_t number = 0; number < tiles[i].macroblocks.size(); ++number) {
        const auto columns = static_cast<size_t>(geometry.columns());
        call(tiles[i].macroblocks[number],
             i * kMostMacroblocks + number / columns * kMacroblockColumns + number % columns);
      }
    }
  }
  // Macroblocks outside of the picture, and levels of blocks without coefficients, may be anything.
  std::vector<texcast_macroblock> macroblocks_of(std::span<const Tile> tiles) const {
    std::vector<texcast_macroblock> list(tiles.size() * kMostMacroblocks,
                                         {.mode = 2, .vector = {77, -5}, .coded = 0xFFF});
    each_macroblock(tiles, [&](const Coded& of, size_t at) {
      list[at] = {.mode = static_cast<int>(of.macroblock.mode),
                  .vector = {of.macroblock.vector.x, of.macroblock.vector.y},
                  .coded = 0};
      for (size_t c = 0; c < kTransformComponents; ++c) list[at].coded |= of.macroblock.coded[c] << (4 * c);
    });
    return list;
  }
  std::vector<int16_t> levels_of(std::span<const Tile> tiles) const {
    std::vector<int16_t> list(tiles.size() * kMostMacroblocks * TEXCAST_TRANSFORM_BLOCKS * kCoefficients, 99);
    each_macroblock(tiles, [&](const Coded& of, size_t at) {
      for (size_t c = 0; c < kTransformComponents; ++c)
        for (size_t i = 0; i < kMostTransformBlocks; ++i)
          if ((of.macroblock.coded[c] >> i & 1) != 0)
            std::ranges::copy(of.levels[c][i], &list[(at * TEXCAST_TRANSFORM_BLOCKS + 4 * c + i) * kCoefficients]);
    });
    return list;
  }

  const TileGrid grid_;
  Workers workers_;
  DeviceQueue queue_;
  RdFrameBuffers buffers_;
  const RdTables tables_;
  const TransformTables transform_tables_;
  CodedTileLists blocks_;
  TransformSymbolCoder coder_;
  std::vector<BackendSlice> slices_;
};

Tile random_tile(const TileGrid& grid, uint32_t number, const Wishes& wishes, std::mt19937& random) {
  Tile tile{.slice = {.tile = number}, .argument = {}, .macroblocks = {}, .bytes = {}};
  tile.bytes = transform_slices::random_slice(grid, tile.slice, wishes, random, &tile.macroblocks);
  tile.argument.tile = static_cast<int>(number);
  tile.argument.intra = wishes.intra ? 1 : 0;
  tile.argument.transform_quantiser = wishes.quantiser;
  tile.argument.attempt = TEXCAST_ATTEMPT_TRANSFORM;
  std::ranges::fill(tile.argument.lambda_weights, kFullLambda);
  return tile;
}

// The bytes of a tile if they have room.
size_t bytes_of(const TileGrid& grid, const Tile& tile, size_t most_slice_bytes = kUsualSliceBytes) {
  return tile.bytes.size() <= std::min(most_slice_bytes, grid.raw_bytes(tile.slice) - 2) ? tile.bytes.size() : 0;
}

// The device's symbols give the bytes of the tile, and so do its own bytes if they have room.
void check_tile(DeviceCoder& device, size_t i, const Tile& tile, size_t most_slice_bytes = kUsualSliceBytes) {
  CAPTURE(tile.slice.tile);
  const EncodedTile got = device.result(i);
  CHECK(got.content == Content::transform);
  REQUIRE(!got.symbols.empty());
  CHECK(got.ends.front() == got.symbols.size());
  CHECK(got.ends.back() == got.symbols.size());
  SymbolList symbols;
  TransformSliceEncoder().list_symbols(device.grid(), tile.argument.transform_quantiser, got, symbols);
  std::vector<std::byte> memory(1 << 20);
  const size_t bytes = symbols.write(memory, kLossyEndState);
  CHECK(std::ranges::equal(MutableBytes(memory).last(bytes), tile.bytes));
  const bool has_room = bytes_of(device.grid(), tile, most_slice_bytes) > 0;
  CHECK(device.kept(i) == (has_room ? KeptCoding::transform : KeptCoding::none));
  CHECK(std::ranges::equal(got.bytes(), has_room ? Bytes(tile.bytes) : Bytes{}));
}

std::vector<Tile> random_tiles(const TileGrid& grid, std::mt19937& random) {
  std::vector<Tile> tiles;
  for (uint32_t i = 0; i < grid.tiles(); ++i) {
    Wishes wishes = transform_slices::random_wishes(random() % 3 == 0, random);
    if (wishes.levels == transform_slices::Levels::extreme && random() % 2 == 0)
      wishes.levels = transform_slices::Levels::few;
    tiles.push_back(random_tile(grid, i, wishes, random));
  }
  return tiles;
}

struct Case {
  TextureFormat format;
  int width, height;
};
// Edges with fewer macroblocks, and with fewer transform blocks and sub-blocks in them.
std::vector<Case> cases() {
  std::vector<Case> cases;
  for (const TextureFormat format :
       {TextureFormat::ycocg_bc4_444, TextureFormat::ycocg_bc4_422, TextureFormat::ycocg_bc4_420}) {
    if (check::tiny_only()) {
      cases.push_back({format, 100, 20});
      continue;
    }
    for (const auto& [width, height] : {std::pair(65, 12), {132, 33}, {200, 101}, {320, 90}})
      cases.push_back({format, width, height});
  }
  return cases;
}

// A tile with symbols for more than all the memory of a few tiles.
Tile tile_without_room(const TileGrid& grid, uint32_t number, std::mt19937& random) {
  Tile tile = random_tile(grid, number, {.intra = true}, random);
  for (Coded& coded : tile.macroblocks) {
    coded.macroblock.coded = {15, 15, 15};
    for (auto& component : coded.levels)
      for (auto& levels : component) levels.fill(static_cast<int16_t>(random() % 2 == 0 ? 32767 : -32767));
  }
  return tile;
}

// Differences of a decision from the CPU's.
class Choice {
 public:
  Choice(const TileGrid& grid, const DeviceCoder& device, const Tile& tile)
      : grid_(grid), device_(device), tile_(tile) {
    source_.read(grid, tile.slice, {.picture = nullptr, .texels = device.texels}, nullptr);
  }
  int64_t score(const Texture& texture, size_t bytes) const {
    return coding_score(grid_, tile_.slice, source_, texture.data(), tile_.argument.transform_lambda,
                        tile_.argument.lambda_weights, bytes);
  }
  // D by macroblocks less D by blocks.
  int64_t difference() const { return score(device_.transform_texture, 0) - score(device_.reconstruction, 0); }
  // As RdTileCoder::encode_both().
  KeptCoding kept(const Blocks& blocks) const {
    const size_t bytes = bytes_of(grid_, tile_);
    if (bytes == 0) return KeptCoding::blocks;
    const bool is_less = score(device_.reconstruction, 2 * blocks.words) < score(device_.transform_texture, bytes);
    return blocks.words > 0 && is_less ? KeptCoding::blocks : KeptCoding::transform;
  }

 private:
  const TileGrid& grid_;
  const DeviceCoder& device_;
  const Tile& tile_;
  TransformSource source_;
};

std::vector<SubBlockTexels> random_texels(size_t count, std::mt19937& random) {
  std::vector<SubBlockTexels> texels(count);
  for (SubBlockTexels& of : texels)
    for (uint8_t& texel : of) texel = static_cast<uint8_t>(random());
  return texels;
}

// The tile's part of the device's reconstruction is that of the kept coding.
void check_reconstruction(const DeviceCoder& device, const Tile& tile, const Texture& before, KeptCoding kept) {
  Texture want = device.reconstruction;
  copy_tile(device.grid(), tile.slice.tile, kept == KeptCoding::transform ? device.transform_texture : before, want);
  CHECK(want == device.reconstruction);
}

}  // namespace

TEST_CASE("symbols and bytes of transform slices by the device") {
  std::mt19937 random(1);
  for (const Case& of : cases()) {
    CAPTURE(name(of.format));
    CAPTURE(of.width);
    CAPTURE(of.height);
    DeviceCoder device({.format = of.format, .width = of.width, .height = of.height});
    for (int round = 0; round < (check::tiny_only() ? 1 : 4); ++round) {
      CAPTURE(round);
      const std::vector<Tile> tiles = random_tiles(device.grid(), random);
      device.begin_frame();
      device.code(tiles, {});
      for (size_t i = 0; i < tiles.size(); ++i) check_tile(device, i, tiles[i]);
    }
  }
}

TEST_CASE("transform slices by the device: a limit of bytes, and no memory for symbols") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_444, .width = check::tiny_only() ? 128 : 190, .height = 32};
  std::mt19937 random(2);
  DeviceCoder device(desc);
  std::vector<Tile> tiles;
  for (uint32_t i = 0; i < device.grid().tiles(); ++i)
    tiles.push_back(random_tile(device.grid(), i,
                                {.levels = i % 2 == 0 ? transform_slices::Levels::many : transform_slices::Levels::few},
                                random));
  for (const size_t most : {tiles[0].bytes.size() - 2, tiles[0].bytes.size()}) {
    CAPTURE(most);
    device.begin_frame();
    device.code(tiles, {}, most);
    for (size_t i = 0; i < tiles.size(); ++i) check_tile(device, i, tiles[i], most);
  }
  // The tiles of a frame, and those encoded on trial, have room; no others.
  const size_t batches = (device.grid().tiles() + device.grid().tiles() / 8 + 32) / device.grid().tiles();
  device.begin_frame();
  for (size_t batch = 0; batch <= batches; ++batch) {
    CAPTURE(batch);
    device.code(tiles, {});
    if (batch + 1 == batches) check_tile(device, 1, tiles[1]);
    if (batch < batches) continue;
    CHECK(device.result(1).symbols.empty());
    CHECK(device.kept(1) == KeptCoding::none);
  }
  std::vector<Tile> extreme;
  for (uint32_t i = 0; i < device.grid().tiles(); ++i) extreme.push_back(tile_without_room(device.grid(), i, random));
  extreme[0].argument.attempt = TEXCAST_ATTEMPT_BOTH;
  device.begin_frame();
  device.code(extreme, std::vector<Blocks>(extreme.size(), Blocks{.words = 10}));
  for (size_t i = 0; i < extreme.size(); ++i) {
    CHECK(device.result(i).symbols.empty());
    CHECK(device.kept(i) == KeptCoding::none);
  }
}

TEST_CASE("the device chooses between two codings of a tile as the CPU does") {
  std::mt19937 random(3);
  for (const Case& of : cases()) {
    CAPTURE(name(of.format));
    CAPTURE(of.width);
    DeviceCoder device({.format = of.format, .width = of.width, .height = of.height});
    device.transform_texture = noise(device.grid().texture(), 1);
    const Texture by_blocks = noise(device.grid().texture(), 2);
    device.reconstruction = by_blocks;
    device.texels = random_texels(by_blocks.size() / 8, random);
    std::vector<Tile> tiles = random_tiles(device.grid(), random);
    std::vector<Blocks> blocks(tiles.size());
    for (size_t i = 0; i < tiles.size(); ++i) {
      texcast_lossy_tile& argument = tiles[i].argument;
      argument.attempt = i % 5 == 4 ? TEXCAST_ATTEMPT_TRANSFORM : TEXCAST_ATTEMPT_BOTH;
      for (uint8_t& weight : argument.lambda_weights) weight = static_cast<uint8_t>(kFullLambda + up_to(random, 16));
      blocks[i].words = static_cast<size_t>(up_to(random, 500));
      // On both sides of the lambda from which on the other coding is kept.
      const int64_t words = static_cast<int64_t>(blocks[i].words) - static_cast<int64_t>(tiles[i].bytes.size() / 2);
      const int64_t least = words != 0 ? Choice(device.grid(), device, tiles[i]).difference() / (16 * words) : 0;
      argument.transform_lambda = static_cast<int>(std::clamp(least + up_to(random, 1), int64_t{1}, int64_t{1} << 24));
    }
    std::vector<KeptCoding> want;
    std::array<size_t, 3> kept{};
    for (size_t i = 0; i < tiles.size(); ++i) {
      want.push_back(tiles[i].argument.attempt == TEXCAST_ATTEMPT_BOTH
                         ? Choice(device.grid(), device, tiles[i]).kept(blocks[i])
                     : bytes_of(device.grid(), tiles[i]) > 0 ? KeptCoding::transform
                                                             : KeptCoding::none);
      ++kept[static_cast<size_t>(want.back())];
    }
    device.begin_frame();
    device.code(tiles, blocks);
    for (size_t i = 0; i < tiles.size(); ++i) {
      CAPTURE(i);
      CHECK(device.kept(i) == want[i]);
      check_reconstruction(device, tiles[i], by_blocks, want[i]);
    }
    if (tiles.size() < 8) continue;
    CHECK(kept[static_cast<size_t>(KeptCoding::blocks)] > 0);
    CHECK(kept[static_cast<size_t>(KeptCoding::transform)] > 0);
  }
}

TEST_CASE("the device's choice: ties, and codings without room") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 128, .height = 32};
  std::mt19937 random(4);
  DeviceCoder device(desc);
  const Texture by_blocks = noise(desc, 5);
  device.transform_texture = by_blocks;
  device.texels = random_texels(by_blocks.size() / 8, random);
  const auto kept = [&](size_t words, bool has_memory = true, bool has_room = true, bool has_bytes = true) {
    std::vector<Tile> tiles{random_tile(device.grid(), 0, {}, random)};
    REQUIRE(bytes_of(device.grid(), tiles[0]) > 0);
    tiles[0].argument.attempt = TEXCAST_ATTEMPT_BOTH;
    tiles[0].argument.transform_lambda = 100;
    const size_t more = words - 1;
    const std::vector<Blocks> blocks{
        {.words = words == 0 ? 0 : tiles[0].bytes.size() / 2 + more - 9, .has_room = has_room}};
    device.reconstruction = by_blocks;
    device.begin_frame();
    device.code(tiles, has_memory ? std::span<const Blocks>(blocks) : std::span<const Blocks>{},
                has_bytes ? kUsualSliceBytes : 4);
    return device.kept(0);
  };
  // The block coder has no memory before it codes.
  CHECK(kept(10, false) == KeptCoding::none);
  CHECK(kept(9) == KeptCoding::blocks);  // a word less
  CHECK(kept(10) == KeptCoding::transform);
  CHECK(kept(11) == KeptCoding::transform);
  CHECK(kept(0) == KeptCoding::transform);
  CHECK(kept(10, true, true, false) == KeptCoding::blocks);
  CHECK(kept(0, true, true, false) == KeptCoding::blocks);
  CHECK(kept(10, true, false) == KeptCoding::none);
}
