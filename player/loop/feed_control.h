// feed_control.h — controls playback of the feed of one run: pause, position, speed, volume.
//
// Owns whether the feed is paused, and whether one frame is to be shown all the same. The user's choices (speed,
// volume, loop) are in the given PlayerChoices, which outlive the run; every change is passed to the feed in the same
// call.
//
// Thread: the render thread. All that the constructor takes must outlive this.
#pragma once

#include <cstdint>

#include "player/feed.h"
#include "player/osd_lines.h"
#include "player/player.h"
#include "player/presenter.h"
#include "shown_statistics.h"

namespace texcast::player {

class FeedControl {
 public:
  // `statistics` are notified of jumps, after which a gap in the frames' numbers is not a loss. `is_listed`: the feed
  // is one of several, and then it is the list that loops.
  FeedControl(Feed& feed, Presenter& presenter, PlayerChoices& choices, ShownStatistics& statistics, bool is_listed);

  void apply_choices();  // all of them, to a new feed

  bool paused() const { return paused_; }
  void set_paused(bool paused);  // the screen saver is inhibited only during playback

  // Whether the frame that the feed returned now is to be shown. While paused: only the first one after a seek or a
  // step.
  bool shows_next_frame();

  // These return false and do nothing if the feed is a live stream.
  bool seek_by(nanoseconds delta);  // from the present position; not beyond the first or last moment
  bool seek_to_first_frame();
  bool seek_to_last_frame();     // and pauses, otherwise the run would be over at once
  bool step_by(int frames);      // and pauses; negative: back
  bool change_speed(int steps);  // +1, -1: to the next of the usual speeds; 0: back to normal

  void seek_to(nanoseconds pts);  // only for a seekable feed

  bool set_speed(double speed);  // false, and no effect: the feed is a live stream
  void set_volume(double volume);
  void set_muted(bool muted);
  void set_loop(bool loop);

  void change_volume(double by) { set_volume(choices_.volume + by); }  // of 0..1, to which it is limited
  void toggle_mute() { set_muted(!choices_.muted); }
  void toggle_loop() { set_loop(!choices_.loop); }

  Playback playback() const;  // for the display

 private:
  void seek_to_frame(uint64_t number);
  void jumped();

  Feed& feed_;
  Presenter& presenter_;
  PlayerChoices& choices_;
  ShownStatistics& statistics_;
  const bool is_listed_;
  bool paused_ = false;
  bool show_one_while_paused_ = false;
};

}  // namespace texcast::player
