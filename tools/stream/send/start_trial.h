// start_trial.h — measures whether a stream can begin before its encoder's kernels are built: the first frame of the
// source goes through the CPU encoder and, in a coded stream, through the coder, and both are timed.
#pragma once

#include <cstdint>
#include <vector>

#include "stream/texture_sender.h"
#include "texcast/encoder.h"
#include "texcast/frame.h"

namespace texcast::stream {

// Not thread-safe. Frames of a trial are not sent.
class StartTrial {
 public:
  explicit StartTrial(const SendSettings& settings) : settings_(settings) {}
  // To be called when the encoder may have made progress, always with the same frame. True once several frames in a row
  // took at most half of the frame time. After a failed trial it pauses; trials take a tenth of the time.
  bool step(Encoder& encoder, const FrameView& frame);
  // Waits for frames that are still being encoded, and discards them.
  void finish(Encoder& encoder);
  // The frame as the encoder should get it: the first frame of the stream is marked as completely changed, because the
  // encoder's previous frame was one of a trial. Valid until the next call.
  FrameView in_stream(FrameView frame);

 private:
  FrameView marked(FrameView frame);
  void submit(Encoder& encoder, const FrameView& frame);
  bool is_quick(nanoseconds encoding, const TextureView& texture) const;
  nanoseconds coding_time(const TextureView& texture) const;

  const SendSettings settings_;
  std::vector<uint8_t> all_changed_;
  bool has_encoded_ = false;  // since the last frame of the stream
  int frames_ = 0;            // of this trial
  SteadyTime try_began_{}, submitted_at_{}, next_try_{};
};

}  // namespace texcast::stream
