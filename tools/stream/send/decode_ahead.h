// decode_ahead.h — a frame source on its own thread, one frame ahead of who encodes.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/loop_thread.h"
#include "media/frame_source.h"
#include "stream/doorbell.h"

namespace texcast::stream {

// All calls from one thread.
class DecodeAhead {
 public:
  // Rings `bell` when a frame is there and at the end. Both must outlive this. Starts decoding at once.
  DecodeAhead(media::FrameSource& source, Doorbell& bell);
  ~DecodeAhead() = default;  // waits for the frame being decoded

  // The next frame, once it is decoded; the same one until release(). Throws what the source threw.
  const media::SourceFrame* peek();
  SteadyTime ready_at() const { return ready_at_; }  // of the frame that peek() showed: when it was decoded
  void release();                                    // its memory may be reused: the next one is decoded
  bool ended();

 private:
  enum class State { decoding, ready, ended };
  void run(const std::stop_token& stop);
  media::FrameSource& source_;
  Doorbell& bell_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  State state_ = State::decoding;
  std::optional<media::SourceFrame> frame_;
  SteadyTime ready_at_{};
  LoopThread thread_;  // last: it uses the above
};

}  // namespace texcast::stream
