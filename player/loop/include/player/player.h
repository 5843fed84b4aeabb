// player.h — the render loop: the newest frame of a feed goes to a presenter, keys steer it, latency is measured.
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

#include "player/feed.h"
#include "player/presenter.h"
#include "player/report.h"

namespace texcast::player {

// What a person chose, kept from one run to the next.
struct PlayerChoices {
  bool show_osd = false;
  bool show_keys = false;
  ScaleMode scale = ScaleMode::fit;  // the presenter's at first
  double speed = 1;                  // 0.25..4
  double volume = 1;                 // 0..1
  bool muted = false;
  bool loop = false;  // the feed where it is alone, else the list
};

struct PlayerSettings {
  uint64_t frame_limit = 0;  // stop after that many frames shown, in all runs together; 0: no limit
  PlayerChoices choices{};   // at first
  // Set by another thread or a signal handler to end run() within about 20 ms. May be null; must outlive run().
  const std::atomic<bool>* stop = nullptr;

  // Called on the render thread, each may be empty. They hold up the picture: be quick, do not throw.
  std::function<void(const ShownFrame&)> on_shown{};     // after each new frame was presented
  std::function<void(const PlayerReport&)> on_report{};  // about once a second, totals so far
  // Saves what is on the screen, on key `s` and, with screenshot_at_end, once before run() returns. Gives back the
  // line that the display then shows for two seconds ("saved texcast-1.png").
  std::function<std::string(const ShownPicture&)> save_screenshot{};
  bool screenshot_at_end = false;
};

class Player {
 public:
  explicit Player(PlayerSettings settings);

  // Runs on the calling thread, which must be the presenter's, until the user quits, `stop` is set, the frame limit
  // is reached or the feed has ended. Sleeps in Feed::wait between frames. The next run has the choices of the last
  // one, and its picture until there is a new one.
  //
  // `stop_at_end`: return when the feed has ended; false: keep the last picture until something else is asked for.
  //
  // Pause: the feed is told by set_paused(); frames that it still gives are discarded, but for the first one after a
  // seek(), so that seeking shows where one is.
  PlayerReport run(Feed& feed, Presenter& presenter, ListPlace place = {}, bool stop_at_end = true);
  // A line for people at the beginning of the next run.
  void say(std::string notice) { notice_ = std::move(notice); }
  const PlayerChoices& choices() const { return choices_; }

 private:
  PlayerSettings settings_;
  PlayerChoices choices_;
  std::string notice_;
  uint64_t shown_ = 0;  // in all runs
};

// Sources that are shown one after the other, by their names. Pure.
class Playlist {
 public:
  explicit Playlist(std::vector<std::string> sources);  // one at least, else misuse
  const std::string& current() const { return sources_[index_]; }
  size_t size() const { return sources_.size(); }
  ListPlace place() const { return {index_, sources_.size()}; }

  enum class Direction { forward, back };
  // False at the end, where the place stays; `loop`: goes round instead.
  bool move(Direction direction, bool loop);

 private:
  std::vector<std::string> sources_;
  size_t index_ = 0;
};

}  // namespace texcast::player
