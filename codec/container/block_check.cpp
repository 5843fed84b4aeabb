#include "container/block_check.h"

#include <fmt/core.h>

#include <array>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "ref/astc.h"

namespace texcast::container {
namespace {

// Counts the blocks of a plane that share a property.
class BlockCount {
 public:
  void add(size_t index) {
    if (count_++ == 0) first_ = index;
  }
  std::optional<std::string> text(const PlaneLayout& plane, std::string_view what) const {
    if (count_ == 0) return std::nullopt;
    const auto across = static_cast<size_t>(plane.blocks_x), all = across * static_cast<size_t>(plane.blocks_y);
    return fmt::format("{} of {} blocks {}, the first in column {}, row {}", count_, all, what, first_ % across,
                       first_ / across);
  }

 private:
  size_t count_ = 0, first_ = 0;
};

// Calls look(block, index) for each block of the first plane.
template <typename Look>
void for_each_block(const TextureView& texture, const PlaneLayout& plane, const Look& look) {
  const auto bytes = static_cast<size_t>(plane.block_bytes);
  for (size_t i = 0; i < plane.bytes / bytes; ++i) look(texture.blocks.subspan(i * bytes, bytes), i);
}

// The blue fields of the colour block: the scale minus one.
bool is_scaled_ycocg(Bytes block) {
  const int end0 = load_le16(block, 8) & 31, end1 = load_le16(block, 10) & 31;
  return end0 == end1 && (end0 == 0 || end0 == 1 || end0 == 3);
}

BlockFindings look_at_astc(const TextureView& texture, const PlaneLayout& plane) {
  const ref::AstcSize size{plane.block_width, plane.block_height};
  std::array<ref::AstcRgba, ref::kAstcMaxSide * ref::kAstcMaxSide> room;
  const auto texels = std::span(room).first(static_cast<size_t>(size.width * size.height));
  BlockCount invalid, hdr;
  for_each_block(texture, plane, [&](Bytes block, size_t index) {
    const std::span<const uint8_t, 16> bytes(reinterpret_cast<const uint8_t*>(block.data()), 16);
    const ref::AstcBlockKind kind = ref::decode_astc(bytes, size, false, texels);
    if (kind == ref::AstcBlockKind::invalid) invalid.add(index);
    if (kind == ref::AstcBlockKind::hdr) hdr.add(index);
  });
  return {.illegal = invalid.text(plane, "are not valid ASTC"),
          .unshown = hdr.text(plane, "are HDR and displayed as magenta")};
}

}  // namespace

BlockFindings look_at_blocks(const TextureView& texture) {
  const Format& format = format_row(texture.desc.format);
  const PlaneLayout plane = texture_layout(texture.desc).planes[0];
  if (is_astc(format.planes[0].coding)) return look_at_astc(texture, plane);
  if (format.model != ColorModel::scaled_ycocg && format.model != ColorModel::scaled_ycocg_alpha) return {};
  BlockCount illegal;
  for_each_block(texture, plane, [&](Bytes block, size_t index) {
    if (!is_scaled_ycocg(block)) illegal.add(index);
  });
  return {.illegal = illegal.text(plane, "have a scale other than 1, 2 or 4")};
}

}  // namespace texcast::container
