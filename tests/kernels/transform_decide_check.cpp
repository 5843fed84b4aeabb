// The mode decision of transform slices by a device, compared with MacroblockDecision: the same macroblocks, levels,
// samples and textures, frame after frame.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "capture_bound.h"
#include "check.h"
#include "compact/adaptive_quantisation.h"
#include "compact/block_fit.h"
#include "compact/sample_planes.h"
#include "compact/sub_block.h"
#include "compact/tables.h"
#include "compact/transform_lambda.h"
#include "macroblock_decision.h"
#include "ocl/profile.h"
#include "textures.h"
#include "tile_lists.h"
#include "transform_decision.h"
#include "transform_planes.h"

using namespace texcast;
using namespace textures;

namespace {

using namespace compact;

constexpr TextureFormat kPlaneFormats[] = {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422,
                                           TextureFormat::ycocg_bc4_444};

struct DecidedTile {
  int columns = 0, rows = 0;
  std::array<Macroblock, kMostMacroblocks> macroblocks{};
  std::array<MacroblockLevels, kMostMacroblocks> levels{};
};
struct Decided {
  std::vector<DecidedTile> tiles;
  Texture texture;
  std::vector<uint8_t> samples;
};

// A frame that is decided. Without vectors and weights they are 0 and full.
struct TransformFrame {
  const Texture& source;
  int lambda;
  bool intra;
  std::vector<TileVectors> vectors{};
  std::vector<LambdaWeights> weights{};
};

std::vector<SubBlockTexels> texels_of(const Texture& texture) {
  std::vector<SubBlockTexels> texels(texture.size() / 8);
  for (size_t i = 0; i < texels.size(); ++i)
    store_vector(texels[i].data(), nearest_texels(load_sub_block(texture.data() + 8 * i)));
  return texels;
}

// Whether the samples of a tile of the reference frame are those that its blocks decode to.
bool is_of_blocks(uint32_t tile, uint32_t frame) { return (tile + frame) % 4 == 0; }

// By the CPU, with the reference frame that it decided last.
class CpuDecision {
 public:
  explicit CpuDecision(const TileGrid& grid) : grid_(grid), planes_(grid), samples_(grid) {}

  Decided decide(const TransformFrame& frame, const Texture& reference) {
    for (uint32_t tile = 0; tile < grid_.tiles() && !frame.intra; ++tile) {
      if (is_of_blocks(tile, frames_))
        planes_.update(tile, reference.data());
      else
        planes_.update(tile, samples_);
    }
    ++frames_;
    for (uint32_t tile = 0; tile < grid_.tiles() && !frame.intra; ++tile) planes_.interpolate(tile);
    planes_.end_frame();
    const std::vector<SubBlockTexels> texels = texels_of(frame.source);
    Decided decided{.tiles = std::vector<DecidedTile>(grid_.tiles()), .texture = frame.source, .samples = {}};
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile)
      decide(frame, reference, texels, tile, decided.tiles[tile], decided.texture);
    const auto all = samples_.all();
    decided.samples.assign(all.begin(), all.end());
    return decided;
  }
  // Those of the reference frame of the latest decide().
  std::vector<uint8_t> reference_samples() const {
    const auto all = planes_.samples().all();
    return {all.begin(), all.end()};
  }

 private:
  void decide(const TransformFrame& frame, const Texture& reference, std::span<const SubBlockTexels> texels,
              uint32_t tile, DecidedTile& decided, Texture& texture) {
    const Slice slice{.tile = tile};
    source_.read(grid_, slice, {.texels = texels}, texture.data());
    const int quantiser = transform_quantiser(frame.lambda);
    std::array<const CodingTables*, kTransformComponents> tables{};
    for (int c = 0; c < kTransformComponents; ++c)
      tables[static_cast<size_t>(c)] = &transform_tables(transform_range(quantiser), grid_.component(c).tables);
    const Quantisation quantisation(quantiser);
    Reference with;
    if (!frame.intra) {
      with = {.texture = reference.data(), .samples = &planes_.samples(), .planes = &planes_};
      if (!frame.vectors.empty()) with.vectors = frame.vectors[tile];
      if (!frame.weights.empty()) with.lambda_weights = frame.weights[tile];
    }
    MacroblockDecision decision({.grid = grid_,
                                 .slice = slice,
                                 .reference = with,
                                 .source = source_,
                                 .quantisation = quantisation,
                                 .lambda = frame.lambda,
                                 .effort = {},
                                 .tables = tables},
                                texture.data(), samples_, *memory_);
    decided.columns = decision.columns();
    decided.rows = decision.rows();
    for (int row = 0; row < decision.rows(); ++row)
      for (int column = 0; column < decision.columns(); ++column) {
        const MacroblockTrial& trial = decision.decide(column, row);
        const size_t at = MacroblockNeighbours::index(column, row);
        decided.macroblocks[at] = trial.macroblock;
        decided.levels[at] = trial.levels;
        decision.add(trial.macroblock, column, row);
      }
    decision.finish();
  }

  const TileGrid& grid_;
  TransformReference planes_;
  SamplePlanes samples_;  // of the current frame
  TransformSource source_;
  uint32_t frames_ = 0;
  std::unique_ptr<TransformTrialMemory> memory_ = std::make_unique<TransformTrialMemory>();
};

class DeviceDecision {
 public:
  explicit DeviceDecision(const TileGrid& grid)
      : grid_(grid),
        queue_(check::device()),
        buffers_(queue_, grid),
        tables_(check::device(), grid),
        transform_tables_(check::device(), grid),
        planes_(queue_, grid, buffers_, tables_),
        decision_(queue_, grid, buffers_, tables_, transform_tables_, planes_, form_of(grid)),
        lists_(queue_, grid) {}

  // `texture`: holds what the tiles that are not decided have.
  Decided decide(const TransformFrame& frame, const Texture& reference) {
    std::vector<texcast_lossy_tile> tiles(1);  // the first one is not decided
    for (uint32_t i = 0; i < grid_.tiles(); ++i) tiles.push_back(argument(frame, i));
    const std::vector<SubBlockTexels> texels = texels_of(frame.source);
    const cl::CommandQueue& commands = queue_.commands();
    commands.enqueueWriteBuffer(buffers_.reference, CL_TRUE, 0, reference.size(), reference.data());
    const cl::Buffer on_device = copy_of(tiles), source = copy_of(texels);
    Stage stage;
    if (!frame.intra) keep_samples(stage);
    ++frames_;
    decision_.start(on_device, 1, grid_.tiles(), source, stage);
    decision_.fit(on_device, 1, stage);
    decision_.download(stage);
    Decided decided{.tiles = std::vector<DecidedTile>(grid_.tiles()),
                    .texture = Texture(frame.source.size()),
                    .samples = std::vector<uint8_t>(planes_.layout().samples())};
    commands.enqueueReadBuffer(decision_.samples(), CL_TRUE, 0, decided.samples.size(), decided.samples.data());
    commands.enqueueReadBuffer(decision_.texture(), CL_TRUE, 0, decided.texture.size(), decided.texture.data());
    std::vector<texcast_macroblock> macroblocks(grid_.tiles() * TEXCAST_MACROBLOCKS);
    commands.enqueueReadBuffer(decision_.macroblocks(), CL_TRUE, 0, macroblocks.size() * sizeof macroblocks[0],
                               macroblocks.data());
    std::vector<TransformLevels> levels(macroblocks.size() * TEXCAST_TRANSFORM_BLOCKS);
    commands.enqueueReadBuffer(decision_.levels(), CL_TRUE, 0, levels.size() * sizeof levels[0], levels.data());
    for (size_t i = 0; i < macroblocks.size(); ++i) {
      DecidedTile& tile = decided.tiles[i / kMostMacroblocks];
      Macroblock& macroblock = tile.macroblocks[i % kMostMacroblocks];
      macroblock.mode = static_cast<MacroblockMode>(macroblocks[i].mode);
      macroblock.vector = {macroblocks[i].vector[0], macroblocks[i].vector[1]};
      for (size_t c = 0; c < kTransformComponents; ++c) {
        macroblock.coded[c] = macroblocks[i].coded >> 4 * c & 15;
        for (size_t k = 0; k < kMostTransformBlocks; ++k)
          tile.levels[i % kMostMacroblocks][c][k] = levels[i * TEXCAST_TRANSFORM_BLOCKS + 4 * c + k];
      }
    }
    queue_.wait();
    return decided;
  }
  void result(size_t i, EncodedTile& tile) const { decision_.result(i, tile); }
  // Those of the reference frame of the latest decide().
  std::vector<uint8_t> reference_samples() const {
    std::vector<uint8_t> samples(planes_.layout().samples());
    planes_.read(samples);
    return samples;
  }

 private:
  // All sizes of a work-group, one for each chroma format.
  static TransformForm form_of(const TileGrid& grid) {
    const Component& chroma = grid.component(1);
    return {.items = 32 * 4 / (chroma.across * chroma.down)};
  }
  // The samples of the previous frame become those of the reference frame.
  void keep_samples(Stage& stage) {
    std::vector<uint32_t> kept;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile)
      kept.push_back(tile | (is_of_blocks(tile, frames_) ? 0 : TEXCAST_KEPT_SAMPLES));
    lists_.clear();
    planes_.update(lists_, lists_.put(queue_, kept, stage), decision_.samples(), stage);
    planes_.interpolate(stage);
  }
  template <typename List>
  static cl::Buffer copy_of(const List& list) {
    return {check::device().context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, list.size() * sizeof list[0],
            const_cast<void*>(static_cast<const void*>(list.data()))};
  }
  static texcast_lossy_tile argument(const TransformFrame& frame, uint32_t i) {
    texcast_lossy_tile tile{};
    tile.tile = static_cast<int>(i);
    tile.intra = frame.intra;
    tile.transform_lambda = frame.lambda;
    tile.transform_quantiser = transform_quantiser(frame.lambda);
    for (size_t at = 0; at < kMostMacroblocks; ++at) {
      tile.lambda_weights[at] = frame.weights.empty() ? kFullLambda : frame.weights[i][at];
      if (frame.vectors.empty()) continue;
      tile.vectors[2 * at] = frame.vectors[i][at].x;
      tile.vectors[2 * at + 1] = frame.vectors[i][at].y;
    }
    return tile;
  }

  const TileGrid& grid_;
  DeviceQueue queue_;
  RdFrameBuffers buffers_;
  const RdTables tables_;
  const TransformTables transform_tables_;
  TransformPlanes planes_;
  TransformDecision decision_;
  TileLists lists_;
  uint32_t frames_ = 0;
};

bool same(const MacroblockLevels& a, const MacroblockLevels& b, const Macroblock& macroblock) {
  for (size_t c = 0; c < kTransformComponents; ++c)
    for (size_t i = 0; i < kMostTransformBlocks; ++i)
      if ((macroblock.coded[c] >> i & 1) != 0 && a[c][i] != b[c][i]) return false;
  return true;
}

// Both decisions, for frames that follow each other.
class Pair {
 public:
  explicit Pair(const TextureDesc& desc)
      : grid_(desc), cpu_(grid_), device_(grid_), reference_(grid_.texture_bytes()) {}

  const TileGrid& grid() const { return grid_; }
  // Checks that both are the same. The result becomes the reference frame.
  void check(const TransformFrame& frame) {
    const Decided wanted = cpu_.decide(frame, reference_), found = device_.decide(frame, reference_);
    for (size_t i = 0; i < wanted.tiles.size(); ++i) {
      CAPTURE(i);
      const DecidedTile &a = wanted.tiles[i], &b = found.tiles[i];
      EncodedTile encoded;
      device_.result(i, encoded);
      for (int at = 0; at < kMostMacroblocks; ++at) {
        CAPTURE(at);
        const auto index = static_cast<size_t>(at);
        const Macroblock &of_cpu = a.macroblocks[index], &of_device = b.macroblocks[index];
        const bool exists = at % kMacroblockColumns < a.columns && at / kMacroblockColumns < a.rows;
        REQUIRE(static_cast<int>(of_device.mode) == static_cast<int>(of_cpu.mode));
        REQUIRE(of_device.vector.x == of_cpu.vector.x);
        REQUIRE(of_device.vector.y == of_cpu.vector.y);
        REQUIRE(of_device.coded == of_cpu.coded);
        REQUIRE(same(a.levels[index], b.levels[index], of_cpu));
        CHECK(encoded.macroblock_vectors[index] == of_cpu.vector);
        CHECK((encoded.intra_macroblocks >> at & 1) == (is_intra(of_cpu.mode) ? 1 : 0));
        if (exists) ++counts_[static_cast<size_t>(of_cpu.mode)];
      }
    }
    REQUIRE(found.samples == wanted.samples);
    REQUIRE(found.texture == wanted.texture);
    if (!frame.intra) REQUIRE(device_.reference_samples() == cpu_.reference_samples());
    reference_ = wanted.texture;
  }
  // How often a mode occurred.
  int count(MacroblockMode mode) const { return counts_[static_cast<size_t>(mode)]; }

 private:
  const TileGrid grid_;
  CpuDecision cpu_;
  DeviceDecision device_;
  Texture reference_;
  std::array<int, kMacroblockModes> counts_{};
};

// Vectors of all tiles, up to `most` half pixels.
std::vector<TileVectors> random_vectors(const TileGrid& grid, int most, uint32_t seed) {
  std::mt19937 random(seed);
  const auto part = [&] { return static_cast<int>(random() % static_cast<uint32_t>(2 * most + 1)) - most; };
  std::vector<TileVectors> vectors(grid.tiles());
  for (TileVectors& of_tile : vectors)
    for (MotionVector& vector : of_tile) vector = {part(), part()};
  return vectors;
}
std::vector<LambdaWeights> random_weights(const TileGrid& grid, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<LambdaWeights> weights(grid.tiles());
  for (LambdaWeights& of_tile : weights)
    for (uint8_t& weight : of_tile) weight = static_cast<uint8_t>(16 + random() % 17);
  return weights;
}

}  // namespace

TEST_CASE("a device decides macroblocks as the CPU does, in every format") {
  for (const TextureFormat format : kPlaneFormats) {
    CAPTURE(name(format));
    const TextureDesc desc = check::tiny_only() ? TextureDesc{.format = format, .width = 20, .height = 18}
                                                : TextureDesc{.format = format, .width = 190, .height = 101};
    Pair pair(desc);
    pair.check({.source = photograph(desc, 0, 0), .lambda = 300, .intra = true});
    pair.check({.source = photograph(desc, 1, 2), .lambda = 400, .intra = false});
    if (check::tiny_only()) continue;
    pair.check(
        {.source = photograph(desc, 1, 2), .lambda = 100, .intra = false, .weights = random_weights(pair.grid(), 1)});
    pair.check({.source = photograph(desc, 7, 11),
                .lambda = 1000,
                .intra = false,
                .vectors = random_vectors(pair.grid(), 30, 2),
                .weights = random_weights(pair.grid(), 3)});
    pair.check({.source = scene(desc, 1, 0, 0), .lambda = 3000, .intra = false});
    pair.check({.source = letters(desc, 5), .lambda = 100, .intra = true});
    for (const MacroblockMode mode :
         {MacroblockMode::skip, MacroblockMode::inter, MacroblockMode::inter_coded, MacroblockMode::intra_dc,
          MacroblockMode::intra_horizontal, MacroblockMode::intra_vertical, MacroblockMode::intra_planar}) {
      CAPTURE(static_cast<int>(mode));
      CHECK(pair.count(mode) > 2);
    }
  }
}

TEST_CASE("a device decides macroblocks at the edges of pictures of any size") {
  if (check::spared("macroblocks at edges")) return;
  std::mt19937 random(5);
  for (const TextureFormat format : kPlaneFormats) {
    CAPTURE(name(format));
    for (const auto& [width, height] :
         {std::pair(1, 1), {5, 9}, {17, 33}, {63, 31}, {65, 20}, {130, 5}, {67, 35}, {8, 72}, {129, 65}}) {
      if (check::tiny_only() && width * height > 50) continue;
      CAPTURE_BOUND(width);
      CAPTURE_BOUND(height);
      const TextureDesc desc{.format = format, .width = width, .height = height};
      Pair pair(desc);
      pair.check({.source = photograph(desc, 3, 7), .lambda = 200, .intra = true});
      // Vectors lead out of the picture, some of them far.
      pair.check({.source = photograph(desc, 4, 7),
                  .lambda = 500,
                  .intra = false,
                  .vectors = random_vectors(pair.grid(), 20, static_cast<uint32_t>(random()))});
      pair.check({.source = photograph(desc, 40, 11),
                  .lambda = 60,
                  .intra = false,
                  .vectors = random_vectors(pair.grid(), 16383, static_cast<uint32_t>(random()))});
      pair.check({.source = noise(desc, 6), .lambda = 2000, .intra = false});
    }
  }
}

TEST_CASE("a device decides macroblocks of all kinds of pictures, from the finest to the coarsest quantiser") {
  if (check::spared("macroblocks of all quantisers")) return;
  const TextureDesc desc = check::tiny_only()
                               ? TextureDesc{.format = TextureFormat::ycocg_bc4_420, .width = 20, .height = 18}
                               : TextureDesc{.format = TextureFormat::ycocg_bc4_420, .width = 128, .height = 64};
  Pair pair(desc);
  uint32_t seed = 0;
  for (const int lambda : {1, 5, 30, 1500, 9000, 60000, 190000}) {
    if (check::tiny_only() && lambda != 1 && lambda != 9000) continue;
    CAPTURE(lambda);
    const std::vector<TileVectors> vectors = random_vectors(pair.grid(), 9, ++seed);
    const auto pass = [&](const Texture& source, bool intra) {
      pair.check({.source = source,
                  .lambda = lambda,
                  .intra = intra,
                  .vectors = vectors,
                  .weights = random_weights(pair.grid(), ++seed)});
    };
    pass(noise(desc, 1), true);  // the largest coefficients
    pass(noise(desc, 2), false);
    if (check::tiny_only()) continue;
    pass(photograph(desc, 0, 0), false);
    pass(soft_photograph(desc, 0, 0), true);
    pass(soft_photograph(desc, 3, 2), false);
    pass(soft_photograph(desc, 3, 2), false);
    pass(letters(desc, 5), false);
    pass(letters(desc, 9), false);
    pass(scene(desc, 2, 0, 0), true);
  }
}

TEST_CASE("planes of the reference frame on a device are those of the decoder") {
  // Every vector beside the picture, so that each padded texel is read.
  if (check::tiny_only() || check::spared("planes of the reference frame")) return;
  for (const TextureFormat format : kPlaneFormats) {
    const TextureDesc desc{.format = format, .width = 32, .height = 32};
    Pair pair(desc);
    pair.check({.source = noise(desc, 3), .lambda = 300, .intra = true});
    for (int x = -26; x <= 26; x += 13)
      for (int y = -26; y <= 26; y += 1) {
        TileVectors vectors{};
        for (MotionVector& vector : vectors) vector = {x, y};
        pair.check({.source = noise(desc, 3), .lambda = 300, .intra = false, .vectors = {vectors}});
      }
  }
}
