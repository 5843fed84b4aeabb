// relay_control.h — the properties, commands and events of `texcast relay --control`. On the thread that calls it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/options.h"
#include "common/control_port.h"
#include "stream/stream_relay.h"
#include "transport/stream.h"

namespace texcast::cli {

class RelayControl {
 public:
  // `port`: where the relay listens. `relay` must outlive this. `line` makes a line of statistics. Throws as
  // ControlPort::begin().
  RelayControl(const RelayOptions& options, uint16_t port, stream::StreamRelay& relay, ControlPort::Line line);
  // Obeys commands and tells events; call it about fifty times a second.
  void serve(const stream::RelayStatus& now);
  void tell_end();

 private:
  void tell_receivers(const std::vector<transport::ReceiverOpinion>& now);
  Json change_destination(control::Words words);

  const std::string source_;
  const uint16_t listening_;  // port
  stream::StreamRelay& relay_;
  ControlPort port_;
  std::optional<transport::StreamDesc> told_stream_;
  std::set<std::string> receivers_;
};

}  // namespace texcast::cli
