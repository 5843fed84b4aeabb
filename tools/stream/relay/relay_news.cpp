#include "stream/relay_news.h"

#include <utility>

namespace texcast::stream {

bool RelayNews::frame_arrived() {
  // Frames of a stream that cannot be read are unknown.
  const uint64_t signs = relay_.is_keyless() ? relay_.passed() : relay_.frames();
  if (signs == signs_) return false;
  signs_ = signs;
  last_frame_ = steady_now();
  if (!first_frame_) first_frame_ = last_frame_;
  events_.on_picture_sender(relay_.sender().from);
  return true;
}

void RelayNews::tell() {
  const transport::ReceiveCounters& c = relay_.counters();
  const transport::Refused& refused = relay_.last_refusal();
  if (relay_.is_keyless()) return tell_sender();
  if (source_.live() && refused.why != reported_refusal_ && refused.why != transport::Refusal::replayed &&
      c.packets == 0) {
    reported_refusal_ = refused.why;
    events_.on_refused(refused);
  }
  tell_sender();
  if (!reported_too_large_ && c.oversized_width > 0) {
    reported_too_large_ = true;
    events_.on_too_large(c);
  }
}

void RelayNews::tell_sender() {
  const transport::SelectedSender& now = relay_.sender();
  if (now.count != reported_sender_.count && reported_sender_.count > 0) events_.on_takeover(reported_sender_, now);
  reported_sender_ = now;
  if (const uint64_t outside = source_.outside(); outside > outside_)
    relay_.session().count_outside(outside - std::exchange(outside_, outside));
  if (const uint64_t dropped = source_.dropped_by_kernel(); dropped > kernel_drops_)
    relay_.session().count_socket_drops(dropped - std::exchange(kernel_drops_, dropped));
}

void RelayNews::fill(PassedStream& status) const {
  status.received.counters = relay_.counters();
  status.received.refusal = relay_.last_refusal();
  status.received.stream = relay_.stream();
  status.received.sender = relay_.sender().from;
  status.received.frames = relay_.frames();
  status.received.first_frame = first_frame_;
  status.received.last_frame = last_frame_;
  status.passed = relay_.passed();
  status.passed_bytes = relay_.passed_bytes();
  status.again = relay_.sent_again();
  status.tile_requests = relay_.tile_requests();
  status.tile_requests_passed_on = relay_.tile_requests_passed_on();
}

}  // namespace texcast::stream
