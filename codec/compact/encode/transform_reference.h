// transform_reference.h — the samples of the reference frame for motion compensation of transform slices: those of luma
// at half pixels too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compact/motion_vector.h"
#include "compact/sample_planes.h"
#include "compact/tile_grid.h"
#include "compact/transform_reconstruction.h"
#include "compact/transform_syntax.h"

namespace texcast::compact {

// Different threads may update different tiles, and then interpolate different tiles.
class TransformReference {
 public:
  // The grid can_transform(), and is borrowed.
  explicit TransformReference(const TileGrid& grid);

  const SamplePlanes& samples() const { return samples_; }
  // The samples of a tile become those of `samples`, or those that its blocks in `texture` decode to.
  void update(uint32_t tile, const SamplePlanes& samples);
  void update(uint32_t tile, const std::byte* texture);
  // Interpolates luma in a tile, if it or one beside it was updated. Call it for all tiles after the updates of a
  // frame, and then end_frame().
  void interpolate(uint32_t tile);
  void end_frame();

  // 16x16 luma samples, which are the means of those at two places. Both are nullptr if these do not lie in the plane.
  struct Luma {
    const uint8_t *first = nullptr, *second = nullptr;
  };
  // At a position in quarter pixels.
  Luma luma(int quarter_x, int quarter_y) const {
    const auto [first, second] = half_samples(quarter_x, quarter_y);
    const uint8_t *const a = luma(first), *const b = luma(second);
    return a != nullptr && b != nullptr ? Luma{a, b} : Luma{};
  }
  size_t stride(int component) const { return static_cast<size_t>(samples_.stride(component)); }

  // As TransformReconstruction::predict_inter(). False: the vector leads too near to the edges of the plane.
  bool predict(int component, const TransformBlocks& blocks, const MotionVector& vector,
               MacroblockTexels& texels) const;

 private:
  using Plane = std::vector<uint8_t>;
  int width(int c) const { return samples_.layout().width(c); }
  int height(int c) const { return samples_.layout().height(c); }
  const uint8_t* luma(const HalfSample& at) const {
    const int x = at.texel_x(), y = at.texel_y();
    if (x < 0 || y < 0 || x + kMacroblockSide > width(0) || y + kMacroblockSide > height(0)) return nullptr;
    return at.plane() == 0 ? samples_.at(0, x, y) : half(at.plane(), x, y);
  }
  const uint8_t* half(int plane, int x, int y) const {
    return &halves_[static_cast<size_t>(plane - 1)][static_cast<size_t>(y) * stride(0) + static_cast<size_t>(x)];
  }
  bool is_stale(uint32_t tile) const;

  const TileGrid& grid_;
  SamplePlanes samples_;
  std::array<Plane, 3> halves_;      // luma at half pixels, without HalfSample::plane() 0
  std::vector<uint8_t> is_updated_;  // of each tile, in this frame
};

}  // namespace texcast::compact
