#include "texture_rows.h"

#include <algorithm>
#include <numeric>

namespace texcast::gstreamer {

int rows_of_blocks(TextureFormat format) {
  int rows = 1;
  for (size_t p = 0; p < static_cast<size_t>(plane_count(format)); ++p)
    rows = std::lcm(rows, format_row(format).planes[p].down * plane_coding(format, p).block_height);
  return rows;
}

TextureView cut_rows(const TextureView& texture, int first, int end, std::vector<std::byte>& memory) {
  const TextureLayout whole = texture_layout(texture.desc);
  TextureView part{.desc = texture.desc};
  part.desc.height = end - first;
  const TextureLayout cut = texture_layout(part.desc);
  const auto plane_part = [&](size_t p) {
    const PlaneLayout& from = whole.planes[p];
    const int down = format_row(texture.desc.format).planes[p].down;
    const auto block_row = static_cast<size_t>(first / (down * from.block_height));
    const size_t row_bytes = static_cast<size_t>(from.blocks_x) * static_cast<size_t>(from.block_bytes);
    return texture.blocks.subspan(from.offset + block_row * row_bytes, cut.planes[p].bytes);
  };
  if (cut.plane_count == 1) {
    part.blocks = plane_part(0);
    return part;
  }
  memory.resize(cut.total_bytes);
  for (size_t p = 0; p < static_cast<size_t>(cut.plane_count); ++p)
    std::ranges::copy(plane_part(p), memory.begin() + static_cast<std::ptrdiff_t>(cut.planes[p].offset));
  part.blocks = memory;
  return part;
}

}  // namespace texcast::gstreamer
