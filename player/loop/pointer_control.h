// pointer_control.h — what the mouse does: it drags the seek bar, and its pointer is hidden while it rests.
//
// Owns the SeekBarControl, which knows when the bar is seen and which place a drag asks for; carries those seeks out
// through a FeedControl, and tells the presenter when the pointer is to be seen.
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

  // Places are pixels of the drawable. Nothing is done while there is no window to be in.
  void moved(int x, int y, SteadyTime now);
  bool pressed(int x, int y, SteadyTime now);  // true: on the seek bar, and a drag begins
  void released(SteadyTime now);
  void left();                    // the window; a drag goes on
  void window_changed();          // the presenter may have shown or hidden the pointer by itself
  void hide();                    // until it moves
  void show_bar(SteadyTime now);  // for two seconds, though the mouse rests: a key sought
  void frame_shown();             // a drag may ask for its next place

  void follow(SteadyTime now);  // before each frame is chosen: carries out what a drag asks for, hides the pointer

  std::optional<SeekBar> seek_bar(SteadyTime now) const;  // none: not to be seen

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
  std::optional<bool> pointer_shown_;  // as the presenter was told last; none: tell it again
};

}  // namespace texcast::player
