// ycocg_search.h — YCoCg-BC4 by BC4's search. With chroma at half width luma compensates its error. With chroma at full
// height Cg compensates the error of luma, which is encoded before it and, at half width, once more after it.
//
// Everything depends only on the texels under one chroma block, so that bands of a frame, and tiles that did not
// change, are independent of others.
#pragma once

#include <array>

#include "ref/bc4.h"
#include "texcast/format.h"
#include "texcast/quality.h"

namespace texcast::ref {

// The texels under a chroma block: 4 * across in each of 4 * down rows.
struct YcocgArea {
  int across = 1, down = 1;  // 1 or 2 luma texels per chroma texel
  struct Rgb {
    int r = 0, g = 0, b = 0;
  };
  std::array<Rgb, 64> texels{};
  const Rgb& at(int x, int y) const { return texels[static_cast<size_t>(y * 4 * across + x)]; }
};

// By Method::cluster or Method::cluster_search.
Bc4Block encode_ycocg_co(const YcocgArea& area, Method method);
Bc4Block encode_ycocg_cg(const YcocgArea& area, Method method);
// The decoded chroma of an area, whose error its luma blocks compensate; unused with chroma at full width.
struct YcocgChroma {
  ChannelBlock co{}, cg{};
};
YcocgChroma ycocg_chroma(const YcocgArea& area, Method method);
// The luma block in that column and row of the area.
Bc4Block encode_ycocg_y(const YcocgArea& area, const YcocgChroma& chroma, int column, int row, Method method);

}  // namespace texcast::ref
