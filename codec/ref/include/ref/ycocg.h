// ycocg.h — the YCoCg that texcast's planes hold: full range, 8 bits, Co and Cg offset by 128.
#pragma once

#include <array>

namespace texcast::ref {

// Sums over `count` (1, 2 or 4) texels, rounded to the nearest of their mean.
//   Y  = (R + 2G + B) / 4        (count 1 only)
//   Co = (R - B) / 2 + 128       (255.5 is held to 255)
//   Cg = (2G - R - B) / 4 + 128
int ycocg_y(int r, int g, int b);
int ycocg_co(int sum_r, int sum_b, int count);
int ycocg_cg(int sum_r, int sum_g, int sum_b, int count);

// Held to 0..255.
std::array<int, 3> ycocg_to_rgb(int y, int co, int cg);

}  // namespace texcast::ref
