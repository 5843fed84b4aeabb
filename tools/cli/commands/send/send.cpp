// send.cpp — `texcast send`: compresses video and streams it in real time.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "common/latency_figures.h"
#include "common/service_names.h"
#include "common/source_and_encoder.h"
#include "common/unused_options.h"
#include "common/web_gate.h"
#include "send/receiver_reports.h"
#include "send/send_control.h"
#include "send/send_plan.h"
#include "send/send_preset.h"
#include "send/send_sound.h"
#include "send/send_wire.h"
#include "send/web_variants.h"
#include "stream/send_pipeline.h"
#include "stream/stream_report.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/progress.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

using stream::SendReport;
using stream::SentStatus;

stream::StatsLine stats_line(const SendReport& r, const stream::SoundSender* sound, const WebGate& gate) {
  const SentStatus& s = r.sent;
  return {.frames = {{"in", r.frames_in}, {"sent", s.frames}},
          .dropped = {{"device_or_network_busy", r.dropped}, {"nobody_watched", r.unwatched}},
          .packets = {{"sent", s.packets}, {"refused", s.refused}, {"requests", s.requests}, {"again", s.again}},
          .tiles = stream::tile_counts(s),
          .payload_bytes = s.bytes,
          .begun = r.begun,
          .latency = {{"encode", s.encode.milliseconds(0.5), s.encode.milliseconds(0.95)},
                      {"send", s.send.milliseconds(0.5), s.send.milliseconds(0.95)},
                      {"first_packet", s.first.milliseconds(0.5), s.first.milliseconds(0.95)}},
          .playout = {},
          .sound = sound_json(sound),
          .rate_bits_per_s = s.compact ? s.compact->rate_bits_per_s : std::nullopt,
          .crf = s.compact ? s.compact->crf : std::nullopt,
          .receivers = receivers_json(s.receivers),
          .viewers = gate.is_open() ? std::optional(viewers_json(gate.viewers())) : std::nullopt};
}

// "crf 24, 12 Mbit/s at most"; empty for a lossless stream.
std::string lossy_state(const SentStatus& s) {
  if (!s.compact || !s.compact->crf) return "";
  std::string text = fmt::format("crf {:.0f}", *s.compact->crf);
  if (s.compact->rate_bits_per_s) text += fmt::format(", {} at most", bit_rate(*s.compact->rate_bits_per_s));
  return text;
}

// Shows that the stream waits for its kernels: as a status line on a terminal, else as a log line every 5 s. If nothing
// is being compiled, the wait ends before it is shown.
class WaitDisplay {
 public:
  void show(nanoseconds waited) {
    const std::string text = fmt::format("building the kernels: {:.0f} s", std::floor(in_seconds(waited)));
    if (waited >= next_text_) {
      line_.clear();
      log_info("{}", next_text_ == nanoseconds{} ? kFirstText : text);
      next_text_ += kTextEvery;
    }
    line_.show(text);
  }
  void end() { line_.clear(); }

 private:
  static constexpr nanoseconds kTextEvery = std::chrono::seconds(5);
  static constexpr const char* kFirstText =
      "the stream starts when the kernels are built, so that no frame is dropped; --start-when now starts at once";

  StatusLine line_;  // on a terminal
  nanoseconds next_text_{};
};

// How long the first frame may wait for the kernels. A live source does not wait.
nanoseconds longest_wait(const SendOptions& o, const media::FrameSource& source) {
  constexpr nanoseconds kLongestWait = std::chrono::seconds(30);
  return o.start_when == StartWhen::now || source.is_live() ? nanoseconds{} : kLongestWait;
}

std::string destination_list(const SendOptions& o) {
  std::string list;
  for (const std::string& destination : o.destinations) list += (list.empty() ? "" : ", ") + destination;
  return list;
}

// Captures alone are written without pacing, so there is no nominal rate.
std::optional<double> rate_sent(const SendReport& r, double nominal_fps, bool real_time) {
  const SentStatus& s = r.sent;
  if (!s.first_frame) return std::nullopt;
  return frame_rate(s.frames, *s.last_frame - *s.first_frame, real_time ? nominal_fps : 0);
}

void print_report(const SendOptions& o, const transport::WireChoice& wire, const Encoder& encoder, const SendReport& r,
                  double nominal_fps, bool real_time, int64_t unread, const stream::SoundSender* sound,
                  const std::optional<std::vector<web::ViewerStatus>>& viewers) {
  const transport::FecChoice fec = fec_on_wire(wire);
  const SentStatus& s = r.sent;
  const TextureDesc d = encoder.texture_desc();
  const auto fps = rate_sent(r, nominal_fps, real_time);
  const double bits_per_s = r.seconds > 0 ? static_cast<double>(s.bytes) * 8 / r.seconds : 0;
  const double slipped_s = in_seconds(r.slipped), stood_still_s = in_seconds(r.stood_still);
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
                              {"frames_unwatched", r.unwatched},
                              {"frames_unread", unread},
                              {"seconds_behind", slipped_s},
                              {"seconds_stood_still", stood_still_s},
                              {"seconds_waited", in_seconds(r.waited)},
                              {"coding", s.compact ? "compact" : "raw"},
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
      json["latency_ms"]["encode"] = latency_json(s.encode);
      json["latency_ms"]["send"] = latency_json(s.send);
      json["latency_ms"]["first_packet"] = latency_json(s.first);
      json["latency_ms"]["last_packet"] = latency_json(s.last);
      json["bands"] = encoder.bands();
    }
    if (real_time) json["receivers"] = receivers_json(s.receivers);
    if (viewers) json["viewers"] = viewers_json(*viewers);
    for (const auto& [name, value] : stream::tile_counts(s)) json["tiles"][name] = value;
    if (const auto told = sound_json(sound)) json["sound"] = *told;
    if (s.compact) json["latency_ms"]["code"] = latency_json(s.compact->coding);
    if (s.compact && s.compact->rate_bits_per_s) json["rate"] = *s.compact->rate_bits_per_s;
    if (s.compact && s.compact->crf) json["crf"] = *s.compact->crf;
    fmt::print("{}\n", json.text(2));
    return;
  }
  if (!reports()) return;
  print_row("sent", fmt::format("{} in {:.1f} s{}; {} dropped", plural(s.frames, "frame"), r.seconds, rate_text(fps),
                                r.dropped));
  print_row("stream", fmt::format("{}x{} {} {}, {} in {}", d.width, d.height, name(d.format), effort(o.encoding),
                                  real_time ? bit_rate(bits_per_s) : file_size(static_cast<int64_t>(s.bytes)),
                                  plural(s.packets, "packet")));
  if (s.compact && s.frames > 0)
    print_row("coded",
              fmt::format("{} per pixel; tiles: {}", stream::bits_a_pixel(d.width, d.height, s.frames, s.bytes),
                          words(stream::tile_counts(s), 2)));
  if (const std::string loss = lossy_state(s); !loss.empty()) print_row("lossy", loss + " at the end");
  print_sound(sound);
  if (!o.key_file.empty()) print_row("encrypted", std::string(name(wire.crypto)));
  if (fec != transport::FecChoice{}) print_row("FEC", transport::to_string(fec));
  if (s.again > 0) print_row("resent", plural(s.again, "packet") + " that were lost");
  print_row("device", encoder.device_name());
  if (real_time) print_sent_latency(s);
  print_receivers(s.receivers);
  if (viewers) print_viewers(*viewers);
  if (r.unwatched > 0)
    print_row("unwatched", plural(r.unwatched, "frame") + ", which nobody watched, were not encoded");
  if (stood_still_s > 0.05) print_row("suspended", fmt::format("{:.1f} s", stood_still_s));
  if (slipped_s > 0.05)
    print_row("behind",
              fmt::format("{:.1f} s: {} cannot be decoded in real time on this machine", slipped_s, o.input.input));
  if (s.refused > 0)
    print_row("refused", fmt::format("{}: no receiver at {}", plural(s.refused, "packet"), destination_list(o)));
}

std::string watching(size_t viewers) { return viewers == 0 ? "nobody watches" : plural(viewers, "viewer"); }

// For Destinations, which opens web://… addresses through `gate` with the offer of that moment.
stream::NetworkChoice network_choice(const SendOptions& o, WebGate& gate, const web::StreamOffer& offer) {
  return {.interface = o.interface,
          .multicast_ttl = o.ttl.value_or(1),
          .open_web = [&gate, &offer](const std::string& url) { return gate.open(url, offer); },
          .most_viewers = static_cast<size_t>(o.web.most_viewers.value_or(kUsualViewers))};
}

}  // namespace

int run_send(const SendOptions& given) {
  const SendOptions o = with_preset(with_addresses(given));
  check_encoding(o.encoding);
  reject_unused(as_given(o).input);
  reject_unused(as_given(o));
  const stream::SendSettings wire = wire_settings(o);
  const bool compact = is_compact(o, wire);
  const bool is_sealed = wire.wire.crypto != transport::CryptoChoice::none;
  WebGate gate(o.web, page_title(o.names), is_sealed);
  web::StreamOffer offer = offer_of(o.encoding.format, false, is_sealed);
  stream::Destinations destinations(o.destinations, network_choice(o, gate, offer),
                                    wire.wire.crypto != transport::CryptoChoice::texcast, o.if_exists,
                                    stream::coding_of(wire, o.encoding.format));
  reject_unused(as_given(o), destinations);
  if (!destinations.real_time() && !o.input.frames && !o.input.duration && (o.input.loop || o.input.input == "test"))
    throw Error(ErrorKind::usage, "an endless input into a capture would fill the disk; give --frames or --duration");
  const bool overlay = compact && destinations.real_time();
  const auto source = open_input(o.input, as_given(o).input, o.encoding.format,
                                 {.usual_cursor = overlay ? screen::CursorMode::overlay : screen::CursorMode::picture,
                                  .follows_changes = true,
                                  .sound = o.audio != SentAudio::none && o.audio_source.empty()});
  reject_unused(as_given(o), *source);
  const double fps = nominal_fps(o.input, *source);
  // Loading the OpenCL driver takes a while.
  log_info("preparing to encode {}x{} as {}", source->format().width, source->format().height, name(o.encoding.format));
  const SendPlan plan(o, wire, destinations, fps);
  auto encoder = plan.make_encoder(plan.choice(), source->format(), usual_start(o.encoding));
  const EndsHereIfInterrupted ends_before_encoder;
  source->decode_into(encoder->frame_pool());
  stream::StatsLog stats(o.stats_json);

  const TextureDesc d = encoder->texture_desc();
  const stream::SendSettings settings = plan.settings(d);
  log_info("sending {}x{} {} ({}) at {:.4g} fps to {}, encoded on {}", d.width, d.height, name(d.format),
           compact ? "coded" : "raw", fps, destination_list(o), encoder->device_name());
  log_drawbacks(o, d, fps);
  if (transport::is_ultragrid(o.fec) && !format_row(d.format).ultragrid_shows)
    log_warning("--fec {2} is for UltraGrid receivers, which show {0}, not {1}", ultragrid_formats(), name(d.format),
                transport::to_string(o.fec));
  stream::Steering steering;
  const stream::Changeable changeable{.plan = plan, .encoder = encoder, .steering = &steering};
  WebVariants variants(o, gate, fps);
  const auto sound = open_sound(o, *source, destinations, settings, variants.streams());
  variants.offer(sound != nullptr, is_sealed);
  offer.has_sound = sound != nullptr;
  gate.change(offer);
  SendReport report;
  steering.publish({.texture = d,
                    .choice = plan.choice(),
                    .device = encoder->device_name(),
                    .rate_bits_per_s = settings.rate_bits_per_s,
                    .crf = settings.compact.crf,
                    .bitrate = settings.compact.bitrate,
                    .destinations = o.destinations});
  AnnouncedSender announced(o.names, o.interface);
  const auto announce = [&](const stream::SendState& now) {
    announced.tell({.texture = now.texture,
                    .fps = fps,
                    .compact = stream::goes_compact(wire, now.texture.format),
                    .crypto = settings.wire.crypto,
                    .sound = sound ? sound->sent().coding : "",
                    .paused = now.paused,
                    .rate_bits_per_s = now.rate_bits_per_s,
                    .destinations = destinations.resolved()});
  };
  announce(steering.state());
  const auto line = [&](const SendReport& now) { return stats_line(now, sound.get(), gate); };
  SendControl control(o, steering, line);
  steering.on_state([&](const stream::SendState& before, const stream::SendState& now) {
    announce(now);
    if (now.texture.format != before.texture.format) {
      offer = offer_of(now.texture.format, sound != nullptr, is_sealed);
      gate.change(offer);
    }
    if (now.texture != before.texture) log_drawbacks(o, now.texture, fps);
    control.tell_changes(before, now);
  });
  gate.invite();
  {
    Progress progress("sending", expected_frames(o.input, *source));
    if (destinations.real_time()) progress.expect_rate(fps);
    WaitDisplay wait;
    report = stream::send_stream(
        *source, *encoder, destinations, settings, interrupt_flag(),
        [&](const SendReport& now) {
          std::string news = lossy_state(now.sent);
          if (now.dropped > 0) news += fmt::format("{}{} dropped", news.empty() ? "" : "; ", now.dropped);
          if (gate.is_open()) news += fmt::format("{}{}", news.empty() ? "" : "; ", watching(destinations.viewers()));
          progress.update(static_cast<int64_t>(now.sent.frames + now.unwatched), news);
          // The first line after a whole second of the stream, which may have waited for its
          // kernels.
          if (now.seconds >= 1 && stats.due(steady_now())) stats.write(line(now), steady_now());
          control.tell(now);
        },
        o.input.frames, &changeable, sound.get(),
        {.at_most = longest_wait(o, *source),
         .on_wait = [&](nanoseconds waited) { wait.show(waited); },
         .on_end = [&] { wait.end(); }},
        variants.plans());
  }
  if (!interrupted()) control.tell_end();
  stats.write(line(report), steady_now());
  destinations.finish_captures();
  const auto viewers = gate.is_open() ? std::optional(gate.viewers()) : std::nullopt;
  destinations.end();  // a signal ends the process before the destructors
  gate.close();
  const auto unread = source->damaged_frames();
  print_report(o, settings.wire, *encoder, report, fps, destinations.real_time(), unread, sound.get(), viewers);
  throw_if_damaged(o.input.input, unread, source->first_damage());
  return 0;
}

}  // namespace texcast::cli
