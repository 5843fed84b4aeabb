// send_control.h — the properties and commands of `texcast send --control`. They run on the server's thread. Changes of
// the stream go through stream::Steering and are answered when they have been made.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cli/options.h"
#include "common/control_port.h"
#include "stream/send_pipeline.h"
#include "stream/steering.h"
#include "stream/stream_report.h"

namespace texcast::cli {

class SendControl {
 public:
  using Line = std::function<stream::StatsLine(const stream::SendReport&)>;  // on any thread
  // The stream's state has been published to `steering`, which must outlive this.
  SendControl(const SendOptions& options, stream::Steering& steering, Line line);
  // Call it regularly, with the report so far.
  void tell(const stream::SendReport& now);
  // Sends the events of a changed stream, and of an input that has ended by itself.
  void tell_changes(const stream::SendState& before, const stream::SendState& now);
  void tell_end();

 private:
  void bind_coding();
  void bind_time();
  void bind_destinations();
  void change(stream::SendChange change, control::Reply& reply);
  stream::StatsLine statistics() const;
  void tell_receivers(const std::vector<transport::ReceiverOpinion>& now);

  const bool wanted_;
  const std::string source_;
  std::set<std::string> receivers_;  // addresses for which "joined" was sent; used by tell() only
  stream::Steering& steering_;
  const Line line_;
  mutable std::mutex mutex_;
  stream::SendReport now_;
  ControlPort port_;  // last: its thread uses the above
};

}  // namespace texcast::cli
