// send_control.h — what `texcast send` can be asked for through --control, row by row. It is done on the server's
// thread: what changes the stream goes through a stream::Steering, and is answered when it has been made.
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
  // `steering` has the stream's state published, and must outlive this.
  SendControl(const SendOptions& options, stream::Steering& steering, Line line);
  // Now and then, with the figures so far.
  void tell(const stream::SendReport& now);
  // The stream has become another; its input has ended by itself.
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
  std::set<std::string> receivers_;  // that were told of: their addresses; tell()'s thread
  stream::Steering& steering_;
  const Line line_;
  mutable std::mutex mutex_;
  stream::SendReport now_;
  ControlPort port_;  // last: its thread uses the above
};

}  // namespace texcast::cli
