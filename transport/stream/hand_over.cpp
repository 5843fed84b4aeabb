#include "hand_over.h"

namespace texcast::stream {

// With several devices, frames are in their kernels at the same time: the first band of the next frame would keep the
// sender busy for as long as a whole frame takes. So only one device's frames are passed on in bands.
HandOver::HandOver(Encoder& encoder, TextureSender& sender, bool real_time)
    : encoder_(encoder),
      sender_(sender),
      real_time_(real_time),
      in_bands_(real_time && encoder.bands() > 1 && encoder.devices() == 1 && sender.takes_bands()) {}

bool HandOver::step() {
  if (encoder_.in_flight() == 0) return false;
  const bool idle = sender_.idle();                             // throws what sending met
  const size_t ready = in_bands_ ? encoder_.ready_bytes() : 0;  // before ready(), so that below it is not all bytes
  if (encoder_.ready()) {
    if (!begun_early_ && !idle) return false;
    const EncodedFrame frame = encoder_.next();
    if (begun_early_)
      sender_.finish(frame.times.encoded);
    else
      sender_.start(frame);
    begun_early_ = 0;
    return true;
  }
  if (ready == begun_early_ || (!begun_early_ && !idle)) return false;
  if (begun_early_) {
    sender_.advance(ready);
  } else {
    EncodedFrame frame = encoder_.peek();
    frame.times.encoded = wall_now();  // of the first band; the end is not known yet
    sender_.start(frame, ready);
  }
  begun_early_ = ready;
  return true;
}

bool HandOver::has_room() {
  if (encoder_.in_flight() == encoder_.capacity()) return false;
  return !real_time_ || encoder_.in_flight() == 0 || sender_.idle() || !encoder_.ready();
}

}  // namespace texcast::stream
