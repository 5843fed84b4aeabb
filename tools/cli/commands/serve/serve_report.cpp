#include "serve/serve_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/passed_report.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

constexpr nanoseconds kShowEvery = std::chrono::milliseconds(250);

// The part of the report that streams and recordings share.
Json report_json(const StreamOptions& o, const ServeFigures& figures, const std::vector<web::ViewerStatus>& viewers,
                 double seconds) {
  return Json::object({{"source", o.source},
                       {"seconds", seconds},
                       {"most_viewers", figures.most_viewers()},
                       {"viewers", viewers_json(viewers)}});
}

void print_audience(const ServeFigures& figures, const std::vector<web::ViewerStatus>& viewers) {
  print_row("viewers", figures.most_viewers() == 0 ? std::string("nobody watched")
                                                   : fmt::format("{} at most", figures.most_viewers()));
  print_viewers(viewers);
}

}  // namespace

void ServeFigures::update(uint64_t bytes_in, SteadyTime now) {
  uint64_t bytes_out = 0;
  viewers_ = 0;
  dropped_ = 0;
  for (const web::ViewerStatus& viewer : gate_.viewers()) {
    ++viewers_;
    bytes_out += viewer.sent_bytes;
    dropped_ += viewer.dropped_datagrams;
  }
  most_ = std::max(most_, viewers_);
  in_rate_ = in_.bits_per_s(bytes_in, now);
  out_rate_ = out_.bits_per_s(bytes_out, now);
}

std::string ServeFigures::text() const {
  return fmt::format("{}, {} in, {} out, {} dropped", plural(viewers_, "viewer"), bit_rate(in_rate_),
                     bit_rate(out_rate_), plural(dropped_, "datagram"));
}

Json ServeFigures::json() const {
  return Json::object({{"watching", viewers_}, {"bits_per_s_out", out_rate_}, {"datagrams_dropped", dropped_}});
}

void ServeDisplay::show(const ServeFigures& figures) {
  const SteadyTime now = steady_now();
  if (now < next_) return;
  next_ = now + kShowEvery;
  line_.show(figures.text());
}

stream::StatsLine stats_line(const stream::GatewayStatus& status, const ServeFigures& figures) {
  stream::StatsLine line;
  add_passed(line, status);
  line.viewers = figures.json();
  return line;
}

stream::StatsLine stats_line(const stream::ClipReport& report, const ServeFigures& figures) {
  const stream::SentStatus& s = report.sent;
  return {
      .frames = {{"sent", s.frames}},
      .dropped = {{"too_late", report.overtaken}, {"nobody_watched", report.unwatched}, {"damaged", report.damaged}},
      .packets = {{"sent", s.packets}, {"requests", s.requests}, {"again", s.again}},
      .tiles = stream::tile_counts(s),
      .payload_bytes = s.bytes,
      .latency = {},
      .playout = {},
      .viewers = figures.json()};
}

void report_served(const StreamOptions& o, const stream::GatewayStatus& status, const ServeFigures& figures,
                   const std::vector<web::ViewerStatus>& viewers) {
  if (o.json) {
    Json json = report_json(o, figures, viewers, seconds_of(status));
    add_passed(json, status);
    json["decrypted"] = status.opens_seal;
    fmt::print("{}\n", json.text(2));
    return;
  }
  if (!reports()) return;
  print_passed("served", status, "viewers");
  print_audience(figures, viewers);
}

void report_served(const StreamOptions& o, const media::ClipInfo& clip, const stream::ClipReport& report,
                   const ServeFigures& figures, const std::vector<web::ViewerStatus>& viewers) {
  const stream::SentStatus& s = report.sent;
  const TextureDesc& d = clip.texture;
  if (o.json) {
    Json json = report_json(o, figures, viewers, report.seconds);
    json["format"] = name(d.format);
    json["width"] = d.width;
    json["height"] = d.height;
    json["coding"] = s.compact ? "compact" : "raw";
    json["frames_sent"] = s.frames;
    json["frames_too_late"] = report.overtaken;
    json["frames_unwatched"] = report.unwatched;
    json["frames_damaged"] = report.damaged;
    json["packets"] = s.packets;
    json["packets_again"] = s.again;
    json["bytes"] = s.bytes;
    for (const auto& [name, value] : stream::tile_counts(s)) json["tiles"][name] = value;
    fmt::print("{}\n", json.text(2));
    return;
  }
  if (!reports()) return;
  print_row("served", fmt::format("{} in {:.1f} s; {} too late, {} that nobody watched", plural(s.frames, "frame"),
                                  report.seconds, report.overtaken, report.unwatched));
  print_row("stream", fmt::format("{}x{} {}, {} in {}", d.width, d.height, name(d.format),
                                  file_size(static_cast<int64_t>(s.bytes)), plural(s.packets, "packet")));
  if (report.damaged > 0) print_row("damaged", plural(report.damaged, "frame") + ": " + report.first_damage);
  print_audience(figures, viewers);
}

}  // namespace texcast::cli
