// cursor.h — the mouse pointer of a captured desktop, separate from its picture.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace texcast {

// Its image: rows from the top, without gaps, each texel B G R A in memory with premultiplied alpha. Shared, and never
// changed once it is handed out.
struct CursorShape {
  int width = 0, height = 0;
  int hot_x = 0, hot_y = 0;  // the texel at the pointer's position
  std::vector<uint32_t> texels{};
};

struct Cursor {
  bool visible = false;                        // within the captured area
  int x = 0, y = 0;                            // its position in pixels of the picture
  std::shared_ptr<const CursorShape> shape{};  // null: not known yet
  bool operator==(const Cursor&) const = default;
};

}  // namespace texcast
