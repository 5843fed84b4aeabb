// relay_news.h — what a relay tells of the stream that it receives: events for the log, and the status for reports.
#pragma once

#include "live/datagrams.h"
#include "live/receiving_thread.h"
#include "transport/relay_session.h"

namespace texcast::stream {

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
  // Brings `status` up to date.
  void fill(StreamStatus& status) const;

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
