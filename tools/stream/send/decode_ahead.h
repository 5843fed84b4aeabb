// decode_ahead.h — decodes a frame source on a thread of its own, one frame ahead of the encoder.
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

// All calls come from one thread.
class DecodeAhead {
 public:
  // Starts decoding at once. Sets `progress` when a frame is decoded and at the end. Both must outlive this.
  DecodeAhead(media::FrameSource& source, AutoResetEvent& progress);
  ~DecodeAhead() { source_.stop_waiting(); }  // waits for the frame being decoded, not for its network or pipe

  // The next frame, or nullptr if it is not decoded yet; the same one until release(). Throws what the source threw.
  const media::SourceFrame* peek();
  SteadyTime ready_at() const { return ready_at_; }  // when the frame of peek() was decoded
  // Frees the frame's memory and decodes the next one. `skipped`: the frame was not submitted.
  void release(bool skipped = false);
  bool ended();
  // Later frames are decoded into the pool, if the source can do that.
  void decode_into(std::shared_ptr<FramePool> pool);
  // After the next release() decoding continues at `place`, and a frame that is being decoded now is dropped. `done` is
  // called on the decoding thread: false if the source cannot seek.
  void seek(nanoseconds place, std::function<void(bool)> done);

 private:
  enum class State { decoding, ready, ended };
  struct Seek {
    nanoseconds place;
    std::function<void(bool)> done;
  };
  void run(const std::stop_token& stop);
  bool obey();  // whether it has sought
  media::FrameSource& source_;
  AutoResetEvent& progress_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  State state_ = State::decoding;
  bool skipped_ = false;
  std::optional<media::SourceFrame> frame_;
  SteadyTime ready_at_{};
  std::shared_ptr<FramePool> pool_;  // that the source does not have yet
  std::optional<Seek> seek_;         // not done yet
  LoopThread thread_;                // last: it uses the members above
};

}  // namespace texcast::stream
