// few_rects.h — rectangles joined: few instead of many.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "screen/rects.h"

namespace texcast::screen {

inline int64_t area_of(const Rect& r) { return is_empty(r) ? 0 : int64_t{r.width} * r.height; }
inline Rect moved(const Rect& r, int x, int y) { return {r.x + x, r.y + y, r.width, r.height}; }
// The smallest one around both.
Rect around(const Rect& a, const Rect& b);

// At most `most` rectangles that hold all of `rects`, which are ordered as X's regions are (by rows, from the left):
// neighbours are joined, first those that cost least. They may overlap afterwards.
void join_to(std::vector<Rect>& rects, size_t most);

}  // namespace texcast::screen
