// seek_bar.h — where the seek bar is, when it is seen, and which place the mouse asks for on it. No clock and no window
// of its own: times, sizes and places are arguments.
#pragma once

#include <chrono>
#include <optional>

#include "player/geometry.h"
#include "texcast/frame_times.h"

namespace texcast::player {

//  +--------------------------------------------- panel ---+
//  |  1:23  [=========== track ======o-----------]  4:00   |
//  +-------------------------------------------------------+
struct SeekBarLayout {
  Rect panel;           // clicks inside it are the bar's
  Rect track;           // 0 at its left edge, 1 at its right
  Rect position_label;  // empty where there is no room for words
  Rect duration_label;
  int knob = 0;  // its diameter
};

// `target`: 1 pixel or more each way. `label_columns`: characters of the longer label.
SeekBarLayout seek_bar_layout(Size target, int label_columns);

// Pixels from the left edge of the target to parts of the duration, clamped to 0..1, and back.
double part_at(const SeekBarLayout& layout, int x);
int x_at(const SeekBarLayout& layout, double part);

// Near enough to the bottom for the bar to appear.
bool near_seek_bar(const SeekBarLayout& layout, int y);

// A box of that size over `x`, above the bar, inside the target.
Rect box_over(const SeekBarLayout& layout, Size target, int x, Size box);

// When the bar and the pointer are seen, and which place a drag asks for.
class SeekBarControl {
 public:
  static constexpr nanoseconds kShownFor = std::chrono::seconds(2);  // after the last movement or seek
  // A drag's next place is asked for when the picture of the last one was shown, at the latest after this.
  static constexpr nanoseconds kLongestWait = std::chrono::milliseconds(250);

  // Length of the bar's labels, as seek_bar_layout() has it. None: there is no bar, because what is shown has no
  // duration or cannot be sought in.
  void set_label_columns(std::optional<int> columns);

  // The mouse: x and y are pixels of a window of the size `target`.
  void moved(Size target, int x, int y, SteadyTime now);
  bool pressed(Size target, int x, int y, SteadyTime now);  // true: it is on the bar, and a drag begins
  void released(SteadyTime now);
  void left();  // the pointer left the window; a drag goes on

  void show_for_a_while(SteadyTime now);  // after a seek by a key

  bool visible(SteadyTime now) const;
  bool pointer_visible(SteadyTime now) const;
  bool dragging() const { return dragging_; }
  std::optional<double> pointed() const { return pointed_; }  // part of the duration under the pointer

  // The part of the duration to seek to now, if there is another than the last. The last place of a drag always comes.
  std::optional<double> take_seek(SteadyTime now);
  void seek_shown() { seek_under_way_ = false; }  // the picture of the last seek is on the screen

 private:
  void point_at(Size target, int x, int y);

  std::optional<int> label_columns_;
  bool dragging_ = false;
  bool near_ = false;  // the pointer is near enough to the bar for it to be seen
  std::optional<SteadyTime> moved_at_;
  std::optional<SteadyTime> shown_until_;
  std::optional<double> pointed_;
  std::optional<double> next_seek_;  // asked for by a drag, not yet taken
  bool seek_under_way_ = false;
  SteadyTime taken_at_{};  // the last seek
};

}  // namespace texcast::player
