// send.cpp — `texcast send`: compress and stream, in real time.
#include <fmt/core.h>

#include <algorithm>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "compact_cl/device_decider.h"
#include "encoding.h"
#include "idle_options.h"
#include "send_wire.h"
#include "stream/send_pipeline.h"
#include "stream/stream_report.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/progress.h"

namespace texcast::cli {
namespace {

using stream::SendReport;
using stream::SentStatus;

Json receiver_json(const transport::ReceiverOpinion& r) {
  Json json = Json::object({{"address", r.address},
                            {"left", r.left},
                            {"packets_lost", r.lost},
                            {"loss", r.loss},
                            {"jitter_ms", r.jitter_ms}});
  if (r.round_trip_ms) json["round_trip_ms"] = *r.round_trip_ms;
  return json;
}

Json receivers_json(const SentStatus& s) {
  Json receivers = Json::array();
  for (const auto& receiver : s.receivers) receivers.push(receiver_json(receiver));
  return receivers;
}

stream::StatsLine stats_line(const SendReport& r) {
  const SentStatus& s = r.sent;
  return {.frames = {{"in", r.frames_in}, {"sent", s.frames}},
          .dropped = {{"device_or_network_busy", r.dropped}},
          .packets = {{"sent", s.packets}, {"refused", s.refused}, {"requests", s.requests}, {"again", s.again}},
          .tiles = stream::tile_counts(s),
          .payload_bytes = s.bytes,
          .latency = {{"encode", s.encode.milliseconds(0.5), s.encode.milliseconds(0.95)},
                      {"send", s.send.milliseconds(0.5), s.send.milliseconds(0.95)},
                      {"first_packet", s.first.milliseconds(0.5), s.first.milliseconds(0.95)}},
          .playout = {},
          .receivers = receivers_json(s)};
}

// A size that was asked for is that or an error.
int packet_bytes(const SendOptions& o, const stream::Destinations& destinations) {
  const int path = destinations.path_mtu();
  if (!o.mtu) return destinations.usual_mtu();
  if (path > 0 && *o.mtu > path)
    throw Error(
        ErrorKind::usage,
        fmt::format("packets of {} bytes do not fit on the way there, which takes {}; give --mtu {}, or enlarge "
                    "it at both ends (ip link set INTERFACE mtu {})",
                    *o.mtu, path, path, *o.mtu));
  return *o.mtu;
}

std::string destination_list(const SendOptions& o) {
  std::string list;
  for (const std::string& destination : o.destinations) list += (list.empty() ? "" : ", ") + destination;
  return list;
}

void print_receiver(const transport::ReceiverOpinion& r) {
  const std::string trip = r.round_trip_ms ? fmt::format(", round trip {:.2f} ms", *r.round_trip_ms) : "";
  print_row("receiver",
            fmt::format("{}{}: {} lost ({:.2f} % of late), jitter {:.2f} ms{}", r.address, r.left ? " (left)" : "",
                        plural(static_cast<uint64_t>(std::max<int64_t>(r.lost, 0)), "packet"), r.loss * 100,
                        r.jitter_ms, trip));
}

// A capture alone is written as fast as it goes.
std::optional<double> rate_sent(const SendReport& r, double nominal_fps, bool real_time) {
  const SentStatus& s = r.sent;
  if (!s.first_frame) return std::nullopt;
  return frame_rate(s.frames, *s.last_frame - *s.first_frame, real_time ? nominal_fps : 0);
}

void print_report(const SendOptions& o, const transport::WireChoice& wire, const Encoder& encoder, const SendReport& r,
                  double nominal_fps, bool real_time, int64_t unread) {
  const transport::FecChoice fec = fec_on_wire(wire);
  const SentStatus& s = r.sent;
  const TextureDesc d = encoder.texture_desc();
  const auto fps = rate_sent(r, nominal_fps, real_time);
  const double bits_per_s = r.seconds > 0 ? static_cast<double>(s.bytes) * 8 / r.seconds : 0;
  const double slipped_s = in_seconds(r.slipped);
  if (o.json) {
    Json json = Json::object({{"input", o.input.input},
                              {"destinations", o.destinations},
                              {"format", name(d.format)},
                              {"quality", effort(o.encoding)},
                              {"width", d.width},
                              {"height", d.height},
                              {"frames_in", r.frames_in},
                              {"frames_sent", s.frames},
                              {"frames_dropped", r.dropped},
                              {"frames_unread", unread},
                              {"seconds_behind", slipped_s},
                              {"coding", s.compact ? "compact" : "plain"},
                              {"crypto", name(wire.crypto)},
                              {"packets", s.packets},
                              {"packets_refused", s.refused},
                              {"packets_requests", s.requests},
                              {"packets_again", s.again},
                              {"bytes", s.bytes},
                              {"seconds", r.seconds},
                              {"fps", fps ? Json(*fps) : Json()},
                              {"bits_per_s", bits_per_s},
                              {"fec", transport::to_string(fec)},
                              {"device", encoder.device_name()}});
    if (real_time) {
      json["latency_ms"]["encode"] =
          Json::object({{"p50", s.encode.milliseconds(0.5)}, {"p95", s.encode.milliseconds(0.95)}});
      json["latency_ms"]["send"] =
          Json::object({{"p50", s.send.milliseconds(0.5)}, {"p95", s.send.milliseconds(0.95)}});
      json["latency_ms"]["first_packet"] =
          Json::object({{"p50", s.first.milliseconds(0.5)}, {"p95", s.first.milliseconds(0.95)}});
      json["latency_ms"]["last_packet"] =
          Json::object({{"p50", s.last.milliseconds(0.5)}, {"p95", s.last.milliseconds(0.95)}});
      json["bands"] = encoder.bands();
    }
    if (real_time) json["receivers"] = receivers_json(s);
    for (const auto& [name, value] : stream::tile_counts(s)) json["tiles"][name] = value;
    if (s.compact)
      json["latency_ms"]["code"] =
          Json::object({{"p50", s.compact->coding.milliseconds(0.5)}, {"p95", s.compact->coding.milliseconds(0.95)}});
    fmt::print("{}\n", json.text(2));
    return;
  }
  print_row("sent", fmt::format("{} in {:.1f} s{}; {} dropped", plural(s.frames, "frame"), r.seconds, rate_text(fps),
                                r.dropped));
  print_row("stream", fmt::format("{}x{} {} {}, {} in {}", d.width, d.height, name(d.format), effort(o.encoding),
                                  real_time ? megabits(bits_per_s) : file_size(static_cast<int64_t>(s.bytes)),
                                  plural(s.packets, "packet")));
  if (s.compact && s.frames > 0)
    print_row("compact",
              fmt::format("{} a pixel; tiles: {}", stream::bits_a_pixel(d.width, d.height, s.frames, s.bytes),
                          words(stream::tile_counts(s), 2)));
  if (!o.key_file.empty()) print_row("encrypted", std::string(name(wire.crypto)));
  if (fec != transport::FecChoice{}) print_row("protected", "against loss: " + transport::to_string(fec));
  if (s.again > 0) print_row("again", plural(s.again, "packet") + " that got lost on the way");
  print_row("device", encoder.device_name());
  if (real_time)
    print_row("latency",
              fmt::format("encode {:.1f} / {:.1f} ms, send {:.1f} / {:.1f} ms (p50 / p95)", s.encode.milliseconds(0.5),
                          s.encode.milliseconds(0.95), s.send.milliseconds(0.5), s.send.milliseconds(0.95)));
  for (const auto& receiver : s.receivers) print_receiver(receiver);
  if (slipped_s > 0.05)
    print_row("behind", fmt::format("{:.1f} s: {} cannot be decoded in real time here", slipped_s, o.input.input));
  if (s.refused > 0)
    print_row("refused", fmt::format("{}: nobody listened at {}", plural(s.refused, "packet"), destination_list(o)));
}

}  // namespace

int run_send(const SendOptions& o) {
  check_encoding(o.encoding);
  refuse_idle(o.input);
  refuse_idle(o);
  stream::SendSettings settings = wire_settings(o);
  const bool compact = is_compact(o, settings);
  stream::Destinations destinations(o.destinations, {.interface = o.interface, .multicast_ttl = o.ttl.value_or(1)},
                                    settings.wire.crypto != transport::CryptoChoice::texcast, o.if_exists, compact);
  refuse_idle(o, destinations);
  const int mtu = packet_bytes(o, destinations);
  if (!destinations.real_time() && !o.input.frames && (o.input.loop || o.input.input == "test"))
    throw Error(ErrorKind::usage,
                "this would fill the disk: the input has no end and nothing slows it down; give --frames");
  const auto source = open_input(o.input, o.encoding.format);
  const auto encoder = open_encoder(o.encoding, *source, destinations.real_time() ? o.bands : 1, compact);
  const double fps = nominal_fps(o.input, *source);
  stream::StatsLog stats(o.stats_json);

  const TextureDesc d = encoder->texture_desc();
  choose_fec(settings, o, d);
  settings.fps = fps;
  settings.mtu = mtu;
  settings.spread = o.spread.value_or(destinations.usual_spread());
  settings.rate_bits_per_s = o.rate_bits_per_s;
  if (compact) settings.compact.device = compact_cl::usual_device(o.encoding.device);
  log_info("sending {}x{} {}, {}, at {:.4g} frames a second to {} ({})", d.width, d.height, name(d.format),
           compact ? "compact" : "plain", fps, destination_list(o), encoder->device_name());
  if (transport::is_ultragrid(o.fec) && !format_row(d.format).ultragrid_shows)
    log_warning("stock UltraGrid receivers show {}, not {}; --fec {} is meant for them", ultragrid_formats(),
                name(d.format), transport::to_string(o.fec));
  SendReport report;
  {
    Progress progress("sending", expected_frames(o.input, *source));
    if (destinations.real_time()) progress.expect_rate(fps);
    report = stream::send_stream(
        *source, *encoder, destinations, settings, interrupt_flag(),
        [&](const SendReport& now) {
          progress.update(static_cast<int64_t>(now.sent.frames),
                          now.dropped > 0 ? fmt::format("{} dropped", now.dropped) : "");
          if (stats.due(steady_now())) stats.write(stats_line(now), steady_now());
        },
        o.input.frames);
  }
  stats.write(stats_line(report), steady_now());
  destinations.finish_captures();
  const auto unread = source->damaged_frames();
  print_report(o, settings.wire, *encoder, report, fps, destinations.real_time(), unread);
  throw_if_damaged(o.input.input, unread, source->first_damage());
  return 0;
}

}  // namespace texcast::cli
