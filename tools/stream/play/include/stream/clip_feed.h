// clip_feed.h — plays a recording: reads ahead and unpacks on threads, paces frames by their time stamps and the sound,
// and seeks exactly, steps, loops and changes speed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "player/feed.h"
#include "player/player.h"
#include "stream/audio_player.h"
#include "stream/clip_schedule.h"
#include "stream/count_window.h"
#include "stream/read_ahead.h"
#include "stream/stored_rate.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

// The time in a recording: it runs at a speed or stands still, and follows another clock without jumps.
// Not thread-safe. Times of the steady clock come in as arguments.
class MediaClock {
 public:
  nanoseconds at(SteadyTime now) const { return running_ ? media_ + scaled(now - since_, speed_) : media_; }
  // When the time will be `media`; never while it stands still.
  SteadyTime when(nanoseconds media) const {
    return running_ ? since_ + scaled(media - media_, 1 / speed_) : SteadyTime::max();
  }
  void set(nanoseconds media, SteadyTime now) {
    media_ = media;
    since_ = checked_ = now;
  }
  void hold(SteadyTime now) { set(media_, now); }  // back to the time that was set last
  void run(bool running, SteadyTime now) {
    set(at(now), now);
    running_ = running;
  }
  void set_speed(double speed, SteadyTime now) {
    set(at(now), now);
    speed_ = speed;
  }
  double speed() const { return speed_; }
  bool running() const { return running_; }

  // The other clock says `media`. A small difference is corrected gradually, most of it within a sixth of a second, so
  // that the other clock's ticks are invisible; a large one (something stalled) at once.
  void keep_to(nanoseconds media, SteadyTime now) {
    const nanoseconds off = media - at(now);
    if (std::chrono::abs(off) > kJump) return set(media, now);
    const double share = static_cast<double>((now - checked_).count()) / static_cast<double>(kCatchUp.count());
    set(at(now) + scaled(off, std::clamp(share, 0.0, 1.0)), now);
  }

 private:
  static constexpr nanoseconds kJump = std::chrono::milliseconds(150);
  static constexpr nanoseconds kCatchUp = std::chrono::milliseconds(150);  // time constant
  static nanoseconds scaled(nanoseconds time, double by) {
    return by == 1 ? time : nanoseconds(std::llround(static_cast<double>(time.count()) * by));
  }
  nanoseconds media_{};
  SteadyTime since_{};
  SteadyTime checked_{};
  double speed_ = 1;
  bool running_ = true;
};

enum class ClipPace { by_time_stamps, every_frame_at_once };

struct ClipFeedSettings {
  ClipPace pace = ClipPace::by_time_stamps;
  // Frames are unpacked into its upload buffers; nullptr: into ordinary memory. Must outlive the feed.
  player::Presenter* presenter = nullptr;
  // Plays the file's sound if it has any and there is a device; the log says if not. Only with by_time_stamps.
  bool sound = false;
  std::unique_ptr<AudioPlayer> audio{};  // the sound, if it is open already
  int threads = 0;                       // for unpacking; 0: one per processor, at most 8
  // Follows the system clock instead, as a live stream does: without sound, seeking, steps and speeds. A pause holds
  // the picture only. Only with by_time_stamps.
  std::optional<ClipTiming> timing{};
};

class ClipFeed : public player::Feed {
 public:
  // All calls come from the render thread. The clock must outlive this; reading and unpacking do not depend on it.
  ClipFeed(std::unique_ptr<media::ClipReader> reader, ClipFeedSettings settings, Clock& clock = system_clock());
  ClipFeed(std::unique_ptr<media::ClipReader> reader, ClipPace pace, Clock& clock = system_clock())
      : ClipFeed(std::move(reader), ClipFeedSettings{.pace = pace}, clock) {}

  std::optional<player::FeedFrame> take(SteadyTime now) override;
  std::optional<TextureDesc> next_texture() const override { return info().texture; }
  std::optional<player::FeedAhead> ahead() override;
  void wait(SteadyTime limit) override;
  player::FeedState state() const override;

  void set_swaps(const player::SwapGrid& swaps) override { swaps_ = swaps.cautious(); }
  std::vector<std::string> slate(SteadyTime now) const override;  // until a scheduled clip begins

  bool seekable() const override { return !schedule_; }
  std::optional<nanoseconds> duration() const override { return info().duration; }
  std::optional<uint64_t> frame_count() const override;
  std::optional<nanoseconds> position() const override;
  void seek(nanoseconds pts) override;
  void seek_to_frame(uint64_t number) override;
  void step(int frames) override;
  void set_paused(bool paused) override;
  bool paused() const override { return schedule_ ? held_ : !media_time_.running(); }
  void set_speed(double speed) override;
  double speed() const override { return media_time_.speed(); }
  void set_loop(bool loop) override;
  bool loop() const override { return loop_; }
  bool has_audio() const override { return audio_ != nullptr; }
  void set_volume(double volume) override;
  double volume() const override { return volume_; }
  void set_muted(bool muted) override;
  bool muted() const override { return muted_; }

  std::string title() const override { return info().path; }
  std::vector<player::FeedStat> stats() const override;

  const media::ClipInfo& info() const { return ahead_.info(); }
  std::vector<player::StageLatency> stages() const;               // read and unpack; the player has the others
  uint64_t dropped() const { return ahead_.report().overtaken; }  // frames too late to be shown
  uint64_t damaged() const { return ahead_.report().damaged; }    // frames that could not be read
  std::string first_damage() const { return ahead_.report().first_damage; }
  void rethrow_failure() { ahead_.rethrow_failure(); }

 private:
  // The target of a seek until its first frame is taken.
  struct Jump {
    nanoseconds pts{};
    std::optional<uint64_t> number{};
  };
  std::optional<AheadFrame> next_frame(SteadyTime now);
  std::optional<AheadFrame> stepped_frame();
  std::optional<player::FeedFrame> take_scheduled(SteadyTime now);
  void wait_for_schedule(SteadyTime limit);
  player::FeedState scheduled_state() const;
  player::FeedFrame shown_frame() const;
  uint64_t number_now() const;
  void jump(Jump to);
  void keep_to_sound(SteadyTime now);
  void start_sound(SteadyTime now);
  void wait_for_reading(SteadyTime limit);
  const AheadFrame& latest() const { return passed_ ? *passed_ : shown_; }
  nanoseconds frame_time() const;
  nanoseconds last_moment() const;

  Clock& clock_;
  const ClipPace pace_;
  std::unique_ptr<AudioPlayer> audio_;
  ReadAhead ahead_;

  AheadFrame shown_;
  bool has_shown_ = false;
  std::optional<Jump> jump_ = Jump{};   // initially to the beginning
  int steps_ = 0;                       // frames still to be taken; the last of them is the one to show
  std::optional<AheadFrame> passed_{};  // the latest of them; shown only if the recording ends there
  MediaClock media_time_;
  SteadyTime sound_is_late_{};   // until then the picture waits for the sound
  bool sound_elsewhere_ = true;  // the sound must be started when playing continues
  bool loop_ = false;
  double volume_ = 1;
  bool muted_ = false;
  std::optional<ClipSchedule> schedule_;
  bool held_ = false;  // paused by schedule
  player::SwapGrid swaps_;
  StoredRate rate_;
  mutable CountWindow left_out_;
};

}  // namespace texcast::stream
