// hand_over.h — passes finished frames from an encoder to the sender, band by band if that reduces latency.
#pragma once

#include "stream/texture_sender.h"
#include "texcast/encoder.h"

namespace texcast::stream {

// Call everything on the thread that uses the encoder and the sender, both of which must outlive this. The caller
// submits frames, and takes none from the encoder.
class HandOver {
 public:
  // `real_time`: the sender paces its packets. Then no frames are queued behind others, and bands are sent as they are
  // finished.
  HandOver(Encoder& encoder, TextureSender& sender, bool real_time);

  // Passes on what is available. False if there was nothing. Throws the exceptions of encoder and sender.
  bool step();
  // True if another frame may be submitted. If a finished frame still waits for the sender, sending is a whole frame
  // behind, and none is added.
  bool has_room();

 private:
  Encoder& encoder_;
  TextureSender& sender_;
  const bool real_time_;
  const bool in_bands_;
  size_t begun_early_ = 0;  // bytes of the oldest frame that are known to the sender, which has begun to send it
};

}  // namespace texcast::stream
