// copied_partitions.h — motion compensation of a lossy slice's component, before any of its symbols are parsed: the
// sub-blocks of copied partitions, and the prediction blocks of the others.
#pragma once

#include "compact/lossy_prediction.h"
#include "compact/partition_pixels.h"
#include "compact/slice_syntax.h"

namespace texcast::compact {

// One component of a slice.
struct SliceComponent {
  const Component& component;
  BlockRect rect, tile;  // the blocks of the slice, and of the whole tile
};

// Large, and not initialised.
template <typename SubBlock>
class CopiedPartitions {
 public:
  // Writes the sub-blocks of copied partitions, and keeps the prediction blocks of others, except for those that are
  // sub-blocks of the reference frame.
  void load(const SliceComponent& slice, const SliceHeader& header, const std::byte* reference, std::byte* texture) {
    const Component& component = slice.component;
    const ReferenceComponent blocks(reference, component);
    const int columns = kPartitionSide / 4 / component.across, rows = kPartitionSide / 4 / component.down;
    for (int y = slice.rect.y0; y < slice.rect.y1; y += rows) {
      for (int x = slice.rect.x0, end = x; x < slice.rect.x1; x = end) {
        const int partition = partition_of(component, x - slice.rect.x0, y - slice.rect.y0);
        const MotionVector v = in_component(header.vectors[partition], component);
        // Adjacent partitions often have the same vector.
        const auto continues = [&] {
          const int next = partition_of(component, end - slice.rect.x0, y - slice.rect.y0);
          return header.copied[next] == header.copied[partition] && in_component(header.vectors[next], component) == v;
        };
        do end += columns;
        while (end < slice.rect.x1 && continues());
        end = std::min(end, slice.rect.x1);
        const BlockRect rect{.x0 = x, .y0 = y, .x1 = end, .y1 = std::min(y + rows, slice.rect.y1)};
        load_rect(slice, blocks, rect, v, header.copied[partition], texture);
      }
    }
  }
  // A prediction block that was kept.
  const uint8_t* pixels_at(int column, int row) const { return pixels_.at(column, row); }

 private:
  void load_rect(const SliceComponent& slice, const ReferenceComponent& reference, const BlockRect& rect,
                 const MotionVector& v, bool copied, std::byte* texture) {
    const int column = rect.x0 - slice.rect.x0, row = rect.y0 - slice.rect.y0;
    const bool is_whole_blocks = ((v.x | v.y) & 7) == 0;
    const int bx = v.x >> 3, by = v.y >> 3;
    if (is_whole_blocks && reference.has(rect.x0 + bx, rect.y0 + by) &&
        reference.has(rect.x1 - 1 + bx, rect.y1 - 1 + by)) {
      if (copied) copy(reference, rect, bx, by, texture);
      return;
    }
    pixels_.load(reference, rect, column, row, v);
    if (!copied) return;
    for (int y = 0; y < rect.height(); ++y) {
      std::byte* at = texture + slice.component.at(rect.x0, rect.y0 + y);
      for (int x = 0; x < rect.width(); ++x, at += slice.component.stride) {
        const int from_x = rect.x0 + x + bx, from_y = rect.y0 + y + by;
        if (is_whole_blocks && reference.has(from_x, from_y)) {
          store_sub_block(at, reference.sub_block(from_x, from_y));
          continue;
        }
        PredictionBlock<SubBlock> block;
        block.take(pixels_.at(column + x, row + y));
        store_sub_block(at, fitted_sub_block(block, slice.component.kind));
      }
    }
  }
  static void copy(const ReferenceComponent& reference, const BlockRect& rect, int bx, int by, std::byte* texture) {
    const Component& component = reference.component();
    for (int y = rect.y0; y < rect.y1; ++y) {
      const std::byte* from = reference.at(rect.x0 + bx, y + by);
      std::byte* at = texture + component.at(rect.x0, y);
      if (component.stride == 8) {
        std::memcpy(at, from, static_cast<size_t>(rect.width()) * 8);
        continue;
      }
      for (int x = rect.x0; x < rect.x1; ++x, at += component.stride, from += component.stride)
        store_sub_block(at, load_sub_block(from));
    }
  }

  PartitionPixels<SubBlock> pixels_;
};

}  // namespace texcast::compact
