// few_rects.h — joins rectangles, so that there are few.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "screen/rects.h"

namespace texcast::screen {

inline int64_t area_of(const Rect& r) { return is_empty(r) ? 0 : int64_t{r.width} * r.height; }
inline Rect moved(const Rect& r, int x, int y) { return {r.x + x, r.y + y, r.width, r.height}; }

// Reduces `rects`, which are ordered as X's regions are (by rows, from the left), to at most `most` rectangles that
// cover them: neighbours are joined, the cheapest first. The result may overlap.
void join_to(std::vector<Rect>& rects, size_t most);

}  // namespace texcast::screen
