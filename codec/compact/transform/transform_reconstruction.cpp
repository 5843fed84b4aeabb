#include "compact/transform_reconstruction.h"

#include <algorithm>
#include <cstring>

#include "compact/sub_block.h"
#include "lanes.h"

namespace texcast::compact {
namespace {

constexpr int kSide = kMacroblockSide, kBlock = kTransformSide;

// The texels on the left of a transform block and above it.
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

TransformReconstruction::TransformReconstruction(const TileGrid& grid, const Slice& slice, const std::byte* reference,
                                                 std::byte* texture)
    : MacroblockGrid(grid, slice), reference_(reference), texture_(texture) {}

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
      add(c, of_component, i, prediction, is_coded ? &residual : nullptr);
    }
  }
}

// Blocks that need no texel of each other are fitted together: the first one of all components, then the one on its
// right and the one below, then the last one.
void TransformReconstruction::reconstruct_intra(const Macroblock& macroblock, const MacroblockLevels& levels, int step,
                                                const std::array<TransformBlocks, kTransformComponents>& of) {
  constexpr std::array<std::array<int, 2>, 3> kSteps{{{0, 0}, {1, 2}, {3, 3}}};
  MacroblockTexels prediction;
  Residual residual;
  finish();  // texels beside it
  for (const auto& [first, last] : kSteps) {
    for (int c = 0; c < kTransformComponents; ++c)
      for (int i = first; i <= last; ++i) {
        const TransformBlocks& of_component = of[static_cast<size_t>(c)];
        if (!of_component.has(i)) continue;
        const bool is_coded = (macroblock.coded[static_cast<size_t>(c)] >> i & 1) != 0;
        predict_intra(c, of_component, i, macroblock.mode, prediction);
        if (is_coded) inverse_transform(levels[static_cast<size_t>(c)][static_cast<size_t>(i)], step, residual);
        add(c, of_component, i, prediction, is_coded ? &residual : nullptr);
      }
    finish();
  }
}

void TransformReconstruction::predict_inter(int component, const TransformBlocks& blocks, const MotionVector& vector,
                                            MacroblockTexels& texels) const {
  const Component& of = MacroblockGrid::component(component);
  const TexelVector by = texel_vector(vector, of);
  const int width = blocks.columns * kBlock, height = blocks.rows * kBlock;
  const FilterReach x = filter_reach(of, by.eighth_x), y = filter_reach(of, by.eighth_y);
  TexelWindow window;
  const uint8_t* const from = ReferenceTexels(reference_, of)
                                  .window(blocks.x * 4 + by.x - x.before, blocks.y * 4 + by.y - y.before,
                                          x.before + width + x.after, y.before + height + y.after, window);
  interpolate(from + y.before * TexelWindow::kStride + x.before, TexelWindow::kStride, width, height, by, of,
              texels.data(), kSide);
}

void TransformReconstruction::predict_intra(int component, const TransformBlocks& blocks, int i, MacroblockMode mode,
                                            MacroblockTexels& texels) const {
  const BlockRect& rect = this->rect(component);
  const int x = blocks.x + transform_block_x(i) / 4, y = blocks.y + transform_block_y(i) / 4;  // in blocks
  Edges edges{.has_left = x > rect.x0, .has_above = y > rect.y0};
  // Texels beyond the last block are the last one of that.
  for (int k = 0; k < 2; ++k) {
    if (edges.has_left) {
      const bool is_inside = y + k < rect.y1;
      const U8x16 of_block = texels_of(component, x - 1, is_inside ? y + k : rect.y1 - 1);
      for (int j = 0; j < 4; ++j) edges.left[static_cast<size_t>(4 * k + j)] = of_block[(is_inside ? j : 3) * 4 + 3];
    }
    if (edges.has_above) {
      const bool is_inside = x + k < rect.x1;
      const auto rows = reinterpret_cast<U32x4>(texels_of(component, is_inside ? x + k : rect.x1 - 1, y - 1));
      store_vector<uint32_t>(&edges.above[static_cast<size_t>(4 * k)],
                             is_inside ? rows[3] : (rows[3] >> 24) * 0x01010101u);
    }
  }
  predict(edges, mode, &texels[static_cast<size_t>(transform_block_y(i) * kSide + transform_block_x(i))]);
}

uint8_t TransformReconstruction::texel(int component, int x, int y) const {
  const BlockRect& rect = this->rect(component);
  return texels_of(component, rect.x0 + x / 4, rect.y0 + y / 4)[y % 4 * 4 + x % 4];
}

U8x16 TransformReconstruction::texels_of(int component, int x, int y) const {
  return nearest_texels(load_sub_block(texture_ + MacroblockGrid::component(component).at(x, y)));
}

void TransformReconstruction::fit(int component, const TransformBlocks& blocks, int i,
                                  const MacroblockTexels& prediction, const Residual* residual) {
  add(component, blocks, i, prediction, residual);
  finish();
}

void TransformReconstruction::add(int component, const TransformBlocks& blocks, int i,
                                  const MacroblockTexels& prediction, const Residual* residual) {
  const int x = transform_block_x(i) / 4, y = transform_block_y(i) / 4;  // in blocks, of the macroblock
  const Component& of = MacroblockGrid::component(component);
  for (int down = 0; down < 2 && y + down < blocks.block_rows; ++down) {
    const uint8_t* const texels = &prediction[static_cast<size_t>((y + down) * 4 * kSide + x * 4)];
    const int16_t* const errors = residual == nullptr ? nullptr : &(*residual)[static_cast<size_t>(down * 4 * kBlock)];
    const auto upper = reinterpret_cast<U32x4>(two_rows(texels, errors));
    const auto lower =
        reinterpret_cast<U32x4>(two_rows(texels + 2 * kSide, errors == nullptr ? nullptr : errors + 2 * kBlock));
    std::byte* const to = texture_ + of.at(blocks.x + x, blocks.y + y + down);
    queue_.add(reinterpret_cast<U8x16>(__builtin_shufflevector(upper, lower, 0, 2, 4, 6)), to);
    if (x + 1 < blocks.block_columns)
      queue_.add(reinterpret_cast<U8x16>(__builtin_shufflevector(upper, lower, 1, 3, 5, 7)), to + of.stride);
  }
}

bool TransformReconstruction::copy(int component, const TransformBlocks& blocks, int i, const MotionVector& vector) {
  const Component& of = MacroblockGrid::component(component);
  const TexelVector by = texel_vector(vector, of);
  if (!by.is_whole_blocks()) return false;
  const ReferenceTexels reference(reference_, of);
  const int x0 = blocks.x + transform_block_x(i) / 4, y0 = blocks.y + transform_block_y(i) / 4;
  const int x1 = std::min(x0 + 2, blocks.x + blocks.block_columns), y1 = std::min(y0 + 2, blocks.y + blocks.block_rows);
  const int across = by.x / 4, down = by.y / 4;
  if (!reference.has_block(x0 + across, y0 + down) || !reference.has_block(x1 - 1 + across, y1 - 1 + down))
    return false;
  for (int y = y0; y < y1; ++y) {
    const std::byte* const from = reference_ + of.at(x0 + across, y + down);
    std::byte* const to = texture_ + of.at(x0, y);
    store_sub_block(to, load_sub_block(from));
    if (x1 > x0 + 1) store_sub_block(to + of.stride, load_sub_block(from + of.stride));
  }
  return true;
}

}  // namespace texcast::compact
