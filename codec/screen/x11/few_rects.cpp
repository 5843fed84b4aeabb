#include "few_rects.h"

namespace texcast::screen {

void join_to(std::vector<Rect>& rects, size_t most) {
  // The unwanted area that joining may add: at first as much as a request costs.
  for (int64_t slack = 1024; rects.size() > most; slack *= 4) {
    size_t kept = 0;
    for (size_t i = 1; i < rects.size(); ++i) {
      const Rect joined = around(rects[kept], rects[i]);
      if (area_of(joined) <= area_of(rects[kept]) + area_of(rects[i]) + slack)
        rects[kept] = joined;
      else
        rects[++kept] = rects[i];
    }
    rects.resize(kept + 1);
  }
}

}  // namespace texcast::screen
