// Sub-blocks of lossy streams by a device's mode decision, compared with RdSliceEncoder: the same textures and the same
// symbols, frame after frame.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/workers.h"
#include "check.h"
#include "compact/adaptive_quantisation.h"
#include "compact/complexity.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/opencl_lossy_backend.h"
#include "compact/payload.h"
#include "compact/slice_syntax.h"
#include "compact/tables.h"
#include "compact/window_index.h"
#include "kernels/compact.h"
#include "lossy_streams.h"
#include "ocl/profile.h"
#include "ocl/program.h"
#include "rd_slice_encoder.h"
#include "textures.h"

using namespace texcast;
using namespace textures;

namespace {

using namespace compact;
constexpr size_t kLossyItems = 32, kSymbolItems = 64;
constexpr size_t kMostSymbols = 36;  // of a sub-block
constexpr cl_uint kBegin = 5;        // of a symbol list
using UnitVectors = std::array<MotionVector, kMostPartitions>;

// A frame to be encoded.
struct LossyFrame {
  const Texture& made;
  const Texture* before;  // nullptr: all tiles are intra
  std::span<const UnitVectors> vectors;
  std::span<const LambdaWeights> lambda_weights;
  std::span<const SubBlockTexels> source;  // in the places of sub-blocks
  RdParameters target;
  SearchEffort effort;
};
struct LossyChoices {
  Texture texture;
  std::vector<texcast_lossy_choice> of;  // of each sub-block
  std::vector<EncodedTile> tiles;
  std::vector<uint16_t> symbols;
};

// The content whose tables code a tile.
Content content_of(uint32_t tile) { return static_cast<Content>(tile % kContents); }

class DeviceModeDecision {
 public:
  explicit DeviceModeDecision(const TileGrid& grid) : grid_(grid), queue_(check::device().make_queue()) {
    // Both ways of trying ranks, one for each chroma format.
    const bool halves_chroma = grid.component(grid.component_count() - 1).across == 2;
    const cl::Program program = ocl::build_program(check::device(), "compact/lossy.cl",
                                                   "-DCHANNEL=1 -DLOSSY_ITEMS=" + std::to_string(kLossyItems) +
                                                       (halves_chroma ? " -DRANK_ITEMS=4" : " -DRANK_ITEMS=1"));
    analysis_kernel_ = cl::Kernel(program, "analyse_lossy");
    kernel_ = cl::Kernel(program, "decide_lossy");
    symbols_kernel_ = cl::Kernel(ocl::build_program(check::device(), "compact/rd_symbols.cl",
                                                    "-DCHANNEL=1 -DSYMBOL_ITEMS=" + std::to_string(kSymbolItems)),
                                 "symbolise_tiles");
    std::vector<texcast_lossy_component> components;
    std::vector<uint16_t> cost, least_cost;
    for (int i = 0; i < grid.component_count(); ++i) {
      const Component& c = grid.component(i);
      texcast_lossy_component of{.component = {.kind = static_cast<int>(c.kind),
                                               .blocks_x = c.blocks_x,
                                               .blocks_y = c.blocks_y,
                                               .across = c.across,
                                               .down = c.down,
                                               .first = static_cast<int>(c.offset / 8),
                                               .step = static_cast<int>(c.stride / 8),
                                               .tile_columns = c.tile_columns(),
                                               .tile_rows = c.tile_rows(),
                                               .tiles_across = grid.across(),
                                               .index_shift = 0},
                                 .weight = weight_of(grid, i),
                                 .least_range = {}};
      for (int quantiser = 0; quantiser < kQuantisers; ++quantiser)
        of.least_range[quantiser] = least_range_of(c, quantiser);
      components.push_back(of);
    }
    for (int content = 0; content < kContents; ++content)
      for (int i = 0; i < grid.component_count(); ++i) {
        const CodingTables& tables = lossy_tables(static_cast<Content>(content), grid.component(i).tables);
        for (const auto& symbols : tables.cost) cost.insert(cost.end(), symbols.begin(), symbols.end());
        least_cost.insert(least_cost.end(), tables.least_cost.begin(), tables.least_cost.end());
      }
    components_ = copy_of(components);
    cost_ = copy_of(cost);
    least_cost_ = copy_of(least_cost);
  }

  LossyChoices choose(const LossyFrame& frame) {
    std::vector<texcast_lossy_tile> tiles;
    for (uint32_t i = 0; i < grid_.tiles(); ++i) {
      texcast_lossy_tile tile{.tile = static_cast<int>(i),
                              .content = static_cast<int>(content_of(i)),
                              .intra = frame.before == nullptr,
                              .lambda = frame.target.lambda,
                              .quantiser = frame.target.quantiser,
                              .candidates = frame.effort.candidates,
                              .refits = frame.effort.refits,
                              .least_saved = frame.effort.least_saved,
                              .lambda_weights = {},
                              .vector_cost = 0,
                              .own = {},
                              .changed_partitions = 0,
                              .vectors = {},
                              .attempt = 0,
                              .transform_lambda = 0,
                              .transform_quantiser = 0,
                              .adapts_lambda = 0};
      for (size_t area = 0; area < kMostPartitions && frame.before != nullptr; ++area) {
        tile.vectors[2 * area] = frame.vectors[i][area].x;
        tile.vectors[2 * area + 1] = frame.vectors[i][area].y;
        tile.lambda_weights[area] = frame.lambda_weights[i][area];
      }
      tiles.push_back(tile);
    }
    LossyChoices out{.texture = frame.made,
                     .of = std::vector<texcast_lossy_choice>(frame.made.size() / 8),
                     .tiles = std::vector<EncodedTile>(tiles.size()),
                     .symbols = std::vector<uint16_t>(kMostSymbols * frame.made.size() / 8)};
    std::vector<texcast_coded_tile> told(tiles.size());
    const cl::Buffer symbols = copy_of(out.symbols), coded_on_device = copy_of(told),
                     used = copy_of(std::array<cl_uint, 1>{});
    const cl::Buffer made = copy_of(out.texture), choices = copy_of(out.of), on_device = copy_of(tiles);
    const cl::Buffer before = copy_of(frame.before != nullptr ? *frame.before : frame.made);
    const cl::Buffer source = copy_of(frame.source);
    size_t tile_sub_blocks = 0;
    for (int i = 0; i < grid_.component_count(); ++i)
      tile_sub_blocks += static_cast<size_t>(grid_.component(i).tile_columns() * grid_.component(i).tile_rows());
    const cl::Buffer analysis(check::device().context(), CL_MEM_READ_WRITE,
                              tiles.size() * tile_sub_blocks * sizeof(texcast_lossy_analysis));
    const auto set = [](cl::Kernel& kernel, const auto&... arguments) {
      cl_uint at = 0;
      (kernel.setArg(at++, arguments), ...);
    };
    const int count = grid_.component_count();
    set(analysis_kernel_, before, source, components_, count, on_device, 0, static_cast<int>(tiles.size()), made,
        analysis);
    set(kernel_, before, source, components_, count, on_device, 0, cost_, least_cost_, analysis, made, choices);
    time_ = {};
    const auto run = [&](const cl::Kernel& kernel, size_t items, int first, int components) {
      cl::Event event;
      queue_.enqueueNDRangeKernel(kernel, cl::NDRange(0, static_cast<size_t>(first)),
                                  cl::NDRange(tiles.size() * items, static_cast<size_t>(components)),
                                  cl::NDRange(items, 1), nullptr, &event);
      event.wait();
      time_ += ocl::duration(event);
    };
    run(analysis_kernel_, TEXCAST_LOSSY_ANALYSIS_ITEMS, 0, count);
    run(kernel_, kLossyItems, 0, 1);
    if (count > 1) run(kernel_, kLossyItems, 1, count - 1);
    set(symbols_kernel_, components_, count, on_device, 0, cost_, made, choices, cl_uint{kBegin},
        static_cast<cl_uint>(out.symbols.size()), used, symbols, coded_on_device,
        cl::Local(kSymbolItems * sizeof(cl_uint)), cl::Local(TEXCAST_CONTENTS * kSymbolItems * sizeof(cl_int)),
        cl::Local(3 * sizeof(cl_uint)));
    run(symbols_kernel_, kSymbolItems, 0, 1);
    queue_.enqueueReadBuffer(symbols, CL_TRUE, 0, out.symbols.size() * sizeof out.symbols[0], out.symbols.data());
    queue_.enqueueReadBuffer(coded_on_device, CL_TRUE, 0, told.size() * sizeof told[0], told.data());
    for (size_t i = 0; i < told.size(); ++i) {
      REQUIRE(told[i].first != TEXCAST_LOSSY_NO_ROOM);
      out.tiles[i].content = static_cast<Content>(told[i].content);
      std::ranges::copy(told[i].end, out.tiles[i].ends.begin());
      out.tiles[i].symbols = std::span<const uint16_t>(out.symbols).subspan(told[i].first, told[i].end[count - 1]);
    }
    queue_.enqueueReadBuffer(made, CL_TRUE, 0, out.texture.size(), out.texture.data());
    queue_.enqueueReadBuffer(choices, CL_TRUE, 0, out.of.size() * sizeof out.of[0], out.of.data());
    return out;
  }
  nanoseconds time() const { return time_; }

 private:
  template <typename List>
  static cl::Buffer copy_of(const List& list) {
    return {check::device().context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, list.size() * sizeof list[0],
            const_cast<void*>(static_cast<const void*>(list.data()))};
  }
  const TileGrid& grid_;
  cl::CommandQueue queue_;
  cl::Kernel analysis_kernel_, kernel_, symbols_kernel_;
  cl::Buffer components_, cost_, least_cost_;
  nanoseconds time_{};
};

// Encodes a stream on the CPU, and each of its frames on the device too.
class LossyPair {
 public:
  explicit LossyPair(const TextureDesc& desc) : grid_(desc), device_(grid_) {}
  const TileGrid& grid() const { return grid_; }
  const Texture& shown() const { return shown_; }
  nanoseconds time() const { return device_.time(); }

  bool same(const Texture& made, std::span<const UnitVectors> vectors, const RdParameters& target,
            const SearchEffort& effort, bool intra, const SourcePicture* picture = nullptr) {
    const Texture* before = intra ? nullptr : &shown_;
    std::vector<SubBlockTexels> source(made.size() / 8);
    SourceTexels of_picture;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      if (picture != nullptr) of_picture.read(grid_, {.tile = tile}, *picture);
      each_sub_block(tile, [&](int i, int x, int y) {
        Texels texels;
        const size_t at = grid_.component(i).at(x, y);
        if (picture != nullptr)
          of_picture.channel(i, x, y, texels);
        else
          decoded_texels<ChannelSubBlock>(SubBlockKind::channel, load_sub_block(made.data() + at), texels);
        std::copy_n(texels.at[0], 16, source[at / 8].begin());
      });
    }
    std::vector<LambdaWeights> lambda_weights(grid_.tiles());
    for (size_t tile = 0; tile < lambda_weights.size(); ++tile)
      for (size_t area = 0; area < kMostPartitions; ++area)
        lambda_weights[tile][area] = static_cast<uint8_t>(kFullLambda + (3 * tile + 5 * area) % (kFullLambda + 1));
    const LossyChoices got = device_.choose({.made = made,
                                             .before = before,
                                             .vectors = vectors,
                                             .lambda_weights = lambda_weights,
                                             .source = source,
                                             .target = target,
                                             .effort = effort});
    RdSliceEncoder encoder, of_chosen;
    Texture want = made;
    std::vector<std::byte> memory(1 << 16), memory_of_chosen(1 << 16);
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      Reference reference;
      if (!intra) {
        reference.texture = shown_.data();
        reference.vectors = vectors[tile];
        reference.lambda_weights = lambda_weights[tile];
      }
      ReferencedTiles touched, touched_by_chosen;
      reference.touched = &touched;
      const size_t bytes = encoder.encode(grid_, {.tile = tile}, target, effort, content_of(tile), {.picture = picture},
                                          want.data(), reference, memory);
      SymbolList of_tile;
      of_chosen.list_symbols(grid_, got.tiles[tile], of_tile);
      const size_t bytes_of_chosen = of_tile.write(memory_of_chosen, kLossyEndState);
      EncodedTile with_vectors = got.tiles[tile];
      if (!intra) {
        std::ranges::copy(vectors[tile], with_vectors.vectors.begin());
        RdSliceEncoder::add_referenced(grid_, tile, with_vectors, touched_by_chosen);
      }
      bool is_same = std::ranges::equal(Bytes(memory).last(bytes), Bytes(memory_of_chosen).last(bytes_of_chosen)) &&
                     std::ranges::equal(touched.list(), touched_by_chosen.list()) &&
                     got.tiles[tile].content == encoder.content();
      if (!is_same) MESSAGE("tile " << tile << ": " << bytes_of_chosen << " bytes for " << bytes);
      each_sub_block(tile, [&](int i, int x, int y) {
        const size_t at = grid_.component(i).at(x, y);
        const bool sub_block_is_same = load_sub_block(got.texture.data() + at) == load_sub_block(want.data() + at);
        if (is_same && !sub_block_is_same)
          MESSAGE("tile " << tile << ", component " << i << ", sub-block " << x << ", " << y << ": modes "
                          << got.of[at / 8].modes);
        is_same = is_same && sub_block_is_same;
        ++kinds_[got.of[at / 8].modes & 15];
        if ((got.of[at / 8].modes & 15) == static_cast<uint32_t>(Kind::coded))
          ++indices_[got.of[at / 8].modes >> 8 & 15];
      });
      if (!is_same) return false;
    }
    shown_ = want;
    return true;
  }
  // Numbers of sub-blocks so far.
  size_t of_kind(Kind kind) const { return kinds_[static_cast<size_t>(kind)]; }
  size_t with(Indices indices) const { return indices_[static_cast<size_t>(indices)]; }

 private:
  template <typename Call>
  void each_sub_block(uint32_t tile, const Call& call) const {
    for (int i = 0; i < grid_.component_count(); ++i) {
      const BlockRect rect = grid_.blocks(grid_.component(i), {.tile = tile});
      for (int y = rect.y0; y < rect.y1; ++y)
        for (int x = rect.x0; x < rect.x1; ++x) call(i, x, y);
    }
  }
  const TileGrid grid_;
  DeviceModeDecision device_;
  Texture shown_;
  std::array<size_t, 16> kinds_{}, indices_{};
};

// Vectors of partitions: most are about the same, some point far away.
std::vector<UnitVectors> vectors_around(const TileGrid& grid, const MotionVector& v, uint32_t seed) {
  std::mt19937 random(seed);
  const auto any = [&](int most) { return static_cast<int>(random() % static_cast<uint32_t>(2 * most + 1)) - most; };
  std::vector<UnitVectors> all(grid.tiles());
  for (UnitVectors& of_tile : all)
    for (MotionVector& area : of_tile) {
      const int how = any(4);
      area = how > 1    ? MotionVector{}
             : how > -2 ? v
             : how > -3 ? MotionVector{v.x + any(3), v.y + any(3)}
                        : MotionVector{any(300), any(200)};
    }
  return all;
}

}  // namespace

TEST_CASE("kernels and host agree on the symbols of lossy slices") {
  CHECK(context::kLossyKind.first == TEXCAST_LOSSY_KIND_CONTEXT);
  CHECK(context::kTexelLevel.first == TEXCAST_DIRECT_LEVEL_CONTEXT);
  CHECK(context::kCount == TEXCAST_LOSSY_CONTEXTS);
  CHECK(sizeof(texcast_lossy_component) == 24 * 4);
  CHECK(sizeof(texcast_lossy_tile) == 34 * 4);
  CHECK(sizeof(texcast_lossy_analysis) == 16 * 4);
  CHECK(sizeof(texcast_coded_tile) == 10 * 4);
  CHECK(context::kPartition.first == TEXCAST_PARTITION_CONTEXT);
  CHECK(kPartitionCopied == TEXCAST_PARTITION_COPIED);
}

TEST_CASE("lossy sub-blocks by the device: intra") {
  const bool few = check::spared("intra tiles of more sizes and crfs");
  for (const TextureFormat format : {TextureFormat::ycocg_bc4_444, TextureFormat::ycocg_bc4_420}) {
    CAPTURE(name(format));
    for (const auto& [width, height] : {std::pair(1, 1), {20, 12}, {64, 32}, {190, 101}}) {
      if (check::tiny_only() && width > 20) continue;
      if (few && width != 20 && width != 190) continue;
      CAPTURE(width);
      LossyPair pair({.format = format, .width = width, .height = height});
      for (const double crf : {8.0, 23.0, 38.0}) {
        if ((check::tiny_only() || few) && crf != 23) continue;
        CAPTURE(crf);
        CHECK(pair.same(photograph(pair.grid().texture(), 3, 1), {}, rd_parameters(crf), {}, true));
        CHECK(pair.same(noise(pair.grid().texture(), 5), {}, rd_parameters(crf), {}, true));
      }
    }
  }
}

TEST_CASE("lossy sub-blocks by the device: inter") {
  const auto [width, height] = check::tiny_only() ? std::pair(20, 12) : std::pair(190, 101);
  for (const TextureFormat format : {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444}) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = width, .height = height};
    LossyPair pair(desc);
    const SearchEffort efforts[] = {{}, search_effort(Quality::fast), search_effort(Quality::normal)};
    CHECK(pair.same(photograph(desc, 0, 0), {}, rd_parameters(30), {}, true));
    for (int i = 1; i < (check::tiny_only() ? 3 : 7); ++i) {
      CAPTURE(i);
      const auto vectors = vectors_around(pair.grid(), {6 * (i % 3) + i, 10 - i}, static_cast<uint32_t>(i));
      CHECK(pair.same(i == 4 ? noise(desc, 4) : photograph(desc, 3 * i, 5 * i), vectors,
                      rd_parameters(i == 2 ? 6 : 14 + 5 * i), efforts[i % 3], false));
    }
    // Flat sub-blocks, for which many modes have the same distortion.
    for (int shade = 0; shade < (check::tiny_only() ? 1 : 4); ++shade) {
      Texture flat = photograph(desc, 40, 7);
      for (size_t at = 0; at + 8 <= flat.size(); at += 8)
        if (at / 8 % 3 != 0) {
          std::fill_n(flat.begin() + static_cast<std::ptrdiff_t>(at), 8, std::byte{});
          flat[at] = flat[at + 1] = std::byte{static_cast<uint8_t>(90 * shade + at / 8 % 2)};
        }
      CHECK(pair.same(flat, vectors_around(pair.grid(), {shade, 4}, 11), rd_parameters(2 + 9 * shade), {}, false));
    }
    // A source picture that differs much from the blocks.
    const check::Frame frame = check::make_frame(check::rgba({width, height}), check::Pattern::real, 1);
    SourcePicture picture(width, height);
    for (uint32_t tile = 0; tile < pair.grid().tiles(); ++tile)
      picture.draw(frame.view(), pair.grid().blocks(pair.grid().component(0), {.tile = tile}));
    for (int i = check::tiny_only() ? 2 : 0; i < 3; ++i)
      CHECK(pair.same(photograph(desc, 40, i), vectors_around(pair.grid(), {i, -3}, 9), rd_parameters(20 + 4 * i),
                      efforts[i], false, &picture));
    // Letters, which are coded level by level, their colours with luma's levels.
    for (int i = 0; i < (check::tiny_only() ? 1 : 3); ++i)
      CHECK(pair.same(letters(desc, 4 * i), vectors_around(pair.grid(), {0, 8 * i}, 12), rd_parameters(22 + 3 * i),
                      efforts[i], false));
    if (check::tiny_only()) continue;
    for (const Kind kind : {Kind::motion_copy, Kind::co_located, Kind::left, Kind::above, Kind::coded})
      CHECK(pair.of_kind(kind) > 0);
    for (int indices = 0; indices <= static_cast<int>(Indices::near_0); ++indices)
      CHECK(pair.with(static_cast<Indices>(indices)) > 0);
    CHECK(pair.with(Indices::intra) > 0);
    CHECK(pair.with(Indices::texels) > 0);
    for (const Indices of_luma : {Indices::luma, Indices::mirrored_luma})
      CHECK((pair.with(of_luma) > 0) == (format == TextureFormat::ycocg_bc4_444));
  }
}

namespace {

// Repeats sub-blocks of the upper left corner everywhere. Those at the left edge, up to `shift` tiles from it, are
// flat.
void repeat(const TileGrid& grid, int shift, Texture& texture) {
  constexpr uint64_t kShade = 100 | 100 << 8;
  constexpr int kPeriod = 5;
  const Component& first = grid.component(0);
  for (int y = first.blocks_y; y-- > 0;)
    for (int x = first.blocks_x; x-- > 0;) {
      const uint64_t again =
          load_sub_block(texture.data() + first.at((x + shift) % kPeriod + 1, (y + 2 * shift) % kPeriod));
      const bool is_shade = x < (shift > 0 && y < first.tile_rows() ? first.tile_columns() : 1);
      store_sub_block(texture.data() + first.at(x, y), is_shade ? kShade : again);
    }
}

// A picture with repeated rows, shifted by `moved`.
check::Frame repeated_rows(check::Size size, int moved) {
  check::Frame frame = check::make_frame(check::rgba(size), check::Pattern::random, 7);
  const auto stride = static_cast<size_t>(frame.placed.stride[0]);
  const std::vector<std::byte> rows = frame.bytes;
  constexpr int kPeriod = 13;
  for (int y = 0; y < size.height; ++y)
    std::memcpy(frame.bytes.data() + frame.placed.offset[0] + static_cast<size_t>(y) * stride,
                rows.data() + frame.placed.offset[0] + static_cast<size_t>((y + moved) % kPeriod) * stride, stride);
  return frame;
}

void check_streams(LossyStreams& streams, int frames) {
  const TextureDesc& desc = streams.grid().texture();
  const RdParameters target = with_refinements(rd_parameters(24), 2);
  for (int i = 0; i < frames; ++i) {
    CAPTURE(i);
    const Texture texture = i == 3 ? noise(desc, 4) : photograph(desc, 3 * (i / 2), 5 * (i / 2));
    CHECK(streams.same({.texture = texture, .target = target}));
  }
}

}  // namespace

// Changes, motion candidates and complexity by the device, compared with the encoder's own; also with windows that
// share an entry of the index, and unchanged tiles.
TEST_CASE("a device's analysis of lossy frames") {
  const auto [width, height] = check::tiny_only() ? std::pair(76, 44) : std::pair(318, 141);
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = width, .height = height};
  const TileGrid grid(desc);
  const Component& first = grid.component(0);
  const auto backend = compact::make_opencl_lossy_backend(check::device().info(), grid);
  Workers workers(1);
  backend->start({}, workers);
  PixelPlane now(first), given(first), then(first);
  WindowIndex windows(now);
  TileWindows found;
  Texture given_texture(grid.texture_bytes()), before;
  std::vector<uint32_t> all(grid.tiles()), changed;
  std::iota(all.begin(), all.end(), 0);
  uint32_t votes = 0, anew = 0;
  SourcePicture picture(width, height);
  for (int i = 0; i < 8; ++i) {
    CAPTURE(i);
    // A tile is unchanged, and half of another. Repeated content matches in many places. The flat tile is at the edge.
    Texture texture = photograph(desc, 4 * (i % 3), 8 * i);
    if (i == 4 || i == 5) repeat(grid, i - 4, texture);
    if (i == 3)
      for (const Slice& slice : {Slice{.tile = 0, .sub_slices = 2, .sub_slice = 0}, Slice{.tile = grid.tiles() - 1}})
        grid.for_each_sub_block(
            slice, [&](size_t at) { store_sub_block(texture.data() + at, load_sub_block(given_texture.data() + at)); });
    const auto differences = backend->begin({.texture = texture, .reference = before, .compared = all});
    if (i > 0) {
      for (const uint32_t tile : changed) given.take(now, grid.blocks(first, {.tile = tile}));
      for (const uint32_t tile : all) {
        const BlockRect rect = grid.blocks(first, {.tile = tile});
        then.update(first, before.data(), rect, all_changed(rect));
      }
    }
    // Repeated rows of pixels, so that a window is in neighbouring entries of the index.
    const check::Frame rows = repeated_rows({width, height}, i);
    const FrameView view = rows.view();
    std::vector<TileDifference> wanted(grid.tiles());
    changed.clear();
    for (const uint32_t tile : all) {
      for (int c = 0; c < grid.component_count(); ++c) {
        const Component& component = grid.component(c);
        const TileChanges changes = changes_of(component, grid.blocks(component, {.tile = tile}), texture.data(),
                                               i > 0 ? given_texture.data() : nullptr);
        if (changes.any()) wanted[tile] |= kChanged;
        for (int row = 0; row < kMostSliceRows && c == 0; ++row)
          for_each_bit(changes.rows[row], [&](int x) { wanted[tile] |= 1u << (row / 4 * 4 + x / 4); });
      }
      if (wanted[tile] == 0) continue;
      changed.push_back(tile);
      const BlockRect rect = grid.blocks(first, {.tile = tile});
      if (i >= 6) picture.draw(view, rect);
      if (i >= 6)
        now.draw(picture, rect);
      else
        now.update(first, texture.data(), rect, all_changed(rect));
    }
    CHECK(std::ranges::equal(differences, wanted));
    const auto movements = backend->find_candidates(i >= 6 ? &view : nullptr, changed, changed);
    std::vector<TileToMeasure> to_measure;
    const std::array<MotionVector, 2> voted{i < 6 ? MotionVector{4, 8} : MotionVector{0, 14},
                                            i < 6 ? MotionVector{-3, 1} : MotionVector{0, -12}};
    REQUIRE(movements.size() == changed.size());
    for (size_t at = 0; at < changed.size(); ++at) {
      const MotionCandidates own =
          i > 0 ? windows.find(now, given, grid.blocks(first, {.tile = changed[at]}), found).most : MotionCandidates{};
      CHECK(movements[at] == own);
      votes += own[0].matches;
      TileToMeasure& of = to_measure.emplace_back(
          TileToMeasure{.tile = changed[at], .intra = i == 0 || at % 5 == 4, .own = own[0].vector});
      for (int area = 0; area < kMostPartitions; ++area)
        of.previous_vectors[static_cast<size_t>(area)] =
            i < 5 ? MotionVector{area - 3, 2 * area - 60} : MotionVector{-80, 0};
    }
    const auto details = backend->complexity(to_measure, voted);
    REQUIRE(details.size() == to_measure.size());
    for (size_t at = 0; at < to_measure.size(); ++at) {
      const TileToMeasure& of = to_measure[at];
      const BlockRect rect = grid.blocks(first, {.tile = of.tile});
      const std::array<MotionVector, 3> vectors{of.own, voted[0], voted[1]};
      const TileComplexity own = of.intra ? TileComplexity{intra_complexity(now, rect)}
                                          : inter_complexity(now, given, then, rect, vectors, of.previous_vectors);
      CHECK(details[at] == own);
      anew += own.is_new_content;
    }
    for (const uint32_t tile : changed)
      for (int way = 0; way < WindowIndex::kWays; ++way) windows.put(now, grid.blocks(first, {.tile = tile}), way);
    // Every changed tile is coded, and its reconstruction differs from the source.
    given_texture = texture;
    before = texture;
    for (size_t at = 0; at < before.size(); at += 24) before[at] ^= std::byte{4};
    backend->end({.coded = all, .recoded = all, .redrawn = changed, .reference = before});
  }
  CHECK(votes > 0);
  CHECK((check::tiny_only() || anew > 0));
}

// The texels that lossy coding of sub-blocks approximates, for pictures in every format.
TEST_CASE("lossy texels by the device") {
  const auto [width, height] = check::tiny_only() ? std::pair(28, 20) : std::pair(190, 77);
  const bool few = check::spared("lossy texels of two in three source formats");
  for (const TextureFormat format :
       {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422, TextureFormat::ycocg_bc4_444}) {
    const TileGrid grid({.format = format, .width = width, .height = height});
    const auto backend = compact::make_opencl_lossy_backend(check::device().info(), grid);
    Workers workers(1);
    backend->start({}, workers);
    for (int f = 0; f < kPixelFormatCount; ++f) {
      const auto pixel_format = static_cast<PixelFormat>(f);
      // Each has its own program.
      if (pixel_format != PixelFormat::nv12 && (check::tiny_only() || format != TextureFormat::ycocg_bc4_420)) continue;
      if (few && f % 3 != 0) continue;
      CAPTURE(name(format));
      CAPTURE(name(pixel_format));
      const check::Frame frame =
          check::make_frame({.pixel_format = pixel_format, .width = width, .height = height}, check::Pattern::real, 1);
      const FrameView view = frame.view();
      SourcePicture picture(width, height);
      PixelPlane luma(grid.component(0));
      std::vector<TileToEncode> tiles;
      std::vector<uint32_t> drawn;
      for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
        picture.draw(view, grid.blocks(grid.component(0), {.tile = tile}));
        tiles.push_back({.tile = tile, .intra = true, .parameters = rd_parameters(24)});
        drawn.push_back(tile);
      }
      for (const uint32_t tile : drawn) luma.draw(picture, grid.blocks(grid.component(0), {.tile = tile}));
      const Texture texture(grid.texture_bytes());
      backend->begin({.texture = texture, .compared = drawn});
      backend->find_candidates(&view, drawn, drawn);
      backend->encode(tiles, {});
      backend->wait();
      const std::span<const SubBlockTexels> chosen = backend->texels();
      SourceTexels of_picture;
      std::array<size_t, 3> wrong{};
      for (const uint32_t tile : drawn) {
        of_picture.read(grid, {.tile = tile}, picture);
        for (int i = 0; i < grid.component_count(); ++i) {
          const BlockRect rect = grid.blocks(grid.component(i), {.tile = tile});
          for (int y = rect.y0; y < rect.y1; ++y)
            for (int x = rect.x0; x < rect.x1; ++x) {
              Texels texels;
              of_picture.channel(i, x, y, texels);
              wrong[static_cast<size_t>(i)] +=
                  !std::ranges::equal(texels.at[0], chosen[grid.component(i).at(x, y) / 8]);
            }
        }
      }
      CAPTURE(wrong[1]);
      CAPTURE(wrong[2]);
      CHECK(wrong == std::array<size_t, 3>{});
    }
  }
}

TEST_CASE("lossy streams by the device") {
  if (check::tiny_only()) return;
  const bool few = check::spared("lossy streams of ycocg-bc4");
  for (const TextureFormat format : {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444}) {
    CAPTURE(name(format));
    if (few && format != TextureFormat::ycocg_bc4_444) continue;
    const TextureDesc desc{.format = format, .width = 190, .height = 141};
    LossyStreams streams(desc, {.most_slice_bytes = 384,
                                .lossy = true,
                                .effort = search_effort(Quality::fast),
                                .batches = format == TextureFormat::ycocg_bc4_444 ? 2 : 8});
    check_streams(streams, 9);
    CHECK(streams.sub_slices());  // for the noise
    const RdParameters target = rd_parameters(28);
    std::vector<uint8_t> intra(streams.grid().tiles()), wrong(streams.grid().tiles());
    intra[2] = wrong[1] = wrong[5] = 1;
    CHECK(streams.same({.texture = photograph(desc, 20, 9), .intra = intra, .wrong = wrong, .target = target}));
    CHECK(streams.same({.texture = photograph(desc, 22, 9), .target = target}));
    // With a source picture.
    const check::Frame frame = check::make_frame(check::rgba({desc.width, desc.height}), check::Pattern::real, 1);
    const FrameView view = frame.view();
    CHECK(streams.same({.texture = photograph(desc, 25, 9), .target = target, .picture = &view}));
    CHECK(streams.same({.texture = photograph(desc, 26, 10), .target = target, .picture = &view}));
    streams.keep_to({.bits_per_s = 400e3, .fps = 30});
    check_streams(streams, 9);
  }
}

// Every second partition has three quarters of the luma of the one on its left.
static Texture with_similar_partitions(const TileGrid& grid, Texture texture) {
  const Component& luma = grid.component(0);
  for (int y = 0; y < luma.blocks_y; ++y)
    for (int x = 4; x < luma.blocks_x; ++x)
      if (y % 4 != 0 && x % 8 >= 4)
        store_sub_block(texture.data() + luma.at(x, y), load_sub_block(texture.data() + luma.at(x - 4, y)));
  return texture;
}

// Luma with the same levels, but little contrast: it hardly pays to code a vector.
static Texture faint(const TileGrid& grid, Texture texture) {
  const Component& luma = grid.component(0);
  for (int y = 0; y < luma.blocks_y; ++y)
    for (int x = 0; x < luma.blocks_x; ++x) {
      texture[luma.at(x, y)] = std::byte{129};
      texture[luma.at(x, y) + 1] = std::byte{125};
    }
  return texture;
}

TEST_CASE("lossy streams by the device: partitions that come from many places of the previous frame") {
  if (check::tiny_only()) return;
  // At the edges partitions are cut.
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 200, .height = 100};
  LossyStreams streams(desc, {.most_slice_bytes = 1024, .lossy = true, .effort = search_effort(Quality::fast)});
  Texture texture = with_similar_partitions(streams.grid(), noise(desc, 3));
  for (uint32_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    if (i == 3) texture = faint(streams.grid(), texture);
    CHECK(streams.same({.texture = texture, .target = rd_parameters(28)}));
    texture = shuffled(streams.grid(), texture, i);
  }
}

TEST_CASE("a lossy backend with wrong results is dropped by the self-check") {
  if (check::tiny_only()) return;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 140, .height = 101};
  const FrameEncoderSettings settings{.lossy = true, .effort = search_effort(Quality::fast)};
  for (const auto fault :
       {FaultyBackend::Fault::none, FaultyBackend::Fault::other_choices, FaultyBackend::Fault::other_vectors,
        FaultyBackend::Fault::other_changes, FaultyBackend::Fault::other_movements}) {
    CAPTURE(static_cast<int>(fault));
    LossyStreams streams(desc, settings, fault == FaultyBackend::Fault::none ? 20 : 1000, fault);
    check_streams(streams, 6);
  }
}

TEST_CASE("a lossy backend that is slower than the CPU is dropped") {
  if (check::tiny_only()) return;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 140, .height = 101};
  for (const bool is_slow : {false, true}) {
    CAPTURE(is_slow);
    LossyStreams streams(desc, {.lossy = true, .effort = search_effort(Quality::fast)}, nullptr);
    int batches = 0;
    SteadyTime now{};
    const auto asked = [&] {
      ++batches;
      if (is_slow) now += std::chrono::milliseconds(20);
    };
    const uint32_t slices = 2 * streams.grid().tiles();
    streams.use_backend({.slices = slices, .clock = [&] { return now; }}, FaultyBackend::Fault::none, 0, asked);
    check_streams(streams, 3);
    const int batches_checked = std::exchange(batches, 0);
    CHECK(batches_checked > 0);
    check_streams(streams, 5);
    CHECK((batches == 0) == is_slow);
  }
}

TEST_CASE("the CPU codes tiles of a lossy stream if the device has no room for their symbols") {
  if (check::tiny_only()) return;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 190, .height = 141};
  LossyStreams streams(desc, {.most_slice_bytes = 384, .lossy = true, .effort = search_effort(Quality::fast)}, 0,
                       FaultyBackend::Fault::no_symbols);
  check_streams(streams, 7);
  streams.keep_to({.bits_per_s = 400e3, .fps = 30});
  check_streams(streams, 7);
}

TEST_CASE("a device takes over within a lossy stream") {
  if (check::tiny_only()) return;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 190, .height = 141};
  const RdParameters target = with_refinements(rd_parameters(24), 2);
  for (const bool is_drawn : {false, true}) {
    CAPTURE(is_drawn);
    LossyStreams streams(desc, {.lossy = true, .effort = search_effort(Quality::fast)}, nullptr);
    Texture last;
    const auto frame = [&](int i) {
      // Tiles stay unchanged, and motion is by whole pixels.
      const check::Frame picture = repeated_rows({desc.width, desc.height}, i);
      const FrameView view = picture.view();
      Texture texture = photograph(desc, 4 * i, 8 * i);
      if (i == 4)
        for (const uint32_t tile : {0u, 1u, 5u})
          streams.grid().for_each_sub_block({.tile = tile}, [&](size_t at) {
            store_sub_block(texture.data() + at, load_sub_block(last.data() + at));
          });
      last = texture;
      CHECK(streams.same({.texture = texture, .target = target, .picture = is_drawn ? &view : nullptr}));
    };
    for (int i = 0; i < 4; ++i) frame(i);
    streams.use_backend();
    for (int i = 4; i < 7; ++i) frame(i);
    // As at a file's next key frame.
    streams.forget();
    for (int i = 7; i < 10; ++i) frame(i);
  }
}

// The results so far are used. The other tiles come with the next frame, which is coded without a reference.
TEST_CASE("a lossy stream goes on if its device fails") {
  if (check::tiny_only()) return;
  using Fault = FaultyBackend::Fault;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 140, .height = 101};
  Workers workers(0);
  for (const Fault fault :
       {Fault::at_start, Fault::at_begin, Fault::at_drawing, Fault::at_choice, Fault::at_wait, Fault::at_texels}) {
    CAPTURE(static_cast<int>(fault));
    // Tiles that have to be cut into sub-slices need texels().
    FrameEncoder encoder(
        desc, {.most_slice_bytes = 384, .lossy = true, .effort = search_effort(Quality::fast), .batches = 4}, workers);
    encoder.use_backend(
        std::make_unique<FaultyBackend>(compact::make_opencl_lossy_backend(check::device().info(), encoder.grid()),
                                        fault, fault == Fault::at_start ? 0 : 3));
    check_goes_on(encoder, desc, workers, 6);
  }
}
