#include "send/receiver_reports.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "text/figures.h"

namespace texcast::cli {

Json receivers_json(std::span<const transport::ReceiverOpinion> receivers) {
  Json list = Json::array();
  for (const auto& r : receivers) {
    Json json = Json::object({{"address", r.address},
                              {"left", r.left},
                              {"packets_lost", r.lost},
                              {"loss", r.loss},
                              {"jitter_ms", r.jitter_ms}});
    if (r.round_trip_ms) json["round_trip_ms"] = *r.round_trip_ms;
    list.push(json);
  }
  return list;
}

void print_receivers(std::span<const transport::ReceiverOpinion> receivers) {
  for (const auto& r : receivers) {
    const std::string trip = r.round_trip_ms ? fmt::format(", round trip {:.2f} ms", *r.round_trip_ms) : "";
    print_row("receiver",
              fmt::format("{}{}: {} lost ({:.2f} % recently), jitter {:.2f} ms{}", r.address, r.left ? " (left)" : "",
                          plural(static_cast<uint64_t>(std::max<int64_t>(r.lost, 0)), "packet"), r.loss * 100,
                          r.jitter_ms, trip));
  }
}

}  // namespace texcast::cli
