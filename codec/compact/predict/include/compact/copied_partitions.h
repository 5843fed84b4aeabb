// copied_partitions.h — what a lossy unit's component has before any symbol of it is read: the half-blocks of areas
// that are moved whole, and the pixels at the vectors of the others.
#pragma once

#include "compact/lossy_window.h"
#include "compact/partition_pixels.h"
#include "compact/slice_syntax.h"

namespace texcast::compact {

// A unit in one of its components.
struct SliceComponent {
  const Component& component;
  BlockRect rect, tile;  // blocks of the unit, and of the whole tile
};

// Large, and not cleared.
template <typename SubBlock>
class CopiedPartitions {
 public:
  // Puts down what is in areas that are moved, and keeps the pixels of others where these are not a block's.
  void load(const SliceComponent& part, const SliceHeader& head, const std::byte* before, std::byte* texture) {
    const Component& component = part.component;
    const ReferenceComponent blocks(before, component);
    const int columns = kPartitionSide / 4 / component.across, rows = kPartitionSide / 4 / component.down;
    for (int y = part.rect.y0; y < part.rect.y1; y += rows) {
      for (int x = part.rect.x0, end = x; x < part.rect.x1; x = end) {
        const int area = area_of(component, x - part.rect.x0, y - part.rect.y0);
        const MotionVector v = in_component(head.vectors[area], component);
        // Areas beside each other often have the same vector.
        const auto goes_on = [&] {
          const int next = area_of(component, end - part.rect.x0, y - part.rect.y0);
          return head.moved[next] == head.moved[area] && in_component(head.vectors[next], component) == v;
        };
        do end += columns;
        while (end < part.rect.x1 && goes_on());
        end = std::min(end, part.rect.x1);
        const BlockRect rect{.x0 = x, .y0 = y, .x1 = end, .y1 = std::min(y + rows, part.rect.y1)};
        load_rect(part, blocks, rect, v, head.moved[area], texture);
      }
    }
  }
  const uint8_t* pixels_at(int column, int row) const { return pixels_.at(column, row); }

 private:
  void load_rect(const SliceComponent& part, const ReferenceComponent& before, const BlockRect& rect,
                 const MotionVector& v, bool moved, std::byte* texture) {
    const int column = rect.x0 - part.rect.x0, row = rect.y0 - part.rect.y0;
    const bool at_blocks = ((v.x | v.y) & 7) == 0;
    const int bx = v.x >> 3, by = v.y >> 3;
    if (at_blocks && before.has(rect.x0 + bx, rect.y0 + by) && before.has(rect.x1 - 1 + bx, rect.y1 - 1 + by)) {
      if (moved) copy(before, rect, bx, by, texture);
      return;
    }
    pixels_.load(before, rect, column, row, v);
    if (!moved) return;
    for (int y = 0; y < rect.height(); ++y) {
      std::byte* at = texture + part.component.at(rect.x0, rect.y0 + y);
      for (int x = 0; x < rect.width(); ++x, at += part.component.stride) {
        const int from_x = rect.x0 + x + bx, from_y = rect.y0 + y + by;
        if (at_blocks && before.has(from_x, from_y)) {
          store_sub_block(at, before.half(from_x, from_y));
          continue;
        }
        Window<SubBlock> window;
        window.take(pixels_.at(column + x, row + y));
        store_sub_block(at, fitted_sub_block(window, part.component.kind));
      }
    }
  }
  static void copy(const ReferenceComponent& before, const BlockRect& rect, int bx, int by, std::byte* texture) {
    const Component& component = before.component();
    for (int y = rect.y0; y < rect.y1; ++y) {
      const std::byte* from = before.at(rect.x0 + bx, y + by);
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
