// relay_report.h — the figures of `relay`: on the screen, in --stats-json and --json, and as the report.
#pragma once

#include <string>

#include "cli/options.h"
#include "stream/rate_meter.h"
#include "stream/stream_relay.h"
#include "stream/stream_report.h"
#include "text/json_text.h"
#include "text/progress.h"

namespace texcast::cli {

stream::StatsLine stats_line(const stream::RelayStatus& status);
// Prints the report.
void report_relayed(const StreamOptions& options, const stream::RelayStatus& status);

// The figures as a line on a terminal, four times a second.
class RelayDisplay {
 public:
  void show(const stream::RelayStatus& status);

 private:
  StatusLine line_;
  stream::RateMeter in_{steady_now()}, out_{steady_now()};
  SteadyTime next_{};
};

}  // namespace texcast::cli
