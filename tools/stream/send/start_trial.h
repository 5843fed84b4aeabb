// start_trial.h — whether a stream can begin before its encoder's kernels are built: the first frame of the source goes
// through the processor's encoder and, where the stream is a coded one, through the coder, and both are timed.
#pragma once

#include <cstdint>
#include <vector>

#include "stream/texture_sender.h"
#include "texcast/encoder.h"
#include "texcast/frame.h"

namespace texcast::stream {

// Not thread-safe. Nothing of what it encodes is sent.
class StartTrial {
 public:
  explicit StartTrial(const SendSettings& settings) : settings_(settings) {}
  // To be called when the encoder may have made progress, always with the same frame. True once several frames in a row
  // took half of the time that there is for each. Tries again now and then, in a tenth of the time.
  bool step(Encoder& encoder, const FrameView& frame);
  // Takes back what is still being encoded. Waits for it.
  void finish(Encoder& encoder);
  // A frame of the stream, for the encoder: the first one has a mark that all of it has changed, as the frame that the
  // encoder had before it is none of the stream. Valid until the next call.
  FrameView in_stream(FrameView frame);

 private:
  FrameView marked(FrameView frame);
  void submit(Encoder& encoder, const FrameView& frame);
  bool is_quick(nanoseconds encoding, const TextureView& texture) const;
  nanoseconds coding_time(const TextureView& texture) const;

  const SendSettings settings_;
  std::vector<uint8_t> all_changed_;
  bool has_encoded_ = false;  // and no frame of the stream came since
  int frames_ = 0;            // of this try
  SteadyTime try_began_{}, submitted_at_{}, next_try_{};
};

}  // namespace texcast::stream
