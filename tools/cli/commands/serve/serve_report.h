// serve_report.h — the figures of `serve`: on the screen, in --stats-json and --json, and as the report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.h"
#include "common/web_gate.h"
#include "stream/clip_sender.h"
#include "stream/rate_meter.h"
#include "stream/stream_gateway.h"
#include "stream/stream_report.h"
#include "text/json_text.h"
#include "text/progress.h"

namespace texcast::cli {

// Figures of all viewers together, and of the source.
class ServeFigures {
 public:
  // `gate` must outlive this.
  explicit ServeFigures(const WebGate& gate) : gate_(gate) {}
  // `bytes_in`: so far.
  void update(uint64_t bytes_in, SteadyTime now);
  size_t viewers() const { return viewers_; }    // now
  size_t most_viewers() const { return most_; }  // at the same time
  uint64_t dropped() const { return dropped_; }  // datagrams to viewers that are here now
  double in_bits_per_s() const { return in_rate_; }
  double out_bits_per_s() const { return out_rate_; }
  Json json() const;         // the same, for statistics
  std::string text() const;  // "3 viewers, 12.3 Mbit/s in, 36.9 Mbit/s out, 0 datagrams dropped"

 private:
  const WebGate& gate_;
  size_t viewers_ = 0, most_ = 0;
  uint64_t dropped_ = 0;
  stream::RateMeter in_{steady_now()}, out_{steady_now()};
  double in_rate_ = 0, out_rate_ = 0;
};

// The figures as a line on a terminal, four times a second.
class ServeDisplay {
 public:
  void show(const ServeFigures& figures);

 private:
  StatusLine line_;
  SteadyTime next_{};
};

stream::StatsLine stats_line(const stream::GatewayStatus& status, const ServeFigures& figures);
stream::StatsLine stats_line(const stream::ClipReport& report, const ServeFigures& figures);

// Prints the report. `viewers`: as of the end.
void report_served(const StreamOptions& options, const stream::GatewayStatus& status, const ServeFigures& figures,
                   const std::vector<web::ViewerStatus>& viewers);
void report_served(const StreamOptions& options, const media::ClipInfo& clip, const stream::ClipReport& report,
                   const ServeFigures& figures, const std::vector<web::ViewerStatus>& viewers);

}  // namespace texcast::cli
