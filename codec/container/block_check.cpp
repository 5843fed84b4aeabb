#include "container/block_check.h"

#include <fmt/core.h>

#include "base/bytes.h"

namespace texcast::container {
namespace {

// The blue fields of the colour half: the scale less one.
bool is_scaled_ycocg(Bytes blocks, size_t at) {
  const int end0 = load_le16(blocks, at + 8) & 31, end1 = load_le16(blocks, at + 10) & 31;
  return end0 == end1 && (end0 == 0 || end0 == 1 || end0 == 3);
}

}  // namespace

std::optional<std::string> find_illegal_blocks(const TextureView& texture) {
  const ColorModel model = format_row(texture.desc.format).model;
  if (model != ColorModel::scaled_ycocg && model != ColorModel::scaled_ycocg_alpha) return std::nullopt;
  const PlaneLayout plane = texture_layout(texture.desc).planes[0];
  const auto block_bytes = static_cast<size_t>(plane.block_bytes), across = static_cast<size_t>(plane.blocks_x);
  const size_t count = plane.bytes / block_bytes;
  size_t illegal = 0, first = 0;
  for (size_t i = 0; i < count; ++i)
    if (!is_scaled_ycocg(texture.blocks, i * block_bytes) && illegal++ == 0) first = i;
  if (illegal == 0) return std::nullopt;
  return fmt::format("{} of {} blocks have a scale that is none of 1, 2, 4, the first in column {}, row {}", illegal,
                     count, first % across, first / across);
}

}  // namespace texcast::container
