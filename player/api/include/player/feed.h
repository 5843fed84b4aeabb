// feed.h — the source of the player's frames: a live stream or a file, behind one interface that the tools implement,
// so that the player needs neither sockets nor containers.
//
// Threads: only the render thread calls a feed. The feed's own threads receive or read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/row_changes.h"
#include "frames/cursor.h"
#include "texcast/format.h"
#include "texcast/frame_times.h"

namespace texcast::player {

struct FeedFrame {
  TextureView texture{};   // valid until the next call of take() or seek()
  FrameTimes times{};      // as far as they are known
  uint64_t number = 0;     // counts frames of the feed from 0; gaps are frames that were skipped or lost
  bool concealed = false;  // parts come from an earlier frame
  uint64_t id = 0;         // as returned by ahead(); 0: ahead() did not return this frame
  RowChanges changes{};    // of `texture`, valid as long as that; as far as they are known
  WallTime due{};          // when it should be visible, if the feed follows the system clock
};

// The frame that take() will probably return next: it is still being received, or waits for its time.
struct FeedAhead {
  TextureView texture{};   // all of its memory, valid until the next call of ahead(), take() or seek()
  size_t ready_bytes = 0;  // this many bytes at its start are final
  uint64_t id = 0;         // unique to this frame; not 0
  RowChanges changes{};    // those that take() will return
};

// A line of the on-screen display: "lost packets", "12". A name that begins with a space is the latency of one stage,
// and is listed with the player's own stages.
struct FeedStat {
  std::string name;
  std::string value;
};

// Predicts when a picture that is drawn now will be visible: at the display's next refresh. A value without its own
// clock.
class SwapGrid {
 public:
  SwapGrid() = default;  // pictures are visible when they are drawn
  // A swap returned at `swapped`, when the display was refreshed; it is refreshed again every `period` (0: not known;
  // pictures are assumed to be visible when they are drawn).
  SwapGrid(SteadyTime swapped, nanoseconds period) : swapped_(swapped), period_(period) {}

  // The same for a display whose period is known in whole Hertz only: a refresh that should have come just now may be
  // still to come, and what is drawn now would be visible at that one. So nothing is visible too early.
  SwapGrid cautious() const {
    SwapGrid grid = *this;
    grid.doubt_ = kDoubt;
    return grid;
  }

  SteadyTime seen_at(SteadyTime now) const {
    return knows(now) ? swapped_ + (surely(now - swapped_) / period_ + 1) * period_ : now;
  }
  // The earliest time for drawing a picture that should be visible at `due`: drawn sooner, it would be visible too
  // early.
  SteadyTime draw_from(SteadyTime due) const {
    if (!knows(due)) return due;
    return swapped_ + doubtful(std::max<int64_t>(0, (due - swapped_ - nanoseconds(1)) / period_) * period_);
  }
  // The prediction will soon be too old: a swap is needed, even if nothing is new.
  bool fades(SteadyTime now) const { return period_ > nanoseconds::zero() && now - swapped_ >= kKnown / 2; }

 private:
  // The rate of a display is known in whole Hertz only, so the prediction is wrong long after the last swap.
  static constexpr nanoseconds kKnown = std::chrono::milliseconds(500);
  static constexpr int64_t kDoubt = 20;  // thousandths of the time since the swap: 59.94 Hz may be given as 59
  // The time that has passed on the display at least, and its inverse.
  nanoseconds surely(nanoseconds passed) const { return passed * (1000 - doubt_) / 1000; }
  nanoseconds doubtful(nanoseconds passed) const {
    return nanoseconds((passed.count() * 1000 + 999 - doubt_) / (1000 - doubt_));
  }
  bool knows(SteadyTime time) const {
    return period_ > nanoseconds::zero() && time >= swapped_ && time - swapped_ < kKnown;
  }
  SteadyTime swapped_{};
  nanoseconds period_{};
  int64_t doubt_ = 0;
};

enum class FeedState { waiting, playing, ended };

// Only wait() blocks.
//
// A live stream has `seekable() == false` and ignores everything that controls time. It continues while it is paused:
// the player just does not show its frames then.
class Feed {
 public:
  virtual ~Feed() = default;

  // Returns the newest frame that should be on the screen at `now`, unless it is the one that was taken last. Older
  // frames that were never taken are dropped and counted by the feed.
  virtual std::optional<FeedFrame> take(SteadyTime now) = 0;
  // Called after each frame: a live stream chooses its next one for the moment when it will be visible.
  virtual void set_swaps(const SwapGrid& /*swaps*/) {}
  // Describes the next frame as soon as that is known, which may be long before take() returns it.
  virtual std::optional<TextureDesc> next_texture() const { return std::nullopt; }
  // Nothing if it is not known, or not worth uploading in parts.
  virtual std::optional<FeedAhead> ahead() { return std::nullopt; }
  // Sleeps until take() may have a frame, at most until `limit`.
  virtual void wait(SteadyTime limit) = 0;
  virtual FeedState state() const = 0;

  // Why a live stream shows nothing new ("no signal for 0:12"): lines for the middle of the picture, which is dimmed
  // behind them. Empty if all is well. Called a few times per second.
  virtual std::vector<std::string> slate(SteadyTime /*now*/) const { return {}; }

  // The present state of the captured desktop's pointer, which is not part of the pictures. Called often; when it
  // moves, wait() returns.
  virtual Cursor cursor() const { return {}; }

  // An event to be shown once, in one line ("another sender is shown", "the recording has ended: …"); usually nothing.
  // Called often.
  virtual std::optional<std::string> news() { return std::nullopt; }

  // Position in the recording. May be called at any time, paused or not.
  virtual bool seekable() const { return false; }
  virtual std::optional<nanoseconds> duration() const { return std::nullopt; }
  virtual std::optional<uint64_t> frame_count() const {
    return std::nullopt;
  }  // including damaged ones; nothing: not known
  // Time stamp of the frame taken last; after seek() and similar calls the requested position until its frame is taken,
  // so that two quick presses of a key go twice as far. Nothing before the first frame.
  virtual std::optional<nanoseconds> position() const { return std::nullopt; }

  // Goes to the last frame that begins at or before `pts`; outside of the recording to its first or last one. take()
  // then returns that frame once, at once, even if paused or ended. Playback continues from there; a paused feed stays
  // paused.
  virtual void seek(nanoseconds /*pts*/) {}
  // The same by number: 0 is the first (Home), anything past the end the last (End: UINT64_MAX).
  virtual void seek_to_frame(uint64_t /*number*/) {}
  // Goes exactly `frames` forward (negative: back) from the frame at position(), and pauses; take() returns that frame
  // once. Stops at the first and at the last frame. 0: pauses, and returns nothing new.
  virtual void step(int /*frames*/) {}

  // While paused the clock stands, audio is silent, and take() returns only what seek() and step() requested.
  virtual void set_paused(bool /*paused*/) {}
  virtual bool paused() const { return false; }
  // A factor of real time, 0.25..4 (clamped), initially 1. If set while paused it applies when playback continues.
  virtual void set_speed(double /*speed*/) {}
  virtual double speed() const { return 1; }
  // At the end continues with the first frame, one frame period after the last: state() is never `ended`. If it is set
  // after the end, playback begins again; while paused, when it is resumed.
  virtual void set_loop(bool /*loop*/) {}
  virtual bool loop() const { return false; }

  // False: there is no audio track, or no device to play it on; settings are then remembered without effect.
  virtual bool has_audio() const { return false; }
  virtual void set_volume(double /*volume*/) {}  // 0..1 (clamped), initially 1; muting does not change it
  virtual double volume() const { return 1; }
  virtual void set_muted(bool /*muted*/) {}
  virtual bool muted() const { return false; }

  virtual std::string title() const = 0;             // "rtp://:5004", a file's name
  virtual std::string sender() const { return {}; }  // of a live stream, for the window title: "192.168.1.20"
  virtual std::vector<FeedStat> stats() const = 0;   // for the on-screen display; called about ten times per second
};

}  // namespace texcast::player
