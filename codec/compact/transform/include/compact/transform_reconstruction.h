// transform_reconstruction.h — macroblocks of a transform slice to blocks of the texture: prediction, inverse transform
// and fit. Encoder and decoder share it, so that both have the same reference frames.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "compact/block_fit.h"
#include "compact/dct.h"
#include "compact/interpolation.h"
#include "compact/macroblock_grid.h"
#include "compact/tile_grid.h"
#include "compact/transform_syntax.h"

namespace texcast::compact {

// Texels of a macroblock in one component, row by row; kMacroblockSide in a row.
using MacroblockTexels = std::array<uint8_t, kMacroblockSide * kMacroblockSide>;

// The reconstruction of one tile or sub-slice. Macroblocks come row by row from the left.
class TransformReconstruction : public MacroblockGrid {
 public:
  // `reference`: the whole texture of the reference frame; nullptr: there is none, and all macroblocks are intra.
  // `texture`: the whole texture, in which the blocks of the slice are written. Both are borrowed.
  TransformReconstruction(const TileGrid& grid, const Slice& slice, const std::byte* reference, std::byte* texture);

  // Writes the blocks of a macroblock. `step`: transform_step().
  void reconstruct(const Macroblock& macroblock, const MacroblockLevels& levels, int step, int column, int row);

  // The same, faster, but the last blocks are written later: with the next macroblocks, or with finish().
  void begin(const Macroblock& macroblock, const MacroblockLevels& levels, int step, int column, int row);
  void finish() { queue_.finish(); }

  // The parts of it, for the encoder's mode decision. They write all blocks.
  void predict_inter(int component, const TransformBlocks& blocks, const MotionVector& vector,
                     MacroblockTexels& texels) const;
  // Transform block `i`, of texels that were reconstructed before.
  void predict_intra(int component, const TransformBlocks& blocks, int i, MacroblockMode mode,
                     MacroblockTexels& texels) const;
  // Fits the blocks of transform block `i` to prediction plus residual, and writes them.
  void fit(int component, const TransformBlocks& blocks, int i, const MacroblockTexels& prediction,
           const Residual* residual);
  // Copies them from the reference frame if the vector leads from blocks to blocks. False: it does not.
  bool copy(int component, const TransformBlocks& blocks, int i, const MotionVector& vector);
  // The reconstructed texel of a component, relative to the slice.
  uint8_t texel(int component, int x, int y) const;

 private:
  void reconstruct_inter(const Macroblock& macroblock, const MacroblockLevels& levels, int step,
                         const std::array<TransformBlocks, kTransformComponents>& of);
  void reconstruct_intra(const Macroblock& macroblock, const MacroblockLevels& levels, int step,
                         const std::array<TransformBlocks, kTransformComponents>& of);
  void add(int component, const TransformBlocks& blocks, int i, const MacroblockTexels& prediction,
           const Residual* residual);
  U8x16 texels_of(int component, int x, int y) const;  // of a block that was reconstructed

  const std::byte* const reference_;
  std::byte* const texture_;
  FitQueue queue_;
};

}  // namespace texcast::compact
