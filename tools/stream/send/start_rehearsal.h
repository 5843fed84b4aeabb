// start_rehearsal.h — gets everything ready before the clock of a stream starts: the first frame of the source, and the
// same picture moved, go through the encoder and the coder in turn, at least once for each frame of memory that they
// have, and nothing of it is sent. So the first frames of the stream take no longer than the hundredth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stream/send_engine.h"
#include "texcast/encoder.h"
#include "texcast/frame.h"
#include "unsent_frames.h"

namespace texcast::stream {

// Not thread-safe.
class StartRehearsal {
 public:
  // `engine` and `unsent` must outlive this.
  StartRehearsal(SendEngine& engine, UnsentFrames& unsent) : engine_(engine), unsent_(unsent) {}
  // To be called when the encoder or the sender may have made progress, with the same frame in the source's format
  // each time, once the encoder's kernels are built. True: everything is ready, or has taken too long.
  bool step(const FrameView& frame);
  // Whether it waits for kernels of the sender, and has nothing under way.
  bool waits() const { return waits_; }
  // Whether no frame is under way at the sender. `progress` is set when this may have become true.
  bool is_idle() { return engine_.is_idle(); }

 private:
  bool rehearse(const FrameView& frame);
  void move(const FrameView& frame);

  SendEngine& engine_;
  UnsentFrames& unsent_;
  bool waits_ = false;
  int frames_ = 0;  // that the sender has rehearsed, or does
  SteadyTime begun_{};
  std::vector<std::byte> memory_;  // of moved_
  FrameView moved_{};              // the picture two rows further up
};

}  // namespace texcast::stream
