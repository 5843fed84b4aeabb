// player.h — the render loop: presents the newest frame of a feed, handles keys, measures latency.
//
// Threads: a Player is used on one thread, which must be its presenter's; only PlayerSettings::stop is set by others.
//
// Example:
//     Player player({.frame_limit = 600, .stop = &interrupted});
//     const PlayerReport report = player.run(feed, *presenter);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "player/feed.h"
#include "player/presenter.h"
#include "player/report.h"

namespace texcast::player {

class Remote;

// The user's choices, kept from one run to the next.
struct PlayerChoices {
  bool show_osd = false;
  bool show_keys = false;
  ScaleMode scale = ScaleMode::fit;  // initially the presenter's
  double speed = 1;                  // 0.25..4
  double volume = 1;                 // 0..1
  bool muted = false;
  bool loop = false;                 // of a single feed, or of the list
  bool screenshot_with_osd = false;  // as on the screen; else the picture without texts, seek bar and dimming
};

struct PlayerSettings {
  uint64_t frame_limit = 0;  // stop after that many frames shown, in all runs together; 0: no limit
  PlayerChoices choices{};   // initial choices
  // Set it on another thread or in a signal handler to end run() within about 20 ms. May be null; must outlive run().
  const std::atomic<bool>* stop = nullptr;

  // Called on the render thread; each may be empty. The picture waits for them: they must be quick, and must not throw.
  std::function<void(const ShownFrame&)> on_shown{};     // after each new frame was presented
  std::function<void(const PlayerReport&)> on_report{};  // about once a second, totals so far
  // Saves the picture on the screen (PlayerChoices::screenshot_with_osd), on key `s` and, with screenshot_at_end, once
  // before run() returns. Returns the line that the display then shows for two seconds ("saved texcast-1.png").
  std::function<std::string(const ShownPicture&)> save_screenshot{};
  bool screenshot_at_end = false;
  // Starts or stops recording what is shown, on key `r`. Returns the line that the display then shows.
  std::function<std::string()> toggle_recording{};
  // Called in every turn of the loop, which takes 15 ms at most while nothing is drawn, for controlling the player from
  // outside. The Remote is valid during the call only.
  std::function<void(Remote&)> on_turn{};
};

class Player {
 public:
  explicit Player(PlayerSettings settings, Clock& clock = system_clock());  // the clock must outlive it

  // Shows the feed until an event of RunEnd. Sleeps in Feed::wait between frames. The next run begins with the choices
  // with which this one ended, and with its picture until there is a new one. Both arguments are borrowed for the call.
  //
  // `stop_at_end`: return when the feed has ended; false: keep the last picture until a command.
  //
  // While paused, frames that the feed still returns are not shown, except the first one after a seek or a step.
  PlayerReport run(Feed& feed, Presenter& presenter, ListPlace place = {}, bool stop_at_end = true);
  // A line for people, shown at the beginning of the next run.
  void say(std::string notice) { notice_ = std::move(notice); }
  const PlayerChoices& choices() const { return choices_; }

 private:
  PlayerSettings settings_;
  Clock& clock_;
  PlayerChoices choices_;
  std::string notice_;
  uint64_t shown_ = 0;  // in all runs
};

// The names of sources that are shown one after the other, and the present position among them.
class Playlist {
 public:
  explicit Playlist(std::vector<std::string> sources);  // at least one, else misuse
  const std::string& current() const { return sources_[index_]; }
  const std::vector<std::string>& sources() const { return sources_; }
  size_t size() const { return sources_.size(); }
  ListPlace place() const { return {index_, sources_.size()}; }

  enum class Direction { forward, back };
  // False at the end of the list in that direction, without a change; with `loop` it continues at the other end
  // instead.
  bool move(Direction direction, bool loop);

 private:
  std::vector<std::string> sources_;
  size_t index_ = 0;
};

}  // namespace texcast::player
