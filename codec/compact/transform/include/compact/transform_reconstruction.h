// transform_reconstruction.h — macroblocks of a transform slice to samples and to blocks of the texture: prediction,
// inverse transform and fit. Encoder and decoder share it, so that both have the same reference frames.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "compact/block_fit.h"
#include "compact/dct.h"
#include "compact/interpolation.h"
#include "compact/macroblock_grid.h"
#include "compact/sample_planes.h"
#include "compact/tile_grid.h"
#include "compact/transform_syntax.h"

namespace texcast::compact {

// Texels of a macroblock in one component, row by row; kMacroblockSide in a row.
using MacroblockTexels = std::array<uint8_t, kMacroblockSide * kMacroblockSide>;

// The frames that a transform slice reads and writes: whole textures and their samples. All are borrowed.
struct TransformFrames {
  const std::byte* reference = nullptr;  // the reference frame; nullptr: there is none, and all macroblocks are intra
  const SamplePlanes* reference_samples = nullptr;
  std::byte* texture = nullptr;
  SamplePlanes* samples = nullptr;
};

// The reconstruction of one tile or sub-slice. Macroblocks come row by row from the left.
class TransformReconstruction : public MacroblockGrid {
 public:
  // In `frames`, only blocks and samples of the slice are written.
  TransformReconstruction(const TileGrid& grid, const Slice& slice, const TransformFrames& frames);

  // Writes the samples and the blocks of a macroblock. `step`: transform_step().
  void reconstruct(const Macroblock& macroblock, const MacroblockLevels& levels, int step, int column, int row);

  // The same, faster, but the last blocks are written later: with the next macroblocks, or with finish().
  void begin(const Macroblock& macroblock, const MacroblockLevels& levels, int step, int column, int row);
  void finish() { queue_.finish(); }

  // The parts of it, for the encoder's mode decision.
  void predict_inter(int component, const TransformBlocks& blocks, const MotionVector& vector,
                     MacroblockTexels& texels) const;
  // Transform block `i`, of samples that were reconstructed before.
  void predict_intra(int component, const TransformBlocks& blocks, int i, MacroblockMode mode,
                     MacroblockTexels& texels) const;
  // Writes the samples of transform block `i`, prediction plus residual, and no blocks.
  void write_samples(int component, const TransformBlocks& blocks, int i, const MacroblockTexels& prediction,
                     const Residual* residual);

 private:
  void reconstruct_inter(const Macroblock& macroblock, const MacroblockLevels& levels, int step,
                         const std::array<TransformBlocks, kTransformComponents>& of);
  void reconstruct_intra(const Macroblock& macroblock, const MacroblockLevels& levels, int step,
                         const std::array<TransformBlocks, kTransformComponents>& of);
  // Copies samples and blocks from the reference frame if the vector leads from blocks to blocks. False: it does not.
  bool copy(int component, const TransformBlocks& blocks, int i, const MotionVector& vector);
  // Fits the blocks of a transform block to its samples.
  void add_fits(int component, const TransformBlocks& blocks, int i);

  const TransformFrames frames_;
  FitQueue queue_;
};

}  // namespace texcast::compact
