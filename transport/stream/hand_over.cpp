#include "hand_over.h"

namespace texcast::stream {

// Bands are used only with one device: with several, another device's first band of the next frame would block the
// sender for as long as a whole frame takes.
HandOver::HandOver(Encoder& encoder, TextureSender& sender, bool real_time)
    : encoder_(encoder),
      sender_(sender),
      real_time_(real_time),
      in_bands_(real_time && encoder.bands() > 1 && encoder.devices() == 1 && sender.takes_bands()) {}

bool HandOver::step() {
  if (encoder_.in_flight() == 0) return false;
  const bool idle = sender_.idle();  // throws the sender's exception
  // Read before ready(), so that it is not the whole frame below.
  const size_t ready = in_bands_ ? encoder_.ready_bytes() : 0;
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
    frame.times.encoded = wall_now();  // for its beginning; the time of the whole frame is not known yet
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
