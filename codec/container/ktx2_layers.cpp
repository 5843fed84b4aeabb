#include "ktx2_layers.h"

#include <algorithm>
#include <cstring>

#include "base/ensure.h"
#include "find_coding.h"

namespace texcast::container::ktx2 {
namespace {

// Calls copy(offset among the planes, offset among the layers, bytes) for every range of bytes that stays contiguous.
template <typename Copy>
void for_each_run(const TextureDesc& desc, Copy copy) {
  const TextureLayout planes = texture_layout(desc);
  const auto slot_bytes = static_cast<size_t>(plane_coding(desc.format, 0).block_bytes);
  const auto row_slots = static_cast<size_t>(planes.planes[0].blocks_x);
  const size_t layer_bytes = layer_layout(desc).layer_bytes;
  for (size_t p = 0; p < static_cast<size_t>(planes.plane_count); ++p) {
    const PlaneLayout& plane = planes.planes[p];
    const auto block_bytes = static_cast<size_t>(plane.block_bytes);
    const bool whole_rows = block_bytes == slot_bytes;
    const size_t runs = whole_rows ? 1 : static_cast<size_t>(plane.blocks_x);
    const size_t run_bytes = block_bytes * static_cast<size_t>(plane.blocks_x) / runs;
    for (size_t row = 0; row < static_cast<size_t>(plane.blocks_y); ++row)
      for (size_t run = 0; run < runs; ++run)
        copy(plane.offset + (row * runs + run) * run_bytes, p * layer_bytes + (row * row_slots + run) * slot_bytes,
             run_bytes);
  }
}

}  // namespace

LayerLayout layer_layout(const TextureDesc& desc) {
  const TextureLayout planes = texture_layout(desc);
  const PlaneLayout& first = planes.planes[0];
  LayerLayout layout;
  layout.layers = planes.plane_count;
  layout.layer_bytes = static_cast<size_t>(first.blocks_x) * static_cast<size_t>(first.blocks_y) *
                       static_cast<size_t>(plane_coding(desc.format, 0).block_bytes);
  layout.total_bytes = layout.layer_bytes * static_cast<size_t>(layout.layers);
  layout.is_verbatim = layout.total_bytes == planes.total_bytes;
  return layout;
}

void planes_to_layers(const TextureView& texture, MutableBytes layers) {
  ENSURE(texture.blocks.size() == texture_layout(texture.desc).total_bytes);
  ENSURE(layers.size() == layer_layout(texture.desc).total_bytes);
  std::ranges::fill(layers, std::byte{0});
  for_each_run(texture.desc, [&](size_t plane, size_t layer, size_t bytes) {
    std::memcpy(layers.data() + layer, texture.blocks.data() + plane, bytes);
  });
}

void layers_to_planes(const TextureDesc& desc, Bytes layers, MutableBytes blocks) {
  ENSURE(blocks.size() == texture_layout(desc).total_bytes);
  ENSURE(layers.size() == layer_layout(desc).total_bytes);
  for_each_run(desc, [&](size_t plane, size_t layer, size_t bytes) {
    std::memcpy(blocks.data() + plane, layers.data() + layer, bytes);
  });
}

}  // namespace texcast::container::ktx2
