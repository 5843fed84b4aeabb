// recording.h — a recording written on its own thread, so that a slow disk does not cost packets.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/loop_thread.h"
#include "media/recorder.h"
#include "stream/block_pool.h"
#include "stream/layout_recorder.h"

namespace texcast::stream {

// What happens to a frame while kQueueFrames are waiting for the disk.
enum class WhenFull { drop, wait };

struct RecordingReport {
  int64_t frames = 0;
  int64_t bytes = 0;
  uint64_t dropped = 0;            // the disk was too slow for them
  std::vector<std::string> files;  // media::part_name's; more than one where it is split, or the stream changed
};

// put() and finish() from one thread; the writing thread is inside.
class Recording {
 public:
  static constexpr size_t kQueueFrames = 32;

  // Texture and rate of the settings are those of the frames.
  Recording(media::RecorderSettings settings, WhenFull when_full, LayoutSettings layout = {});
  ~Recording();  // finishes the file
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // `fps` is the stream's nominal rate. Throws the Error that the writing met, once.
  void put(const FrameRef& frame, double fps);
  // Writes what waits, closes the file. Throws the Error that the writing met.
  RecordingReport finish();
  uint64_t dropped() const;

 private:
  struct Job {
    FrameRef frame;
    double fps = 0;
  };
  void run(const std::stop_token& stop);
  void discard_queue();
  void write(const Job& job);
  void close_part();
  void rethrow_failure();

  const media::RecorderSettings settings_;
  LayoutSettings layout_;  // the writing thread's
  const WhenFull when_full_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::array<Job, kQueueFrames> queue_;  // a ring: `waiting_` jobs from `first_` on
  size_t first_ = 0;
  size_t waiting_ = 0;
  bool ended_ = false;      // the writing thread is
  bool told_ = false;       // its failure is
  RecordingReport report_;  // the writing thread's until it has ended, but for `dropped`

  // Only the writing thread:
  std::unique_ptr<media::Recorder> part_;
  TextureDesc part_desc_;
  nanoseconds last_pts_{};
  nanoseconds part_begin_{};
  LoopThread thread_;  // last: it uses all of the above
};

}  // namespace texcast::stream
