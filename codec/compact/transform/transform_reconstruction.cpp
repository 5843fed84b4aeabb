#include "compact/transform_reconstruction.h"

#include <algorithm>
#include <cstring>

#include "compact/sub_block.h"
#include "lanes.h"

namespace texcast::compact {
namespace {

constexpr int kSide = kMacroblockSide, kBlock = kTransformSide;

// The samples on the left of a transform block and above it.
struct Edges {
  bool has_left = false, has_above = false;
  alignas(8) std::array<uint8_t, kBlock> left{}, above{};
};

int sum_of(const std::array<uint8_t, kBlock>& texels) {
  const U64x2 both{load_vector<uint64_t>(texels.data()), 0};
  return static_cast<int>(sums_of_differences(reinterpret_cast<U8x16>(both), U8x16{})[0]);
}
int mean_of(const Edges& edges) {
  const int sum = sum_of(edges.left) + sum_of(edges.above);  // those that are missing are 0
  if (edges.has_left && edges.has_above) return (sum + kBlock) / (2 * kBlock);
  return edges.has_left || edges.has_above ? (sum + kBlock / 2) / kBlock : 128;
}

void store_row(uint8_t* to, U8x16 texels) { store_vector<uint64_t>(to, reinterpret_cast<U64x2>(texels)[0]); }

void predict_planar(const Edges& edges, uint8_t* to) {
  constexpr I16x8 kRight{1, 2, 3, 4, 5, 6, 7, 8}, kLeft{7, 6, 5, 4, 3, 2, 1, 0};
  const I16x8 above = load_words(edges.above.data());
  const auto last = static_cast<int16_t>(edges.left[kBlock - 1]);
  // Without the row's left texel: 8, and what changes by the same amount from row to row.
  I16x8 sums = kRight * static_cast<int16_t>(edges.above[kBlock - 1]) + above * int16_t{kBlock - 1} +
               static_cast<int16_t>(last + kBlock);
  for (int y = 0; y < kBlock; ++y) {
    const I16x8 row = (sums + kLeft * static_cast<int16_t>(edges.left[static_cast<size_t>(y)])) >> 4;
    store_row(to + y * kSide, low_bytes(reinterpret_cast<U16x8>(row), U16x8{}));
    sums += last - above;
  }
}

void predict(const Edges& edges, MacroblockMode mode, uint8_t* to) {
  if (mode == MacroblockMode::intra_planar && edges.has_left && edges.has_above) return predict_planar(edges, to);
  const bool across = mode == MacroblockMode::intra_horizontal && edges.has_left;
  const bool down = mode == MacroblockMode::intra_vertical && edges.has_above;
  const U8x16 same = filled(across || down ? 0 : mean_of(edges));
  for (int y = 0; y < kBlock; ++y) {
    if (down)
      std::memcpy(to + y * kSide, edges.above.data(), kBlock);
    else
      store_row(to + y * kSide, across ? filled(edges.left[static_cast<size_t>(y)]) : same);
  }
}

// Two rows of prediction plus residual, limited to 0 to 255.
U8x16 two_rows(const uint8_t* texels, const int16_t* residual) {
  if (residual == nullptr) {
    const U64x2 both{load_vector<uint64_t>(texels), load_vector<uint64_t>(texels + kSide)};
    return reinterpret_cast<U8x16>(both);
  }
  // Residuals of inverse_transform() lie within 4096, so that the sums have 16 bits.
  const auto row = [&](int y) { return load_words(texels + y * kSide) + load_vector<I16x8>(residual + y * kBlock); };
  return limited_bytes(row(0), row(1));
}

}  // namespace

TransformReconstruction::TransformReconstruction(const TileGrid& grid, const Slice& slice,
                                                 const TransformFrames& frames)
    : MacroblockGrid(grid, slice), frames_(frames) {}

void TransformReconstruction::reconstruct(const Macroblock& macroblock, const MacroblockLevels& levels, int step,
                                          int column, int row) {
  begin(macroblock, levels, step, column, row);
  finish();
}

void TransformReconstruction::begin(const Macroblock& macroblock, const MacroblockLevels& levels, int step, int column,
                                    int row) {
  std::array<TransformBlocks, kTransformComponents> of;
  for (int c = 0; c < kTransformComponents; ++c) of[static_cast<size_t>(c)] = blocks(c, column, row);
  if (is_intra(macroblock.mode))
    reconstruct_intra(macroblock, levels, step, of);
  else
    reconstruct_inter(macroblock, levels, step, of);
}

void TransformReconstruction::reconstruct_inter(const Macroblock& macroblock, const MacroblockLevels& levels, int step,
                                                const std::array<TransformBlocks, kTransformComponents>& of) {
  MacroblockTexels prediction;
  Residual residual;
  for (int c = 0; c < kTransformComponents; ++c) {
    const TransformBlocks& of_component = of[static_cast<size_t>(c)];
    const unsigned coded = macroblock.coded[static_cast<size_t>(c)];
    bool is_predicted = false;
    for (int i = 0; i < kMostTransformBlocks; ++i) {
      const bool is_coded = (coded >> i & 1) != 0;
      if (!of_component.has(i) || (!is_coded && copy(c, of_component, i, macroblock.vector))) continue;
      if (!is_predicted) predict_inter(c, of_component, macroblock.vector, prediction);
      is_predicted = true;
      if (is_coded) inverse_transform(levels[static_cast<size_t>(c)][static_cast<size_t>(i)], step, residual);
      write_samples(c, of_component, i, prediction, is_coded ? &residual : nullptr);
      add_fits(c, of_component, i);
    }
  }
}

void TransformReconstruction::reconstruct_intra(const Macroblock& macroblock, const MacroblockLevels& levels, int step,
                                                const std::array<TransformBlocks, kTransformComponents>& of) {
  MacroblockTexels prediction;
  Residual residual;
  for (int c = 0; c < kTransformComponents; ++c)
    for (int i = 0; i < kMostTransformBlocks; ++i) {
      const TransformBlocks& of_component = of[static_cast<size_t>(c)];
      if (!of_component.has(i)) continue;
      const bool is_coded = (macroblock.coded[static_cast<size_t>(c)] >> i & 1) != 0;
      predict_intra(c, of_component, i, macroblock.mode, prediction);
      if (is_coded) inverse_transform(levels[static_cast<size_t>(c)][static_cast<size_t>(i)], step, residual);
      write_samples(c, of_component, i, prediction, is_coded ? &residual : nullptr);
      add_fits(c, of_component, i);
    }
}

void TransformReconstruction::predict_inter(int component, const TransformBlocks& blocks, const MotionVector& vector,
                                            MacroblockTexels& texels) const {
  const Component& of = MacroblockGrid::component(component);
  const TexelVector by = texel_vector(vector, of);
  const int width = blocks.columns * kBlock, height = blocks.rows * kBlock;
  const FilterReach x = filter_reach(of, by.eighth_x), y = filter_reach(of, by.eighth_y);
  SampleWindow memory;
  const auto [from, stride] =
      sample_window(*frames_.reference_samples, component, blocks.x * 4 + by.x - x.before,
                    blocks.y * 4 + by.y - y.before, x.before + width + x.after, y.before + height + y.after, memory);
  interpolate(from + y.before * stride + x.before, stride, width, height, by, of, texels.data(), kSide);
}

void TransformReconstruction::predict_intra(int component, const TransformBlocks& blocks, int i, MacroblockMode mode,
                                            MacroblockTexels& texels) const {
  const BlockRect& rect = this->rect(component);
  const int x = blocks.x * 4 + transform_block_x(i), y = blocks.y * 4 + transform_block_y(i);
  Edges edges{.has_left = x > rect.x0 * 4, .has_above = y > rect.y0 * 4};
  // Samples beyond the last block are the last one of that.
  const SamplePlanes& samples = *frames_.samples;
  if (edges.has_left) {
    const uint8_t* const left = samples.at(component, x - 1, y);
    for (int k = 0; k < kBlock; ++k)
      edges.left[static_cast<size_t>(k)] = left[std::min(k, rect.y1 * 4 - 1 - y) * samples.stride(component)];
  }
  if (edges.has_above) {
    const int inside = std::min(kBlock, rect.x1 * 4 - x);
    const uint8_t* const above = samples.at(component, x, y - 1);
    std::memcpy(edges.above.data(), above, static_cast<size_t>(inside));
    std::fill(edges.above.begin() + inside, edges.above.end(), above[inside - 1]);
  }
  predict(edges, mode, &texels[static_cast<size_t>(transform_block_y(i) * kSide + transform_block_x(i))]);
}

void TransformReconstruction::write_samples(int component, const TransformBlocks& blocks, int i,
                                            const MacroblockTexels& prediction, const Residual* residual) {
  const int x = transform_block_x(i), y = transform_block_y(i);
  const int rows = std::min(kBlock, blocks.block_rows * 4 - y);
  const bool is_whole = blocks.block_columns * 4 - x > 4;
  const ptrdiff_t stride = frames_.samples->stride(component);
  uint8_t* to = frames_.samples->at(component, blocks.x * 4 + x, blocks.y * 4 + y);
  for (int row = 0; row < rows; row += 2, to += 2 * stride) {
    const auto both = reinterpret_cast<U64x2>(two_rows(&prediction[static_cast<size_t>((y + row) * kSide + x)],
                                                       residual == nullptr ? nullptr : &(*residual)[row * kBlock]));
    for (int j = 0; j < 2; ++j) {
      if (is_whole)
        store_vector<uint64_t>(to + j * stride, both[j]);
      else
        store_vector<uint32_t>(to + j * stride, static_cast<uint32_t>(both[j]));
    }
  }
}

void TransformReconstruction::add_fits(int component, const TransformBlocks& blocks, int i) {
  const Component& of = MacroblockGrid::component(component);
  const int x0 = blocks.x + transform_block_x(i) / 4, y0 = blocks.y + transform_block_y(i) / 4;
  const int x1 = std::min(x0 + 2, blocks.x + blocks.block_columns), y1 = std::min(y0 + 2, blocks.y + blocks.block_rows);
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x)
      queue_.add(load_block(frames_.samples->at(component, x * 4, y * 4), frames_.samples->stride(component)),
                 frames_.texture + of.at(x, y));
}

bool TransformReconstruction::copy(int component, const TransformBlocks& blocks, int i, const MotionVector& vector) {
  const Component& of = MacroblockGrid::component(component);
  const TexelVector by = texel_vector(vector, of);
  if (!by.is_whole_blocks()) return false;
  const int x0 = blocks.x + transform_block_x(i) / 4, y0 = blocks.y + transform_block_y(i) / 4;
  const int x1 = std::min(x0 + 2, blocks.x + blocks.block_columns), y1 = std::min(y0 + 2, blocks.y + blocks.block_rows);
  const int across = by.x / 4, down = by.y / 4;
  if (x0 + across < 0 || y0 + down < 0 || x1 + across > of.blocks_x || y1 + down > of.blocks_y) return false;
  for (int y = y0; y < y1; ++y) {
    const std::byte* const from = frames_.reference + of.at(x0 + across, y + down);
    std::byte* const to = frames_.texture + of.at(x0, y);
    store_sub_block(to, load_sub_block(from));
    if (x1 > x0 + 1) store_sub_block(to + of.stride, load_sub_block(from + of.stride));
  }
  for (int y = y0 * 4; y < y1 * 4; ++y)
    std::memcpy(frames_.samples->at(component, x0 * 4, y),
                frames_.reference_samples->at(component, (x0 + across) * 4, y + down * 4),
                static_cast<size_t>(x1 - x0) * 4);
  return true;
}

}  // namespace texcast::compact
