// Frames cut into bands of block rows: which items of a kernel make them, and what of the texture they write.
#include <algorithm>

#include "base/ensure.h"
#include "kernel_stage.h"

namespace texcast::stages {

cl::Event Stage::enqueue_band(size_t, const cl::CommandQueue&, const cl::Buffer&, const cl::Buffer&,
                              const std::vector<cl::Event>&) {
  ENSURE(!"a stage that was cut");
  return {};
}

std::vector<BandCut> cut_items(const KernelPlan& plan, int most) {
  ENSURE(most >= 1);
  const size_t bands = std::min(static_cast<size_t>(most), plan.rows);
  std::vector<BandCut> cuts;
  for (size_t band = 1; band <= bands; ++band) {
    const size_t rows = plan.rows * band / bands;
    // Up to the end of the group that makes the last block of the rows: groups are not divided.
    const size_t items = band == bands ? plan.global_items : round_up(rows * plan.row_items, plan.group_items);
    if (!cuts.empty() && cuts.back().items == items) cuts.pop_back();
    cuts.push_back({items, rows});
  }
  return cuts;
}

std::vector<StageBand> bands_of(const TextureLayout& layout, const KernelPlan& plan, const std::vector<BandCut>& cuts) {
  std::vector<StageBand> bands;
  size_t rows_before = 0;
  for (const BandCut& cut : cuts) {
    StageBand band;
    for (int p = plan.first_plane; p < plan.first_plane + plan.planes; ++p) {
      const PlaneLayout& plane = layout.planes[static_cast<size_t>(p)];
      // One or two of the plane's rows to a row of the kernel's, the last of which may have fewer.
      const auto plane_rows = static_cast<size_t>(plane.blocks_y);
      const size_t rows_each = (plane_rows + plan.rows - 1) / plan.rows;
      const size_t row_bytes = plane.bytes / plane_rows;
      const size_t begin = std::min(plane_rows, rows_before * rows_each) * row_bytes;
      const size_t end = std::min(plane_rows, cut.rows * rows_each) * row_bytes;
      band.parts[static_cast<size_t>(band.part_count++)] = {plane.offset + begin, end - begin};
      const bool prefix_goes_on = p == plan.first_plane || cut.rows == plan.rows;
      if (prefix_goes_on) band.ready_bytes = plane.offset + end;
    }
    bands.push_back(band);
    rows_before = cut.rows;
  }
  return bands;
}

}  // namespace texcast::stages
