// pointer_control.h — handles the mouse: it drags the seek bar, and its pointer is hidden while it does not move.
//
// Owns the SeekBarControl, which determines when the bar is visible and which position a drag requests; performs those
// seeks through a FeedControl, and tells the presenter when the pointer is visible.
//
// Thread: the render thread. All that the constructor takes must outlive this.
#pragma once

#include <optional>

#include "feed_control.h"
#include "player/feed.h"
#include "player/presenter.h"
#include "player/seek_bar.h"

namespace texcast::player {

class PointerControl {
 public:
  PointerControl(const Feed& feed, Presenter& presenter, FeedControl& control);

  // Positions are pixels of the drawable. These do nothing while there is no window.
  void moved(int x, int y, SteadyTime now);
  bool pressed(int x, int y, SteadyTime now);  // true: on the seek bar, and a drag begins
  void released(SteadyTime now);
  void left();                    // the window; a drag continues
  void window_changed();          // the presenter may have shown or hidden the pointer by itself
  void hide();                    // until it moves
  void show_bar(SteadyTime now);  // for two seconds, even if the mouse does not move: a key caused a seek
  void frame_shown();             // a drag may request its next position

  void follow(SteadyTime now);  // call it before each frame is chosen: performs what a drag requests, hides the pointer

  std::optional<SeekBar> seek_bar(SteadyTime now) const;  // none: hidden

 private:
  Size window() const { return {presenter_.width(), presenter_.height()}; }
  bool has_window() const { return presenter_.width() >= 1 && presenter_.height() >= 1; }
  nanoseconds duration() const { return feed_.duration().value_or(nanoseconds{}); }
  nanoseconds time_of(double part) const;

  const Feed& feed_;
  Presenter& presenter_;
  FeedControl& control_;
  SeekBarControl bar_;
  bool paused_before_drag_ = false;
  std::optional<bool> pointer_shown_;  // last state sent to the presenter; none: send it again
};

}  // namespace texcast::player
