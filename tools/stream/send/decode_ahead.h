// decode_ahead.h — a frame source on a thread of its own, one frame ahead of who encodes.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/loop_thread.h"
#include "live/auto_reset_event.h"
#include "media/frame_source.h"

namespace texcast::stream {

// All calls from one thread.
class DecodeAhead {
 public:
  // Sets `progress` when a frame is there and at the end. Both must outlive this. Starts decoding at once.
  DecodeAhead(media::FrameSource& source, AutoResetEvent& progress);
  ~DecodeAhead() = default;  // waits for the frame being decoded

  // The next frame, once it is decoded; the same one until release(). Throws what the source threw.
  const media::SourceFrame* peek();
  SteadyTime ready_at() const { return ready_at_; }  // of the frame that peek() showed: when it was decoded
  // Its memory may be reused: the next one is decoded. `skipped`: it was not submitted.
  void release(bool skipped = false);
  bool ended();
  // Frames decoded from now on lie in the pool, where that can be.
  void decode_into(std::shared_ptr<FramePool> pool);
  // The frame after the next release() is the one at that place; `done` is called, on the decoding thread, with whether
  // that can be. A frame that is being decoded meanwhile is not shown.
  void seek(nanoseconds place, std::function<void(bool)> done);

 private:
  enum class State { decoding, ready, ended };
  struct Seek {
    nanoseconds place;
    std::function<void(bool)> done;
  };
  void run(const std::stop_token& stop);
  bool obey();  // whether it went elsewhere
  media::FrameSource& source_;
  AutoResetEvent& progress_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  State state_ = State::decoding;
  bool skipped_ = false;
  std::optional<media::SourceFrame> frame_;
  SteadyTime ready_at_{};
  std::shared_ptr<FramePool> pool_;  // to be told to the source
  std::optional<Seek> seek_;         // the same
  LoopThread thread_;                // last: it uses the above
};

}  // namespace texcast::stream
