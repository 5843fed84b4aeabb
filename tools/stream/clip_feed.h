// clip_feed.h — a recording as the player's feed: read ahead on a thread, paced by its time stamps, with pause and
// seek.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "media/clip_reader.h"
#include "player/feed.h"
#include "stream/frame_pool.h"
#include "stream/rate_meter.h"

namespace texcast::stream {

enum class ClipPace { by_time_stamps, every_frame_at_once };

class ClipFeed : public player::Feed {
 public:
  ClipFeed(std::unique_ptr<media::ClipReader> reader, ClipPace pace);
  ~ClipFeed() override;

  std::optional<player::FeedFrame> take(SteadyTime now) override;
  void wait(SteadyTime limit) override;
  player::FeedState state() const override;
  bool seekable() const override { return true; }
  std::optional<nanoseconds> duration() const override { return info_.duration; }
  void seek(nanoseconds pts) override;
  void set_paused(bool paused) override;
  std::string title() const override { return info_.path; }
  std::vector<player::FeedStat> stats() const override;

  const media::ClipInfo& info() const { return info_; }
  uint64_t dropped() const { return dropped_; }  // too late to be shown
  uint64_t damaged() const;                      // could not be read
  std::string first_damage() const;
  void rethrow_failure();  // throws what ended the reading before its time, if anything did

 private:
  static constexpr size_t kReadAhead = 4;
  void run();
  void read_ahead();
  nanoseconds media_time(SteadyTime now) const;  // what should be on the screen then

  std::unique_ptr<media::ClipReader> reader_;  // the reading thread's, after the constructor
  const media::ClipInfo info_;
  const ClipPace pace_;
  const nanoseconds frame_time_;
  FramePool pool_{kReadAhead + 3};  // the ones shown before and now, the one being read

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FrameRef> ahead_;
  std::optional<nanoseconds> seek_to_;
  uint64_t next_number_ = 0;
  bool at_end_ = false;
  bool closing_ = false;
  uint64_t damaged_ = 0;
  std::string first_damage_;
  std::exception_ptr failure_;

  // Render thread:
  FrameRef shown_;
  bool show_next_at_once_ = true;  // the first frame, and the first after a seek
  bool paused_ = false;
  SteadyTime clock_base_{};  // when media time 0 would have been, while not paused
  nanoseconds paused_at_{};  // media time, while paused
  uint64_t dropped_ = 0;
  uint64_t taken_bytes_ = 0;
  mutable RateMeter rate_;

  std::thread thread_;  // last: it uses the above
};

}  // namespace texcast::stream
