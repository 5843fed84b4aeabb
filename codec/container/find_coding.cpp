#include "find_coding.h"

#include <algorithm>

namespace texcast::container {
namespace {

template <typename Test>
const Coding* find_coding(Test test) {
  const auto found = std::ranges::find_if(codings(), test);
  return found == codings().end() ? nullptr : &*found;
}

}  // namespace

const Coding* coding_of_vk(uint32_t vk_format) {
  return find_coding([&](const Coding& c) { return c.vk.has(vk_format); });
}

const Coding* coding_of_dxgi(uint32_t dxgi_format) {
  return find_coding([&](const Coding& c) { return c.dxgi.has(dxgi_format); });
}

const Coding* coding_of_fourcc(uint32_t value) {
  if (value == 0) return nullptr;
  return find_coding([&](const Coding& c) { return std::ranges::find(c.dds_fourccs, value) != c.dds_fourccs.end(); });
}

const Coding* coding_of_masks(const PixelMasks& masks) {
  if (masks.bits == 0) return nullptr;
  return find_coding([&](const Coding& c) { return c.masks == masks; });
}

const Coding* coding_of_astc(int block_width, int block_height) {
  return find_coding(
      [&](const Coding& c) { return is_astc(c.id) && c.block_width == block_width && c.block_height == block_height; });
}

const Format* plain_format_of(const Coding& blocks) {
  const auto found = std::ranges::find_if(
      formats(), [&](const Format& row) { return row.is_plain && row.planes[0].coding == blocks.id; });
  return found == formats().end() ? nullptr : &*found;
}

std::string list_codings() {
  std::string list;
  for (const Format& row : formats())
    if (row.is_plain) list += (list.empty() ? "" : ", ") + std::string(coding(row.planes[0].coding).name);
  return list;
}

}  // namespace texcast::container
