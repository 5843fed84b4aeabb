// relay.cpp — `texcast relay`: passes a stream that comes in on to other receivers.
#include <fmt/core.h>
#include <sys/resource.h>

#include <thread>
#include <utility>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "common/service_names.h"
#include "common/unused_options.h"
#include "live/audio_receiver.h"
#include "live/datagrams.h"
#include "receive/receive_settings.h"
#include "relay/relay_control.h"
#include "relay/relay_loops.h"
#include "relay/relay_report.h"
#include "stream/receive_texts.h"
#include "stream/stream_relay.h"
#include "stream/stream_report.h"
#include "texcast/error.h"
#include "textures/stream_format.h"

namespace texcast::cli {
namespace {

constexpr nanoseconds kRelayLook = std::chrono::milliseconds(20);

[[noreturn]] void reject_words(const std::string& message) { throw Error(ErrorKind::usage, message); }

void check_words(const RelayOptions& o) {
  if (!stream::is_rtp(o.stream.source) && !stream::is_capture(o.stream.source))
    reject_words(
        fmt::format("cannot relay '{}'; give [ADDR]:PORT, the NAME of a sender, or pcap:FILE", o.stream.source));
  for (const std::string& destination : o.destinations) {
    if (stream::is_web(destination))
      reject_words(fmt::format("'{0}' is for browsers: run `texcast serve {1} {0}`", destination, o.stream.source));
    if (!stream::is_rtp(destination))
      reject_words(
          fmt::format("cannot relay to '{}'; give HOST:PORT, rtp://GROUP:PORT or the NAME of a player", destination));
  }
}

// A relay cannot seal for the sender, so it changes nothing in encrypted streams.
void check_hop(const RelayOptions& o) {
  const RelayOptions& given = as_given(o);
  if (given.stream.key_file.empty() || (!given.fec && !given.retransmit)) return;
  throw Error(ErrorKind::usage,
              "--fec and --retransmit are for streams that are not encrypted: leave out --key-file, "
              "or give them to `texcast send`");
}

RelayOptions with_addresses_of(RelayOptions o) {
  o.stream.given = std::make_shared<const StreamOptions>(as_given(o).stream);
  o.stream = with_addresses(std::move(o.stream));
  name_destinations(o.destinations, true);
  return o;
}

std::optional<double> parity_of(const std::optional<transport::FecChoice>& fec) {
  if (!fec) return std::nullopt;
  if (fec->kind == transport::FecKind::none) return 0;
  return fec->kind == transport::FecKind::parity ? fec->percent : transport::kUsualParityPercent;
}

stream::StreamRelaySettings settings_of(const RelayOptions& o) {
  return {.receive = receive_settings(o.stream),
          .hop = {.parity_percent = parity_of(o.fec), .answers = o.retransmit},
          .report = o.report.value_or(transport::ReportChoice::median),
          .network = {.interface = {},
                      .multicast_ttl = o.ttl.value_or(1),
                      .hears_groups = true,
                      .patience = nanoseconds{},
                      .most_receivers = 4096},
          .hears_sound = !o.stream.no_audio};
}

// Each destination takes four descriptors, and shells usually allow 1024.
void allow_many_sockets() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Announces the stream under the relay's own name, and follows its changes.
class RelayAnnouncement {
 public:
  RelayAnnouncement(const RelayOptions& o, stream::StreamRelay& relay)
      : has_key_(!o.stream.key_file.empty()), relay_(relay), announced_(o.stream.names, {}) {}
  void tell(const stream::RelayStatus& now) {
    if (now.passed == 0 || (now.received.stream == told_ && now.destinations.size() == destinations_)) return;
    told_ = now.received.stream;
    destinations_ = now.destinations.size();
    AnnouncedStream stream{.destinations = relay_.resolved()};
    if (now.keyless || has_key_) stream.crypto = transport::CryptoChoice::texcast;
    if (told_) {
      if (const Result<TextureDesc> texture = stream::texture_of(*told_)) stream.texture = *texture;
      stream.fps = told_->fps;
      stream.compact = told_->compact();
    }
    announced_.tell(stream);
  }

 private:
  const bool has_key_;
  stream::StreamRelay& relay_;
  AnnouncedSender announced_;
  std::optional<transport::StreamDesc> told_;
  size_t destinations_ = 0;
};

// News for the user, each once.
class RelayWarnings {
 public:
  explicit RelayWarnings(bool has_parity) : has_parity_(has_parity) {}
  void tell(const stream::RelayStatus& now) {
    if (now.keyless && !std::exchange(told_keyless_, true))
      log_info(
          "the stream is encrypted, and there is no key: its datagrams pass as they are; the relay repairs losses "
          "behind it, and the sender those before it, at the receivers' request");
    if (now.keyless && has_parity_ && !std::exchange(told_unchanged_, true))
      log_warning("--fec has no effect: the stream is encrypted");
    if (now.returned > 0 && !std::exchange(told_returned_, true))
      log_warning(
          "the relay's own stream comes back to it: one of the destinations sends it here again; these "
          "datagrams are not passed on");
  }

 private:
  const bool has_parity_;
  bool told_keyless_ = false, told_unchanged_ = false, told_returned_ = false;
};

}  // namespace

int run_relay(const RelayOptions& given) {
  allow_many_sockets();
  const RelayOptions o = with_addresses_of(given);
  const StreamOptions& s = o.stream;
  check_words(o);
  check_hop(o);
  reject_unused(as_given(s));
  const bool is_live = stream::is_rtp(s.source);
  const stream::StreamRelaySettings settings = settings_of(o);
  stream::StatsLog stats(s.stats_json);
  auto datagrams = stream::open_datagrams(s.source, stream::Pace::as_captured, s.interface, s.from);
  auto sound = is_live && !s.no_audio ? stream::open_sound_datagrams(s.source, s.interface, s.from) : nullptr;
  const std::vector<std::string> send_to = datagrams->send_to();
  const uint16_t port = datagrams->port();
  for (const std::string& destination : o.destinations) reject_loop(s.source, port, destination);
  stream::PictureSender picture;
  stream::ReceptionLog log(picture);
  const SteadyTime begun = steady_now();
  stream::StreamRelay relay(std::move(datagrams), std::move(sound), o.destinations, settings, log);
  if (is_live) log_info("listening on {}; {}", s.source, stream::how_to_send(send_to));
  const auto announcer = announce_player(s, s.source, send_to);
  RelayAnnouncement announcement(o, relay);
  RelayWarnings warnings(o.fec.has_value());
  RelayControl control(o, port, relay, [&] { return stats_line(relay.status()); });
  const nanoseconds timeout = s.timeout.value_or(nanoseconds::max());
  {
    RelayDisplay display;
    while (!interrupted() && !relay.ended()) {
      std::this_thread::sleep_for(kRelayLook);
      const stream::RelayStatus now = relay.status();
      if (steady_now() - now.received.last_frame.value_or(begun) >= timeout) break;
      display.show(now);
      control.serve(now);
      announcement.tell(now);
      warnings.tell(now);
      if (stats.due(steady_now())) stats.write(stats_line(now), steady_now());
    }
  }
  relay.stop();
  const stream::RelayStatus status = relay.status();
  control.serve(status);
  stats.write(stats_line(status), steady_now());
  if (!interrupted()) control.tell_end();
  if (status.passed == 0 && !interrupted()) stream::throw_nothing_came(s.source, port, status.received);
  report_relayed(s, status);
  return 0;
}

}  // namespace texcast::cli
