// The encoder of transform slices: decoders have its reconstruction, it uses every mode where that pays, and tiles get
// the coding that suits them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "capture_bound.h"
#include "coding_choice.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/payload.h"
#include "compact/slice_bytes.h"
#include "compact/transform_symbols.h"
#include "ref/decode.h"
#include "slice_decoder.h"
#include "texcast/image.h"
#include "textures.h"
#include "transform_levels.h"
#include "transform_reference.h"
#include "transform_slice_decoder.h"
#include "transform_slice_encoder.h"

namespace texcast::compact {
namespace {

using namespace textures;

constexpr TextureFormat kPlaneFormats[] = {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422,
                                           TextureFormat::ycocg_bc4_444};

// Codes whole frames as transform slices, one for each tile or half of a tile, and decodes them.
class FrameCoder {
 public:
  explicit FrameCoder(const TextureDesc& desc)
      : grid_(desc),
        planes_(grid_),
        samples_(grid_),
        shown_samples_(grid_),
        reference_(grid_.texture_bytes()),
        shown_(grid_.texture_bytes()) {
    for (auto& range : training_.sets)
      for (auto& set : range) set.counts = counts_.get();
    encoder_ = TransformSliceEncoder(training_);
  }
  // Returns the number of bytes.
  size_t pass(const Texture& texture, double crf, bool intra, uint8_t sub_slices = 1) {
    Texture reconstruction = texture;
    size_t bytes = 0;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile)
      for (uint8_t part = 0; part < sub_slices; ++part) {
        const Slice slice{tile, sub_slices, part};
        if (grid_.raw_bytes(slice) == 0) continue;
        bytes += pass(slice, crf, intra, reconstruction);
      }
    reference_ = reconstruction;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) planes_.update(tile, samples_);
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) planes_.interpolate(tile);
    planes_.end_frame();
    return bytes;
  }
  const Texture& shown() const { return reference_; }
  // How often a mode was coded, in all frames.
  uint32_t modes(MacroblockMode mode) const {
    uint32_t sum = 0;
    for (int c = transform_context::kMode.first; c < transform_context::kMode.end(); ++c)
      sum += (*counts_)[static_cast<size_t>(c)][static_cast<size_t>(mode)];
    return sum;
  }

 private:
  size_t pass(const Slice& slice, double crf, bool intra, Texture& reconstruction) {
    std::vector<std::byte> memory(1 << 16);
    ReferencedTiles touched;
    const std::vector<MotionVector> vectors(8);
    Reference reference;
    if (!intra)
      reference = {.texture = reference_.data(),
                   .vectors = vectors,
                   .samples = &planes_.samples(),
                   .planes = &planes_,
                   .touched = &touched};
    const size_t bytes =
        encoder_.encode(grid_, slice, rd_parameters(crf), {}, {}, {reconstruction.data(), samples_}, reference, memory);
    REQUIRE(bytes > 0);
    const Bytes coded = Bytes(memory).last(bytes);
    REQUIRE(is_transform_slice(coded, intra));
    std::vector<uint8_t> right(grid_.tiles());
    for (const uint32_t tile : touched.list()) right[tile] = 1;
    if (touched.any) std::ranges::fill(right, uint8_t{1});
    ReferenceReads reads(grid_, right);
    REQUIRE(decode_slice(grid_, slice, coded, true, intra ? nullptr : reference_.data(), shown_.data(), &reads,
                         {&planes_.samples(), &shown_samples_}));
    CHECK(reads.all_right());
    CHECK(!differs(grid_, slice, shown_.data(), reconstruction.data()));
    CHECK(shown_samples_.equals(grid_, slice, samples_.all()));
    return bytes;
  }

  const TileGrid grid_;
  TransformReference planes_;
  SamplePlanes samples_, shown_samples_;
  Texture reference_, shown_;
  std::unique_ptr<SymbolList::Counts> counts_ = std::make_unique<SymbolList::Counts>();
  TransformTraining training_;
  TransformSliceEncoder encoder_;
};

// A texture whose luma is `value(x, y)`, without colours.
template <typename Value>
Texture drawn(const TextureDesc& desc, const Value& value) {
  const TileGrid grid(desc);
  Texture texture(grid.texture_bytes());
  for (int c = 0; c < 3; ++c) {
    const Component& component = grid.component(c);
    for (int y = 0; y < component.blocks_y; ++y)
      for (int x = 0; x < component.blocks_x; ++x) {
        U8x16 texels = filled(128);
        for (int i = 0; i < 16 && c == 0; ++i) texels[i] = static_cast<uint8_t>(value(x * 4 + i % 4, y * 4 + i / 4));
        store_sub_block(texture.data() + component.at(x, y), fit_block(texels).sub_block);
      }
  }
  return texture;
}

using ComponentTables = std::array<const CodingTables*, kTransformComponents>;

int levels_cost(const CodingTables& tables, bool intra, const TransformLevels& levels) {
  TransformCost cost;
  cost.use(tables);
  put_levels(cost, intra, levels);
  return cost.total();
}

}  // namespace

TEST_CASE("transform encoder: decoders have its reconstruction in every format and size") {
  for (const TextureFormat format : kPlaneFormats) {
    CAPTURE(name(format));
    for (const auto& [width, height] : {std::pair(190, 101), {1, 1}, {5, 9}, {17, 33}, {63, 31}, {65, 20}, {130, 5}}) {
      CAPTURE_BOUND(width);
      CAPTURE_BOUND(height);
      const TextureDesc desc{.format = format, .width = width, .height = height};
      FrameCoder coder(desc);
      coder.pass(photograph(desc, 0, 0), 20, true);
      coder.pass(photograph(desc, 3, 5), 23, false);
      coder.pass(photograph(desc, 6, 11), 30, false, 2);
      coder.pass(scene(desc, 1, 0, 0), 10, false);
      coder.pass(photograph(desc, 40, 10), 14, true, 2);
    }
  }
}

TEST_CASE("transform encoder: every mode occurs where it suits the content") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 192, .height = 96};
  FrameCoder coder(desc);
  const auto count = [&](MacroblockMode mode, const auto& passes) {
    const uint32_t before = coder.modes(mode);
    passes();
    return coder.modes(mode) - before;
  };
  const auto rows = drawn(desc, [](int, int y) { return y * 83 % 160 + 40; });
  CHECK(count(MacroblockMode::intra_horizontal, [&] { coder.pass(rows, 20, true); }) > 20);
  const auto columns = drawn(desc, [](int x, int) { return x * 83 % 160 + 40; });
  CHECK(count(MacroblockMode::intra_vertical, [&] { coder.pass(columns, 20, true); }) > 20);
  const auto slope = drawn(desc, [](int x, int y) { return x % 64 * (y % 32) / 10 + 20; });
  CHECK(count(MacroblockMode::intra_planar, [&] { coder.pass(slope, 14, true); }) > 3);
  CHECK(count(MacroblockMode::intra_dc, [&] { coder.pass(photograph(desc, 0, 0), 20, true); }) > 5);
  CHECK(count(MacroblockMode::skip, [&] { coder.pass(coder.shown(), 20, false); }) == 72);
  const auto moved = [&] { coder.pass(photograph(desc, 1, 1), 20, false); };
  CHECK(count(MacroblockMode::inter_coded, moved) > 5);
  CHECK(count(MacroblockMode::inter, [&] { coder.pass(photograph(desc, 1, 1), 10, false); }) > 20);
  // Blocks that the reference frame does not have.
  CHECK(count(MacroblockMode::intra_vertical, [&] { coder.pass(columns, 20, false); }) > 20);
}

TEST_CASE("transform encoder: what does not change is copied exactly, in a few bytes") {
  for (const TextureFormat format : kPlaneFormats) {
    const TextureDesc desc{.format = format, .width = 128, .height = 64};
    FrameCoder coder(desc);
    const Texture picture = photograph(desc, 0, 0);
    coder.pass(picture, 20, true);
    const Texture first = coder.shown();
    CHECK(coder.pass(picture, 28, false) < 4 * 12);
    CHECK(coder.shown() == first);
  }
}

TEST_CASE("transform encoder: a smaller lambda gives fewer errors in more bytes") {
  for (const bool intra : {true, false}) {
    CAPTURE(intra);
    const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 192, .height = 96};
    size_t before = SIZE_MAX;
    double psnr_before = 100;
    for (const double crf : {8, 14, 20, 26, 32}) {
      CAPTURE(crf);
      FrameCoder coder(desc);
      if (!intra) coder.pass(photograph(desc, 30, 3), 26, true);
      const Texture picture = photograph(desc, 0, 0);
      const size_t bytes = coder.pass(picture, crf, intra);
      const double psnr = psnr_between(desc, picture, coder.shown());
      CHECK(bytes < before);
      CHECK(psnr < psnr_before);
      before = bytes;
      psnr_before = psnr;
    }
    CHECK(psnr_before > 24);
  }
}

// Intra trials read samples of the macroblocks beside them.
TEST_CASE("transform encoder: what texture and samples held before does not matter") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 1000, .height = 8};
  const TileGrid grid(desc);
  const Texture reference = photograph(desc, 0, 0);
  SamplePlanes reference_samples(grid);
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) reference_samples.decode(grid, {.tile = tile}, reference.data());
  TransformSliceEncoder encoder;
  for (int shift = 1; shift < 6; ++shift) {
    CAPTURE(shift);
    const Texture picture = photograph(desc, shift, shift / 2);
    std::vector<SubBlockTexels> texels(picture.size() / 8);
    for (size_t i = 0; i < texels.size(); ++i)
      store_vector(texels[i].data(), nearest_texels(load_sub_block(&picture[8 * i])));
    for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
      CAPTURE(tile);
      const auto encode = [&](Texture texture) {
        std::vector<std::byte> memory(1 << 16);
        SamplePlanes samples(grid);
        for (uint32_t other = 0; other < grid.tiles(); ++other) samples.decode(grid, {.tile = other}, texture.data());
        const size_t bytes =
            encoder.encode(grid, {.tile = tile}, rd_parameters(24), {}, {.texels = texels}, {texture.data(), samples},
                           {.texture = reference.data(), .samples = &reference_samples}, memory);
        return std::vector(memory.end() - static_cast<ptrdiff_t>(bytes), memory.end());
      };
      CHECK(encode(noise(desc, 1)) == encode(noise(desc, 2)));
    }
  }
}

TEST_CASE("planes of the reference frame give the prediction that decoders have") {
  for (const TextureFormat format : kPlaneFormats) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 150, .height = 83};
    const TileGrid grid(desc);
    const Texture texture = noise(desc, 9);
    TransformReference planes(grid);
    for (uint32_t tile = 0; tile < grid.tiles(); ++tile) planes.update(tile, texture.data());
    for (uint32_t tile = 0; tile < grid.tiles(); ++tile) planes.interpolate(tile);
    planes.end_frame();
    std::mt19937 random(10);
    int found = 0;
    for (int trial = 0; trial < 2000; ++trial) {
      const Slice slice{.tile = static_cast<uint32_t>(random() % grid.tiles())};
      const TransformReconstruction decoder(grid, slice, {.reference_samples = &planes.samples()});
      const int column = static_cast<int>(random()) & 0xFFFF, row = static_cast<int>(random()) & 0xFFFF;
      const MotionVector vector{static_cast<int>(random() % 81) - 40, static_cast<int>(random() % 81) - 40};
      for (int c = 0; c < kTransformComponents; ++c) {
        const TransformBlocks blocks = decoder.blocks(c, column % decoder.columns(), row % decoder.rows());
        MacroblockTexels ours, theirs;
        if (blocks.columns * blocks.rows == 0 || !planes.predict(c, blocks, vector, ours)) continue;
        ++found;
        decoder.predict_inter(c, blocks, vector, theirs);
        for (int y = 0; y < blocks.rows * kTransformSide; ++y)
          REQUIRE(std::equal(&ours[static_cast<size_t>(y * kMacroblockSide)],
                             &ours[static_cast<size_t>(y * kMacroblockSide + blocks.columns * kTransformSide)],
                             &theirs[static_cast<size_t>(y * kMacroblockSide)]));
      }
    }
    CHECK(found > 2000);
  }
}

TEST_CASE(
    "transform encoder: the search finds vectors of quarter pixels, from those of the motion search in half pixels") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 192, .height = 96};
  const TileGrid grid(desc);
  const Slice slice{.tile = 4};  // the one in the middle
  const auto wave = [&](double dx, double dy) {
    return drawn(desc, [&](int x, int y) {
      return std::lround(128 + 50 * std::sin((x + dx) / 3.1) + 40 * std::cos((y + dy) / 2.7 + (x + dx) / 9));
    });
  };
  const Texture before = wave(0, 0);
  TransformReference planes(grid);
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) planes.update(tile, before.data());
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) planes.interpolate(tile);
  ComponentTables tables{};
  tables.fill(&transform_tables(1, TableSet::luma));
  const Quantisation quantisation(20);
  for (const MotionVector& wanted : {MotionVector{1, 3}, {-2, 1}, {2, -1}, {-3, -3}, {37, 22}, {-39, 45}, {58, -31}}) {
    CAPTURE(wanted.x);
    CAPTURE(wanted.y);
    Texture texture = wave(wanted.x / 4.0, wanted.y / 4.0);
    TransformSource source;
    source.read(grid, slice, {}, texture.data());
    // Half a pixel from it.
    const std::vector<MotionVector> vectors(8, {(wanted.x + 2) / 2, wanted.y / 2});
    const Reference reference{
        .texture = before.data(), .vectors = vectors, .samples = &planes.samples(), .planes = &planes};
    SamplePlanes samples(grid);
    const auto memory = std::make_unique<TransformTrialMemory>();
    MacroblockDecision decision({.grid = grid,
                                 .slice = slice,
                                 .reference = reference,
                                 .source = source,
                                 .quantisation = quantisation,
                                 .lambda = 100,
                                 .tables = tables},
                                texture.data(), samples, *memory);
    int found = 0;
    for (int row = 0; row < decision.rows(); ++row)
      for (int column = 0; column < decision.columns(); ++column) {
        const Macroblock macroblock = decision.decide(column, row).macroblock;
        found += macroblock.vector == wanted ? 1 : 0;
        decision.add(macroblock, column, row);
      }
    CHECK(found >= 6);
  }
}

TEST_CASE("the quantiser is the one whose step suits lambda best") {
  for (int lambda = 1; lambda < 200000; lambda += 1 + lambda / 7) {
    CAPTURE(lambda);
    const double steps = std::log2(std::sqrt(lambda / (48 * 0.134)));
    CHECK(std::abs(transform_quantiser(lambda) - std::clamp(4 + 6 * steps, 0.0, 51.0)) < 0.6);
  }
}

TEST_CASE("levels are the coefficients in steps, rounded with the offset") {
  std::mt19937 random(7);
  for (int quantiser = 0; quantiser <= kMostTransformQuantiser; ++quantiser) {
    CAPTURE(quantiser);
    const Quantisation quantisation(quantiser);
    Coefficients coefficients;
    for (auto& coefficient : coefficients)
      coefficient = static_cast<int16_t>(static_cast<int>(random() % 65000) - 32500);
    coefficients[0] = 32767;
    coefficients[1] = -32768;
    TransformLevels levels;
    CHECK(quantisation.quantise(coefficients, 128, levels));
    for (size_t i = 0; i < kCoefficients; ++i) {
      const double exact = coefficients[i] * 4.0 / quantisation.step();
      CHECK(std::abs(levels[i] - exact) < 0.57);
    }
  }
}

TEST_CASE("chosen levels cost as many bits as their symbols") {
  std::mt19937 random(8);
  for (const int quantiser : {4, 18, 30}) {
    const CodingTables& tables = transform_tables(transform_range(quantiser), TableSet::luma);
    const Quantisation quantisation(quantiser);
    int coded = 0;
    for (int trial = 0; trial < 500; ++trial) {
      Coefficients coefficients;
      for (size_t i = 0; i < kCoefficients; ++i) {
        const int range = 1 + quantisation.step() * (trial % 20) / (4 + static_cast<int>(i));
        coefficients[i] = static_cast<int16_t>(static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range);
      }
      TransformLevels levels;
      const int step = quantisation.step() / 64;
      const LevelRate rate{.tables = tables, .intra = trial % 2 == 0, .lambda = 7 * step * step, .weight = kLumaWeight};
      const int bits = choose_levels(quantisation, rate, coefficients, levels);
      if (bits == 0) continue;
      ++coded;
      CHECK(bits == levels_cost(tables, rate.intra, levels));
    }
    CHECK(coded > 100);
  }
}

TEST_CASE("listed symbols of a backend name the tables, contexts and values; invalid ones are left out") {
  const TileGrid grid({.format = TextureFormat::ycocg_bc4_420, .width = 64, .height = 32});
  const int quantiser = 20;
  const auto listed = [](int component, int of_list, int value) {
    return static_cast<uint16_t>(component << kListedComponentAt | of_list << kListedContextAt | value);
  };
  const std::vector<uint16_t> symbols{listed(0, transform_context::kMode.first, 3),
                                      listed(1, transform_context::kMagnitude.first, 15),
                                      listed(2, kListedLiteralContext + 3, 14),
                                      listed(3, transform_context::kMode.first, 1),  // no such component
                                      listed(1, kListedLiteralContext + 4, 1),       // no such context
                                      listed(0, kListedContexts - 1, 1)};
  EncodedTile tile;
  tile.symbols = symbols;
  SymbolList got, want;
  TransformSliceEncoder().list_symbols(grid, quantiser, tile, got);
  const auto tables = [&](int c) -> const CodingTables& {
    return transform_tables(transform_range(quantiser), grid.component(c).tables);
  };
  want.make_room(3);
  want.put(tables(0), transform_context::kMode.first, 3);
  want.put(tables(1), transform_context::kMagnitude.first, 15);
  want.put(tables(2), context::kLiteral.first + 3, 14);
  std::vector<std::byte> memory(64), wanted_memory(64);
  const size_t bytes = got.write(memory, kLossyEndState), wanted = want.write(wanted_memory, kLossyEndState);
  REQUIRE(bytes > 0);
  CHECK(std::ranges::equal(MutableBytes(memory).last(bytes), MutableBytes(wanted_memory).last(wanted)));
}

TEST_CASE("films become transform slices, and text does not") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 256, .height = 128};
  const TileGrid grid(desc);
  for (const bool film : {true, false}) {
    CAPTURE(film);
    Workers workers(0);
    FrameEncoder encoder(desc, {.lossy = true, .transform = true}, workers);
    uint32_t transform = 0, all = 0;
    for (int i = 0; i < 4; ++i) {
      const Texture frame = film ? photograph(desc, 3 * i, i) : letters(desc, 5 * i);
      DecodedImage image;
      ref::decode({desc, frame}, EndpointExpansion::replicate, image);
      const FrameView picture = view_of(image);
      for (const CodedSlice& slice :
           encoder.encode({.texture = frame, .target = rd_parameters(23), .picture = &picture})) {
        all += slice.slice.tiles;
        if (is_lossy(slice.coding) && is_transform_slice(slice.bytes, is_intra(slice.coding)))
          transform += slice.slice.tiles;
      }
    }
    CAPTURE(transform);
    CAPTURE(all);
    CHECK(all >= 16);
    CHECK((film ? transform * 10 > all * 8 : transform * 10 < all));
  }
}

TEST_CASE("streams of transform slices respect the limit of a slice, down to sub-slices of other codings") {
  for (const TextureFormat format : kPlaneFormats) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 200, .height = 90};
    Workers workers(0);
    constexpr size_t kMost = 384;
    FrameEncoder encoder(desc, {.most_slice_bytes = kMost, .lossy = true, .transform = true}, workers);
    PayloadWriter writer(encoder.grid(), 1400);
    FrameDecoder decoder(desc, workers);
    Texture shown(encoder.grid().texture_bytes()), before(shown.size());
    int halves = 0, quarters = 0;
    for (int i = 0; i < 9; ++i) {
      const Texture frame = i == 8       ? noise(desc, 3)
                            : i % 2 == 0 ? scene(desc, 1, 5 * i, 2 * i)
                                         : photograph(desc, 30 * i, 9 * i);
      const auto slices = encoder.encode({.texture = frame, .target = rd_parameters(8 + 4 * i)});
      for (const CodedSlice& slice : slices) {
        CHECK(slice.bytes.size() <= kMost);
        halves += slice.slice.sub_slices == 2;
        quarters += slice.slice.sub_slices > 2;
      }
      const Payloads payloads = copied(writer.write(slices));
      before.swap(shown);
      const auto counts = decoder.decode(views(payloads), i == 0 ? nullptr : before.data(), shown);
      CHECK(counts.wrong + counts.damaged + counts.disagreed == 0);
    }
    CHECK(halves > 0);
    CHECK(quarters > 0);
  }
}

}  // namespace texcast::compact
