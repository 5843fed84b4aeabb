// sample_planes.h — the samples of a frame: those that transform slices reconstruct before the fit, and those that the
// blocks of all other tiles decode to (docs/compact.md, "Samples"). Transform slices are predicted from those of the
// reference frame; the texture has the fitted blocks. Encoder and decoder keep them beside the texture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compact/tile_grid.h"
#include "compact/transform_syntax.h"

namespace texcast::compact {

// The places of samples: row by row, one component's plane directly after the other. A plane has a sample for each
// texel of the component's blocks, so that a row has 4 blocks_x samples. Devices use the same layout.
class SampleLayout {
 public:
  // The grid can_transform().
  explicit SampleLayout(const TileGrid& grid);
  size_t samples() const { return samples_; }  // in all planes
  size_t offset(int component) const { return offsets_[static_cast<size_t>(component)]; }
  int width(int component) const { return widths_[static_cast<size_t>(component)]; }
  int height(int component) const { return heights_[static_cast<size_t>(component)]; }
  size_t at(int component, int x, int y) const {
    return offset(component) + static_cast<size_t>(y) * static_cast<size_t>(width(component)) + static_cast<size_t>(x);
  }

 private:
  std::array<size_t, kTransformComponents> offsets_{};
  std::array<int, kTransformComponents> widths_{}, heights_{};
  size_t samples_ = 0;
};

// Different threads may write different slices, while none reads them.
class SamplePlanes {
 public:
  // All samples are 0, as those of blocks of zeros are.
  explicit SamplePlanes(const TileGrid& grid);

  const SampleLayout& layout() const { return layout_; }
  // All planes, and nothing else. Up to kMore bytes after them can be read.
  std::span<uint8_t> all() { return std::span(samples_).first(layout_.samples()); }
  std::span<const uint8_t> all() const { return std::span(samples_).first(layout_.samples()); }
  ptrdiff_t stride(int component) const { return layout_.width(component); }
  uint8_t* at(int component, int x, int y) { return &samples_[layout_.at(component, x, y)]; }
  const uint8_t* at(int component, int x, int y) const { return &samples_[layout_.at(component, x, y)]; }

  // The samples of a slice become those that its blocks in `texture` decode to, or those of `other`. `grid` is the one
  // with which this was made.
  void decode(const TileGrid& grid, const Slice& slice, const std::byte* texture);
  void copy(const TileGrid& grid, const Slice& slice, const SamplePlanes& other);
  void copy(const TileGrid& grid, const Slice& slice, std::span<const uint8_t> others);  // which have this layout

  // Whether a slice has the same samples in `others`, which has this layout.
  bool equals(const TileGrid& grid, const Slice& slice, std::span<const uint8_t> others) const;

  static constexpr size_t kMore = 32;

 private:
  SampleLayout layout_;
  std::vector<uint8_t> samples_;
};

// Memory for a window of a plane.
struct SampleWindow {
  static constexpr int kSide = 21;          // across and down, at most
  static constexpr ptrdiff_t kStride = 32;  // of samples in a row
  std::array<uint8_t, size_t{kSide} * kStride> at;
};
struct SampleView {
  const uint8_t* first = nullptr;
  ptrdiff_t stride = 0;
};
// Samples [x, x + width) by [y, y + height) of a plane, 21 by 21 at most: there, or copied to `memory` if some lie
// outside. Those are the nearest ones of the plane. Up to SamplePlanes::kMore bytes after each row can be read.
SampleView sample_window(const SamplePlanes& planes, int component, int x, int y, int width, int height,
                         SampleWindow& memory);

}  // namespace texcast::compact
