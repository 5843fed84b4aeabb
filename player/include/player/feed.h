// feed.h — where the player's frames come from: a live stream or a file, behind one interface that the tools
// implement, so that the player knows neither sockets nor containers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/frame_times.h"
#include "texcast/format.h"

namespace texcast::player {

struct FeedFrame {
  TextureView texture{};   // valid until the next call of take() or seek()
  FrameTimes times{};      // as far as they are known
  uint64_t number = 0;     // counts frames of the feed from 0; gaps are frames that were skipped or lost
  bool concealed = false;  // parts come from an earlier frame
};

// A line of the on-screen display or of the statistics: "lost packets", "12".
struct FeedStat {
  std::string name;
  std::string value;
};

enum class FeedState { waiting, playing, ended };

// All calls come from the render thread.
class Feed {
 public:
  virtual ~Feed() = default;

  // The newest frame that should be on the screen at `now`, if it is another than the one taken last. Never
  // blocks. Older frames that were never taken are dropped and counted by the feed.
  virtual std::optional<FeedFrame> take(SteadyTime now) = 0;
  // When take() may next have something: the render thread sleeps until then or wait()'s limit.
  // Waits until a frame may be there, at most until `limit`.
  virtual void wait(SteadyTime limit) = 0;
  virtual FeedState state() const = 0;

  virtual bool seekable() const { return false; }
  virtual std::optional<nanoseconds> duration() const { return std::nullopt; }
  virtual void seek(nanoseconds /*pts*/) {}
  virtual void set_paused(bool /*paused*/) {}

  virtual std::string title() const = 0;            // for the window title: "rtp://:5004", a file's name
  virtual std::vector<FeedStat> stats() const = 0;  // called about ten times a second, for the display
};

}  // namespace texcast::player
