// hand_over.h — what an encoder has finished, of a frame or in all, to the sender: band by band where that pays.
#pragma once

#include "live/texture_sender.h"
#include "texcast/encoder.h"

namespace texcast::stream {

// All calls from the thread that has the encoder and the sender; both must outlive this. Whoever calls submits frames
// itself, and takes none from the encoder.
class HandOver {
 public:
  // `real_time`: the sender paces. Then frames that would only wait are not wanted, and bands leave as they come.
  HandOver(Encoder& encoder, TextureSender& sender, bool real_time);

  // Hands over what there is. False where nothing has changed hands. Throws what encoder and sender throw.
  bool step();
  // Whether another frame may be submitted. A finished frame that still waits for the sender means that sending is a
  // whole frame behind: none is added.
  bool has_room();

 private:
  Encoder& encoder_;
  TextureSender& sender_;
  const bool real_time_;
  const bool in_bands_;
  size_t begun_early_ = 0;  // bytes that the sender knows of the oldest frame in flight, which leaves already
};

}  // namespace texcast::stream
