// seek_bar.h — where the seek bar is and what a place on it means; when it and the pointer are seen, and which place a
// drag asks for. Pure: no clock, no window; times and places are arguments.
#pragma once

#include <chrono>
#include <optional>

#include "base/frame_times.h"
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

class SeekBarControl {
 public:
  static constexpr nanoseconds kStays = std::chrono::seconds(2);  // after the last movement or seek
  // A drag's next place is asked for when the picture of the last one was shown, at the latest after this.
  static constexpr nanoseconds kPatience = std::chrono::milliseconds(250);

  // Of the bar's labels, as seek_bar_layout() has it; none: what is shown has no duration or cannot be sought in, and
  // there is no bar.
  void set_label_columns(std::optional<int> columns);

  void moved(Size target, int x, int y, SteadyTime now);
  bool pressed(Size target, int x, int y, SteadyTime now);  // true: the bar takes it, a drag begins
  void released(SteadyTime now);
  void left();  // the pointer, the window; a drag goes on

  void show_for_a_while(SteadyTime now);  // a key sought

  bool visible(SteadyTime now) const;
  bool pointer_visible(SteadyTime now) const;
  bool dragging() const { return dragging_; }
  std::optional<double> pointed() const { return pointed_; }  // part of the duration under the pointer

  // The part of the duration to seek to now, if there is another than the last. The last of a drag always comes.
  std::optional<double> take_wish(SteadyTime now);
  void answered() { waiting_for_answer_ = false; }  // the picture of the last wish was shown

 private:
  void point_at(Size target, int x, int y);

  std::optional<int> label_columns_;
  bool dragging_ = false;
  bool near_ = false;
  std::optional<SteadyTime> moved_at_;
  std::optional<SteadyTime> shown_until_;
  std::optional<double> pointed_;
  std::optional<double> wish_;
  bool waiting_for_answer_ = false;
  SteadyTime asked_at_{};
};

}  // namespace texcast::player
