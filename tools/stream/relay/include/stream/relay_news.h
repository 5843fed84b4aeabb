// relay_news.h — reports on the stream that a relay receives: events for the log, and the status for statistics.
#pragma once

#include "live/datagrams.h"
#include "live/receiving_thread.h"
#include "transport/relay_session.h"

namespace texcast::stream {

// A stream that passes, to receivers or to browsers. The state at one moment; a copy.
struct PassedStream {
  StreamStatus received;                         // as of any receiver; frames are counted, not decoded
  uint64_t passed = 0, passed_bytes = 0;         // datagrams of the picture, each once
  uint64_t sound_passed = 0, sound_refused = 0;  // datagrams
  uint64_t again = 0;                            // packets that receivers requested, answered here
  uint64_t tile_requests = 0, tile_requests_passed_on = 0;
};

// On the relay's thread.
class RelayNews {
 public:
  // All must outlive this.
  RelayNews(DatagramSource& source, transport::RelaySession& relay, ReceptionEvents& events)
      : source_(source), relay_(relay), events_(events) {}
  // Tells events, and passes on to the session what the source counts. After each read.
  void tell();
  // True if a frame has arrived since the last call, and its sender's address is known to `picture_sender` events.
  bool frame_arrived();
  // Brings all but the sound up to date.
  void fill(PassedStream& status) const;

 private:
  void tell_sender();

  DatagramSource& source_;
  transport::RelaySession& relay_;
  ReceptionEvents& events_;
  uint64_t signs_ = 0, kernel_drops_ = 0, outside_ = 0;
  std::optional<SteadyTime> first_frame_, last_frame_;
  transport::Refusal reported_refusal_ = transport::Refusal::none;
  transport::SelectedSender reported_sender_{};
  bool reported_too_large_ = false;
};

}  // namespace texcast::stream
