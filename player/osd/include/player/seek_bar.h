// seek_bar.h — the layout of the seek bar, when it is visible, and which position the mouse requests on it. It has no
// clock and no window: times, sizes and positions are arguments.
#pragma once

#include <chrono>
#include <optional>

#include "player/geometry.h"
#include "texcast/frame_times.h"

namespace texcast::player {

// The parts of the bar:
//  +--------------------------------------------- panel ---+
//  |  1:23  [=========== track ======o-----------]  4:00   |
//  +-------------------------------------------------------+
struct SeekBarLayout {
  Rect panel;           // clicks inside it belong to the bar
  Rect track;           // 0 at its left edge, 1 at its right
  Rect position_label;  // empty if there is no room for labels
  Rect duration_label;
  int knob = 0;  // its diameter
};

// `target`: both sides 1 pixel or more. `label_columns`: characters of the longer label.
SeekBarLayout seek_bar_layout(Size target, int label_columns);

// Converts pixels from the left edge of the target to fractions of the duration, clamped to 0..1, and back.
double part_at(const SeekBarLayout& layout, int x);
int x_at(const SeekBarLayout& layout, double part);

// Whether y is near enough to the bottom for the bar to appear.
bool near_seek_bar(const SeekBarLayout& layout, int y);

// A box of that size over `x`, above the bar, inside the target.
Rect box_over(const SeekBarLayout& layout, Size target, int x, Size box);

// When the bar and the pointer are visible, and which position a drag requests.
class SeekBarControl {
 public:
  static constexpr nanoseconds kShownFor = std::chrono::seconds(2);  // after the last movement or seek
  // A drag requests its next position when the picture of the last one was shown, at the latest after this time.
  static constexpr nanoseconds kLongestWait = std::chrono::milliseconds(250);

  // Length of the bar's labels, as for seek_bar_layout(). None: there is no bar, because the feed has no duration or is
  // not seekable.
  void set_label_columns(std::optional<int> columns);

  // The mouse: x and y are pixels of a window of the size `target`.
  void moved(Size target, int x, int y, SteadyTime now);
  bool pressed(Size target, int x, int y, SteadyTime now);  // true: it is on the bar, and a drag begins
  void released(SteadyTime now);
  void left();  // the pointer left the window; a drag continues

  void show_for_a_while(SteadyTime now);  // after a seek by a key

  bool visible(SteadyTime now) const;
  bool pointer_visible(SteadyTime now) const;
  bool dragging() const { return dragging_; }
  std::optional<double> pointed() const { return pointed_; }  // fraction of the duration under the pointer

  // The fraction of the duration to seek to now, if it differs from the last one. The last position of a drag is always
  // returned.
  std::optional<double> take_seek(SteadyTime now);
  void seek_shown() { seek_under_way_ = false; }  // the picture of the last seek is on the screen

 private:
  void point_at(Size target, int x, int y);

  std::optional<int> label_columns_;
  bool dragging_ = false;
  bool near_ = false;  // the pointer is near enough to the bar for it to be visible
  std::optional<SteadyTime> moved_at_;
  std::optional<SteadyTime> shown_until_;
  std::optional<double> pointed_;
  std::optional<double> next_seek_;  // requested by a drag, not yet taken
  bool seek_under_way_ = false;
  SteadyTime taken_at_{};  // the last seek
};

}  // namespace texcast::player
