// seek_bar.h — where the seek bar is and what a place on it means. Pure.
#pragma once

#include <string>

#include "player/geometry.h"

namespace texcast::player {

//  +--------------------------------------------- panel ---+
//  |  1:23  [=========== track ======o-----------]  4:00   |
//  +-------------------------------------------------------+
struct SeekBarLayout {
  Rect panel;           // takes the mouse
  Rect track;           // 0 at its left edge, 1 at its right
  Rect position_label;  // empty where there is no room for words
  Rect duration_label;
  int knob = 0;  // its diameter
};

// `target` of 1 pixel and up, for labels of `label_columns` characters.
SeekBarLayout seek_bar_layout(Size target, int label_columns);

double part_at(const SeekBarLayout& layout, int x);  // clamped to 0..1
int x_at(const SeekBarLayout& layout, double part);

// Near enough to the bottom for the bar to appear.
bool near_seek_bar(const SeekBarLayout& layout, int y);

// A box of that size over `x`, above the bar, inside the target.
Rect box_over(const SeekBarLayout& layout, Size target, int x, Size box);

}  // namespace texcast::player
