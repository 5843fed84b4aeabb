// cursor.h — the pointer of a captured desktop, beside its picture.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace texcast {

// What it looks like: rows from the top, without gaps, each texel B G R A in memory with colours that are multiplied by
// alpha already. Shared, and never changed once it is handed out.
struct CursorShape {
  int width = 0, height = 0;
  int hot_x = 0, hot_y = 0;  // the texel that points
  std::vector<uint32_t> texels{};
};

struct Cursor {
  bool visible = false;                        // on what is captured
  int x = 0, y = 0;                            // where it points, pixels of the picture
  std::shared_ptr<const CursorShape> shape{};  // null: not known yet
  bool operator==(const Cursor&) const = default;
};

}  // namespace texcast
