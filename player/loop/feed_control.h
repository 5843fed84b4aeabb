// feed_control.h — steers how the feed of one run is played: paused or not, at which place, how fast, how loud.
//
// Owns whether the feed is paused, and whether one frame is to be shown all the same. What a person chose (speed,
// volume, loop) lies in the PlayerChoices given, which outlive the run; every change goes to the feed in the same call.
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
  // `statistics` are told of jumps, after which a gap in the frames' numbers is no loss. `is_listed`: the feed is one
  // of several, and then it is the list that loops.
  FeedControl(Feed& feed, Presenter& presenter, PlayerChoices& choices, ShownStatistics& statistics, bool is_listed);

  void apply_choices();  // all of them, to a feed that is new

  bool paused() const { return paused_; }
  void set_paused(bool paused);  // the screen saver is kept away only while it plays

  // Whether a frame that the feed gave now goes to the screen. While paused: the first one after a seek or a step, and
  // no other.
  bool shows_next_frame();

  // False, and nothing is done: the feed is a live stream.
  bool seek_by(nanoseconds delta);  // from where it is; not beyond the first or last moment
  bool seek_to_first_frame();
  bool seek_to_last_frame();     // and pauses, else the run would be over at once
  bool step_by(int frames);      // and pauses; negative: back
  bool change_speed(int steps);  // +1, -1: to the next of the usual speeds; 0: back to normal

  void seek_to(nanoseconds pts);  // of a feed that is known to be seekable

  bool set_speed(double speed);  // false, and nothing is done: the feed is a live stream
  void set_volume(double volume);
  void set_muted(bool muted);
  void set_loop(bool loop);

  void change_volume(double by) { set_volume(choices_.volume + by); }  // of 0..1, where it stays
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
