#include "player/picture_part.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace texcast::player {
namespace {

// Filters read the neighbouring texel of each plane; chroma texels are at most two pixels wide and high.
constexpr int kNeighbours = 2;

struct Range {
  int begin = 0, end = 0;
};

int rounded(int64_t numerator, int64_t denominator) {
  return static_cast<int>((numerator + denominator / 2) / denominator);
}

// Cell `index` of `count` that have `hidden` pixels between them, along a side of `length`.
Range cell_range(int index, int count, int hidden, int length) {
  const int64_t pitches = int64_t{length} + hidden;  // a cell and the bezel after it, `count` times
  const int begin = rounded(pitches * (index - 1), count), end = rounded(pitches * index, count) - hidden;
  return {begin, end};
}

Range clipped(Range range, int length) { return {std::max(range.begin, 0), std::min(range.end, length)}; }

Range aligned(Range range, int unit, int length) {
  const int begin = std::max(range.begin - kNeighbours, 0) / unit * unit;
  const int end = std::min((range.end + kNeighbours + unit - 1) / unit * unit, length);
  return {begin, end};
}

int blocks_in(int pixels, int unit) { return (pixels + unit - 1) / unit; }

}  // namespace

std::optional<Rect> rect_of(const PicturePart& part, Size picture) {
  Range x{part.rect.x, part.rect.x + part.rect.width}, y{part.rect.y, part.rect.y + part.rect.height};
  if (const auto& cell = part.cell) {
    x = cell_range(cell->column, cell->columns, cell->bezel.width, picture.width);
    y = cell_range(cell->row, cell->rows, cell->bezel.height, picture.height);
  }
  x = clipped(x, picture.width);
  y = clipped(y, picture.height);
  if (x.end <= x.begin || y.end <= y.begin) return std::nullopt;
  return Rect{x.begin, y.begin, x.end - x.begin, y.end - y.begin};
}

Rect whole_blocks(const Rect& part, const TextureDesc& desc) {
  const Format& format = format_row(desc.format);
  int across = 1, down = 1;
  for (size_t p = 0; p < static_cast<size_t>(format.plane_count); ++p) {
    const Coding& coding = plane_coding(desc.format, p);
    across = std::lcm(across, format.planes[p].across * coding.block_width);
    down = std::lcm(down, format.planes[p].down * coding.block_height);
  }
  const Range x = aligned({part.x, part.x + part.width}, across, desc.width);
  const Range y = aligned({part.y, part.y + part.height}, down, desc.height);
  return {x.begin, y.begin, x.end - x.begin, y.end - y.begin};
}

BlockRect blocks_of(const Rect& whole_blocks, const FormatPlane& plane, const PlaneLayout& layout) {
  const int across = plane.across * layout.block_width, down = plane.down * layout.block_height;
  return {whole_blocks.x / across, whole_blocks.y / down, blocks_in(whole_blocks.width, across),
          blocks_in(whole_blocks.height, down)};
}

std::vector<MemoryRange> bytes_of(const PicturePart& part, const TextureDesc& desc) {
  const auto rect = rect_of(part, {desc.width, desc.height});
  if (!rect) return {};
  const Rect whole = whole_blocks(*rect, desc);
  const TextureLayout layout = texture_layout(desc);
  std::vector<MemoryRange> ranges;
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p) {
    const PlaneLayout& plane = layout.planes[p];
    const BlockRect blocks = blocks_of(whole, format_row(desc.format).planes[p], plane);
    const size_t row_bytes = plane.bytes / static_cast<size_t>(plane.blocks_y);
    const size_t first = static_cast<size_t>(blocks.y), end = first + static_cast<size_t>(blocks.height);
    ranges.push_back({plane.offset + first * row_bytes, plane.offset + end * row_bytes});
  }
  return ranges;
}

}  // namespace texcast::player
