// feed.h — where the player's frames come from: a live stream or a file, behind one interface that the tools
// implement, so that the player knows neither sockets nor containers.
//
// Threads: a feed is asked by the render thread alone. The threads that receive or read are its own business.
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
  uint64_t id = 0;         // the id that ahead() gave for it; 0: ahead() did not give it
  RowChanges changes{};    // of `texture`, as long valid; as far as they are known
};

// The frame that take() will probably give next: it is still being received, or waits for its time.
struct FeedAhead {
  TextureView texture{};   // all of its memory, valid until the next call of ahead(), take() or seek()
  size_t ready_bytes = 0;  // this many bytes at its beginning are final
  uint64_t id = 0;         // no other frame has this one; not 0
  RowChanges changes{};    // the same that take() will give
};

// A line of the on-screen display: "lost packets", "12". A name that begins with a space is the time of one stage of a
// frame's way, and is listed with the player's own stages.
struct FeedStat {
  std::string name;
  std::string value;
};

// When a picture that is drawn now will be seen: at the display's next refresh. A value without a clock of its own.
class SwapGrid {
 public:
  SwapGrid() = default;  // pictures are seen when they are drawn
  // A swap returned at `swapped`, when the display was refreshed; it is refreshed again every `period` (0: not known,
  // and then pictures are seen when they are drawn).
  SwapGrid(SteadyTime swapped, nanoseconds period) : swapped_(swapped), period_(period) {}

  SteadyTime seen_at(SteadyTime now) const {
    return knows(now) ? swapped_ + ((now - swapped_) / period_ + 1) * period_ : now;
  }
  // The earliest time for drawing a picture that should be seen at `due`: drawn sooner, it would be seen too early.
  SteadyTime draw_from(SteadyTime due) const {
    return knows(due) ? swapped_ + std::max<int64_t>(0, (due - swapped_ - nanoseconds(1)) / period_) * period_ : due;
  }
  // It will not be known for much longer: a swap is due, even if nothing is new.
  bool fades(SteadyTime now) const { return period_ > nanoseconds::zero() && now - swapped_ >= kKnown / 2; }

 private:
  // The rate of a display is known in whole Hertz only, so that the grid is wrong long after the last swap.
  static constexpr nanoseconds kKnown = std::chrono::milliseconds(500);
  bool knows(SteadyTime time) const {
    return period_ > nanoseconds::zero() && time >= swapped_ && time - swapped_ < kKnown;
  }
  SteadyTime swapped_{};
  nanoseconds period_{};
};

enum class FeedState { waiting, playing, ended };

// No call but wait() blocks.
//
// A live stream has `seekable() == false` and ignores all that steers time. It goes on while it is paused: it is the
// player that does not show its frames then.
class Feed {
 public:
  virtual ~Feed() = default;

  // The newest frame that should be on the screen at `now`, if it is another than the one taken last. Older frames that
  // were never taken are dropped and counted by the feed.
  virtual std::optional<FeedFrame> take(SteadyTime now) = 0;
  // Told after each frame: a live stream chooses its next one for the moment when it will be seen.
  virtual void set_swaps(const SwapGrid& /*swaps*/) {}
  // What its next frame will be, from when that is known, which may be long before take() gives it.
  virtual std::optional<TextureDesc> next_texture() const { return std::nullopt; }
  // None where it is not known, or not worth uploading in parts.
  virtual std::optional<FeedAhead> ahead() { return std::nullopt; }
  // Sleeps until take() may have a frame, at most until `limit`.
  virtual void wait(SteadyTime limit) = 0;
  virtual FeedState state() const = 0;

  // Why a live stream shows nothing new ("no signal for 0:12"): lines for the middle of the picture, which is dimmed
  // behind them. None: all is well. Asked for a few times a second.
  virtual std::vector<std::string> slate(SteadyTime /*now*/) const { return {}; }

  // The pointer of the desktop that the pictures are of, beside them: where it is now. Asked for all the time; when it
  // moves, wait() returns.
  virtual Cursor cursor() const { return {}; }

  // What has happened and should be said once, in one line ("another sender is shown", "the recording has ended: …");
  // nothing as a rule. Asked for all the time.
  virtual std::optional<std::string> news() { return std::nullopt; }

  // Place in the recording. May be asked for at any time, paused or not.
  virtual bool seekable() const { return false; }
  virtual std::optional<nanoseconds> duration() const { return std::nullopt; }
  virtual std::optional<uint64_t> frame_count() const { return std::nullopt; }  // damaged ones too; none: not known
  // Time stamp of the frame taken last; after seek() and the like the place asked for, until its frame is taken, so
  // that two quick presses of a key go twice as far. None before the first frame.
  virtual std::optional<nanoseconds> position() const { return std::nullopt; }

  // Goes to the last frame that begins at or before `pts`; outside the recording to its first or last one. take() then
  // gives that frame once, at once, also while paused or ended; playing goes on from there, pausing goes on too.
  virtual void seek(nanoseconds /*pts*/) {}
  // The same by number: 0 is the first (Home), anything past the end the last (End: UINT64_MAX).
  virtual void seek_to_frame(uint64_t /*number*/) {}
  // Goes exactly `frames` on (negative: back) from the frame at position(), and pauses; the frame there is given once.
  // Stops at the first and at the last frame. 0: pauses, and gives nothing new.
  virtual void step(int /*frames*/) {}

  // While paused the clock stands, audio is silent, and take() gives nothing but what seek() and step() asked for.
  virtual void set_paused(bool /*paused*/) {}
  virtual bool paused() const { return false; }
  // Times real time, 0.25..4 (clamped), 1 at first. While paused it is remembered for when playing goes on.
  virtual void set_speed(double /*speed*/) {}
  virtual double speed() const { return 1; }
  // At the end go on with the first frame, one frame period after the last: state() is never `ended`. Set when the end
  // was already reached, it begins again. While paused it is remembered.
  virtual void set_loop(bool /*loop*/) {}
  virtual bool loop() const { return false; }

  // False: no audio track, or no device to play it on; what is set is then remembered and has no effect.
  virtual bool has_audio() const { return false; }
  virtual void set_volume(double /*volume*/) {}  // 0..1 (clamped), 1 at first; muting does not change it
  virtual double volume() const { return 1; }
  virtual void set_muted(bool /*muted*/) {}
  virtual bool muted() const { return false; }

  virtual std::string title() const = 0;            // for the window title: "rtp://:5004", a file's name
  virtual std::vector<FeedStat> stats() const = 0;  // called about ten times a second, for the display
};

}  // namespace texcast::player
