// hand_over.h — passes finished frames from an encoder to a sender, band by band if that saves time.
#pragma once

#include "stream/texture_sender.h"
#include "texcast/encoder.h"

namespace texcast::stream {

// All calls come from the thread that uses the encoder and the sender; both must outlive this. The caller submits
// frames itself, and takes none from the encoder.
class HandOver {
 public:
  // `real_time`: the sender paces. Then a frame that would only wait is not wanted, and bands leave as they come.
  HandOver(Encoder& encoder, TextureSender& sender, bool real_time);

  // Passes on what is finished. False: there was nothing, or the sender was busy. Throws what encoder and sender throw.
  bool step();
  // Whether another frame may be submitted. If a finished frame still waits for the sender, sending is a whole frame
  // behind, and no frame is added.
  bool has_room();

 private:
  Encoder& encoder_;
  TextureSender& sender_;
  const bool real_time_;
  const bool in_bands_;
  size_t begun_early_ = 0;  // bytes of the oldest frame in flight that the sender has; 0: that frame is not started
};

}  // namespace texcast::stream
