// transform_reference.h — the rules of transform slices in scalar code, one texel after the other: prediction,
// transform and fit. codec/compact/transform has the same results.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "compact/transform_reconstruction.h"

namespace texcast::compact::reference {

// `levels` has the coefficients of higher frequencies. The context counts those on the right and below.
inline int magnitude_context(const TransformLevels& levels, int position) {
  const int row = position / kTransformSide, column = position % kTransformSide;
  const auto size = [&](int y, int x) {
    return y < kTransformSide && x < kTransformSide
               ? std::min(std::abs(static_cast<int>(levels[static_cast<size_t>(y * kTransformSide + x)])), 15)
               : 0;
  };
  const int sum = size(row, column + 1) + size(row, column + 2) + size(row + 1, column) + size(row + 2, column) +
                  size(row + 1, column + 1);
  return first_magnitude_context(position) + neighbours_class(sum);
}

FittedBlock fit_block(U8x16 wanted);
U8x16 nearest_texels(uint64_t sub_block);
void inverse_transform(const TransformLevels& levels, int step, Residual& residual);
void forward_transform(const Residual& residual, std::array<int16_t, kCoefficients>& coefficients);
void interpolate(const uint8_t* from, ptrdiff_t stride, int width, int height, const TexelVector& vector,
                 const Component& component, uint8_t* out, ptrdiff_t out_stride);
void window(const SamplePlanes& planes, int component, int x, int y, int width, int height, uint8_t* out,
            ptrdiff_t stride);

// The reconstruction of one tile or sub-slice. Macroblocks come row by row from the left.
class Reconstruction : public MacroblockGrid {
 public:
  Reconstruction(const TileGrid& grid, const Slice& slice, const TransformFrames& frames);

  // Writes the samples and the blocks of a macroblock. `step`: transform_step().
  void reconstruct(const Macroblock& macroblock, const MacroblockLevels& levels, int step, int column, int row);

  // The parts of it, for the encoder's mode decision.
  void predict_inter(int component, const TransformBlocks& blocks, const MotionVector& vector,
                     MacroblockTexels& texels) const;
  // Transform block `i`, of samples that were reconstructed before.
  void predict_intra(int component, const TransformBlocks& blocks, int i, MacroblockMode mode,
                     MacroblockTexels& texels) const;
  // Fits the blocks of transform block `i` to prediction plus residual, and writes them.
  void fit(int component, const TransformBlocks& blocks, int i, const MacroblockTexels& prediction,
           const Residual* residual);
  // Copies samples and blocks from the reference frame if the vector leads from blocks to blocks. False: it does not.
  bool copy(int component, const TransformBlocks& blocks, int i, const MotionVector& vector);

 private:
  void put(int component, int x, int y, uint64_t sub_block, U8x16 samples);

  const TransformFrames frames_;
};

}  // namespace texcast::compact::reference
