#include "relay/relay_control.h"

#include <utility>

#include "cli/interrupt.h"
#include "common/control_events.h"
#include "common/service_names.h"
#include "relay/relay_loops.h"
#include "texcast/error.h"

namespace texcast::cli {

using control::require_words;
using control::Words;

RelayControl::RelayControl(const RelayOptions& o, uint16_t port, stream::StreamRelay& relay, ControlPort::Line line)
    : source_(o.stream.source),
      listening_(port),
      relay_(relay),
      port_(
          o.stream.control, control::kRelay, [this] { return source_; }, std::move(line)) {
  port_.rows().property("destinations", [this] { return Json(relay_.urls()); });
  port_.rows().command("destination", [this](Words words) { return change_destination(words); });
  port_.bind_quit();
  port_.begin();
}

Json RelayControl::change_destination(Words words) {
  constexpr const char* kUsage = "destination add ADDRESS, or destination remove ADDRESS";
  require_words(words, 2, 2, kUsage);
  const std::string url = with_scheme(words[1]);
  if (words[0] == "add") {
    reject_loop(source_, listening_, url);
    relay_.add(url);
  } else if (words[0] == "remove") {
    relay_.remove(url);
  } else {
    throw Error(ErrorKind::usage, std::string("usage: ") + kUsage);
  }
  port_.tell("destination", address_event(url, words[0] == "add" ? "added" : "removed"));
  return {};
}

void RelayControl::serve(const stream::RelayStatus& now) {
  port_.obey();
  port_.tell_statistics();
  if (now.received.stream && now.received.stream != told_stream_) {
    told_stream_ = now.received.stream;
    port_.tell("stream", stream_event(*told_stream_));
  }
  tell_receivers(now.receivers);
}

void RelayControl::tell_receivers(const std::vector<transport::ReceiverOpinion>& now) {
  std::set<std::string> there;
  for (const transport::ReceiverOpinion& receiver : now)
    if (!receiver.left) there.insert(receiver.address);
  if (there == receivers_) return;
  for (const std::string& address : there)
    if (!receivers_.contains(address)) port_.tell("receiver", address_event(address, "joined"));
  for (const std::string& address : receivers_)
    if (!there.contains(address)) port_.tell("receiver", address_event(address, "left"));
  receivers_ = std::move(there);
}

void RelayControl::tell_end() { port_.tell("end", Json::object({{"source", source_}})); }

}  // namespace texcast::cli
