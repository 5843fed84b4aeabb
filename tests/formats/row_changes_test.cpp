// Which rows of blocks changed, given the changed rows of tiles: for each size of block, compared with a computation
// texel by texel.
#include "formats/row_changes.h"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "capture_bound.h"

using namespace texcast;

namespace {

// Rows of the plane's blocks that have a texel in a changed row of tiles, each of which is 32 rows of the picture.
std::set<size_t> rows_with_changes(const FormatPlane& plane, const PlaneLayout& layout, int height,
                                   const std::vector<uint64_t>& changed_in, uint64_t since) {
  std::set<size_t> rows;
  for (int y = 0; y < height; ++y)
    if (changed_in[static_cast<size_t>(y / 32)] > since)
      rows.insert(static_cast<size_t>(y / plane.down / layout.block_height));
  return rows;
}

}  // namespace

TEST_CASE("a row of blocks changed if any of its texels lies in a changed row of tiles, at every size of block") {
  for (const TextureFormat format : shown_formats())
    for (const int height : {1, 31, 32, 33, 96, 221}) {
      CAPTURE(name(format));
      CAPTURE_BOUND(height);
      const TextureLayout layout = texture_layout(format, 64, height);
      const auto tile_rows = static_cast<size_t>((height + 31) / 32);
      for (unsigned pattern = 0; pattern < 1u << tile_rows; ++pattern) {
        std::vector<uint64_t> changed_in;
        for (size_t row = 0; row < tile_rows; ++row) changed_in.push_back(pattern >> row & 1 ? 9 : 4);
        for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p) {
          const FormatPlane& plane = format_row(format).planes[p];
          const auto all = static_cast<size_t>(layout.planes[p].blocks_y), first = all / 3;
          std::set<size_t> wanted = rows_with_changes(plane, layout.planes[p], height, changed_in, 4), told;
          wanted.erase(wanted.begin(), wanted.lower_bound(first));
          size_t last_end = 0, runs = 0;
          for_each_changed({1, 9, changed_in}, 4, plane, layout.planes[p], first, all, [&](size_t from, size_t to) {
            CHECK((from < to && to <= all));
            CHECK((runs++ == 0 || from > last_end));  // runs are as long as possible
            for (size_t row = from; row < to; ++row) told.insert(row);
            last_end = to;
          });
          CHECK(told == wanted);
        }
      }
    }
}
