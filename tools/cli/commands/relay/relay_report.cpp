#include "relay/relay_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "common/passed_report.h"
#include "send/receiver_reports.h"
#include "text/figures.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

constexpr nanoseconds kShowRelayEvery = std::chrono::milliseconds(250);
constexpr size_t kMostRows = 16;  // of destinations, in the printed report

struct Sums {
  uint64_t packets = 0, bytes = 0, dropped = 0, nacks = 0, resent = 0;
};

Sums sums_of(const stream::RelayStatus& status) {
  Sums sums;
  for (const stream::RelayedTo& one : status.destinations) {
    sums.packets += one.packets;
    sums.bytes += one.bytes;
    sums.dropped += one.dropped;
    sums.nacks += one.nacks;
    sums.resent += one.resent;
  }
  return sums;
}

Json destinations_json(const stream::RelayStatus& status) {
  Json all = Json::array();
  for (const stream::RelayedTo& one : status.destinations)
    all.push(Json::object({{"address", one.address},
                           {"packets", one.packets},
                           {"bytes", one.bytes},
                           {"dropped", one.dropped},
                           {"refusals", one.refusals},
                           {"nacks", one.nacks},
                           {"resent", one.resent},
                           {"tile_requests", one.tile_requests},
                           {"receivers", one.receivers},
                           {"loss", one.loss ? Json(*one.loss) : Json()}}));
  return all;
}

std::string destination_text(const stream::RelayedTo& one) {
  std::string text = fmt::format("{}, {}", file_size(static_cast<int64_t>(one.bytes)), plural(one.packets, "packet"));
  if (one.resent > 0) text += fmt::format(", {} resent", one.resent);
  if (one.dropped > 0) text += fmt::format(", {} not taken", one.dropped);
  if (one.loss) text += fmt::format(", {:.1f} % lost", *one.loss * 100);
  return text;
}

void print_destinations(const stream::RelayStatus& status) {
  size_t rows = 0;
  for (const stream::RelayedTo& one : status.destinations)
    if (rows++ < kMostRows) print_row(rows == 1 ? "to" : "", one.address + ": " + destination_text(one));
  if (rows > kMostRows) print_row("", fmt::format("and {} more", rows - kMostRows));
}

}  // namespace

stream::StatsLine stats_line(const stream::RelayStatus& status) {
  const Sums sums = sums_of(status);
  stream::StatsLine line;
  add_passed(line, status);
  line.packets.push_back({"restored", status.restored});
  line.packets.push_back({"sent", sums.packets});
  line.packets.push_back({"not_taken", sums.dropped});
  line.destinations = destinations_json(status);
  line.receivers = receivers_json(status.receivers);
  return line;
}

void report_relayed(const StreamOptions& o, const stream::RelayStatus& status) {
  if (o.json) {
    Json json = Json::object({{"source", o.source}, {"seconds", seconds_of(status)}});
    add_passed(json, status);
    json["packets_restored"] = status.restored;
    json["bursts_spread"] = status.delayed;
    json["returned"] = status.returned;
    if (status.keyless)
      json["without_key"] = Json::object({{"envelopes_lost", status.envelopes_lost},
                                          {"feedback", status.feedback},
                                          {"feedback_passed_on", status.feedback_passed_on},
                                          {"passed_again", status.passed_again},
                                          {"envelope_nacks", status.envelope_nacks},
                                          {"envelopes_requested", status.envelopes_requested}});
    json["destinations"] = destinations_json(status);
    json["receivers"] = receivers_json(status.receivers);
    fmt::print("{}\n", json.text(2));
    return;
  }
  if (!reports()) return;
  print_passed("relayed", status, "receivers");
  if (status.restored > 0) print_row("restored", plural(status.restored, "packet") + " by the sender's parity");
  if (status.keyless)
    print_row("encrypted", fmt::format("{} passed without the key, {} missing; {} of {} of receivers to the sender",
                                       plural(status.passed, "datagram"), status.envelopes_lost,
                                       status.feedback_passed_on, plural(status.feedback, "request")));
  print_destinations(status);
  print_receivers(status.receivers);
}

void RelayDisplay::show(const stream::RelayStatus& status) {
  const SteadyTime now = steady_now();
  if (now < next_) return;
  next_ = now + kShowRelayEvery;
  const Sums sums = sums_of(status);
  line_.show(fmt::format("{}, {} in, {} out, {} resent, {} not taken",
                         plural(status.destinations.size(), "destination"),
                         bit_rate(in_.bits_per_s(status.passed_bytes, now)), bit_rate(out_.bits_per_s(sums.bytes, now)),
                         plural(sums.resent, "packet"), sums.dropped));
}

}  // namespace texcast::cli
