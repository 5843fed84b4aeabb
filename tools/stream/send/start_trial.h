// start_trial.h — measures whether a stream can begin before its encoder's kernels are built: the first frame of the
// source goes through the CPU encoder and, in a coded stream, through the coder, and both are timed.
#pragma once

#include "stream/texture_sender.h"
#include "texcast/encoder.h"
#include "texcast/frame.h"
#include "unsent_frames.h"

namespace texcast::stream {

// Not thread-safe. Frames of a trial are not sent.
class StartTrial {
 public:
  // `unsent` must outlive this.
  StartTrial(const SendSettings& settings, UnsentFrames& unsent) : settings_(settings), unsent_(unsent) {}
  // To be called when the encoder may have made progress, always with the same frame. True once several frames in a row
  // took at most half of the frame time. After a failed trial it pauses; trials take a tenth of the time.
  bool step(Encoder& encoder, const FrameView& frame);
  // Waits for frames that are still being encoded, and discards them.
  void finish(Encoder& encoder);

 private:
  void submit(Encoder& encoder, const FrameView& frame);
  bool is_quick(nanoseconds encoding, const TextureView& texture) const;
  nanoseconds coding_time(const TextureView& texture) const;

  const SendSettings settings_;
  UnsentFrames& unsent_;
  int frames_ = 0;  // of this trial
  SteadyTime try_began_{}, submitted_at_{}, next_try_{};
};

}  // namespace texcast::stream
