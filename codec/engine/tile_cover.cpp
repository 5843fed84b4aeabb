#include "tile_cover.h"

#include <algorithm>

namespace texcast {
namespace {

// A rectangle that is extended downwards may include at most so many tiles that did not change.
constexpr int kMostBetween = 16;

// Columns of a row from its first changed tile, at `from` or later, to the next unchanged one.
TileRectangle next_run(std::span<const uint8_t> changed, const TileRaster& grid, int row, int from) {
  const auto begin = changed.begin() + static_cast<std::ptrdiff_t>(row) * grid.columns;
  const auto end = begin + grid.columns;
  const auto first = std::find_if(begin + from, end, [](uint8_t tile) { return tile != 0; });
  const auto last = std::find(first, end, uint8_t{0});
  return {static_cast<int>(first - begin), row, static_cast<int>(last - first), 1};
}

// False if they are too many.
bool cover_exactly(std::span<const uint8_t> changed, const TileRaster& grid, std::vector<TileRectangle>& rectangles) {
  for (int row = 0; row < grid.rows; ++row)
    for (int from = 0;;) {
      const TileRectangle run = next_run(changed, grid, row, from);
      if (run.columns == 0) break;
      from = run.column + run.columns;
      const auto above = std::find_if(rectangles.begin(), rectangles.end(), [&](const TileRectangle& r) {
        return r.row + r.rows == row && r.column == run.column && r.columns == run.columns;
      });
      if (above != rectangles.end()) {
        ++above->rows;
        continue;
      }
      if (rectangles.size() == kMostRectangles) return false;
      rectangles.push_back(run);
    }
  return true;
}

TileRectangle around(const TileRectangle& a, const TileRectangle& b) {
  const int column = std::min(a.column, b.column), row = std::min(a.row, b.row);
  return {column, row, std::max(a.column + a.columns, b.column + b.columns) - column,
          std::max(a.row + a.rows, b.row + b.rows) - row};
}
int area(const TileRectangle& r) { return r.columns * r.rows; }

}  // namespace

void cover_tiles(std::span<const uint8_t> changed, const TileRaster& grid, std::vector<TileRectangle>& rectangles) {
  rectangles.clear();
  if (cover_exactly(changed, grid, rectangles)) return;
  rectangles.clear();
  for (int row = 0; row < grid.rows; ++row) {
    TileRectangle all{};
    for (int from = 0;;) {
      const TileRectangle run = next_run(changed, grid, row, from);
      if (run.columns == 0) break;
      from = run.column + run.columns;
      all = all.columns == 0 ? run : around(all, run);
    }
    if (all.columns == 0) continue;
    if (rectangles.empty()) {
      rectangles.push_back(all);
      continue;
    }
    const TileRectangle joined = around(rectangles.back(), all);
    const bool near = area(joined) - area(rectangles.back()) - area(all) <= kMostBetween;
    if (near || rectangles.size() == kMostRectangles)
      rectangles.back() = joined;
    else
      rectangles.push_back(all);
  }
}

}  // namespace texcast
