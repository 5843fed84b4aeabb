// relay.cpp — `texcast relay`: passes a stream that comes in on to other receivers.
#include <fmt/core.h>

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
#include "relay/relay_report.h"
#include "stream/receive_texts.h"
#include "stream/stream_relay.h"
#include "stream/stream_report.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

constexpr nanoseconds kRelayLook = std::chrono::milliseconds(20);

[[noreturn]] void reject_words(const std::string& message) { throw Error(ErrorKind::usage, message); }

void check_words(const RelayOptions& o) {
  if (!stream::is_rtp(o.stream.source) && !stream::is_capture(o.stream.source))
    reject_words(fmt::format("cannot relay '{}'; give [ADDR]:PORT, the NAME of a sender, or pcap:FILE", o.stream.source));
  for (const std::string& destination : o.destinations) {
    if (stream::is_web(destination))
      reject_words(fmt::format("'{0}' is for browsers: run `texcast serve {1} {0}`", destination, o.stream.source));
    if (!stream::is_rtp(destination))
      reject_words(fmt::format("cannot relay to '{}'; give HOST:PORT, rtp://GROUP:PORT or the NAME of a player",
                              destination));
  }
}

RelayOptions with_addresses_of(RelayOptions o) {
  o.stream.given = std::make_shared<const StreamOptions>(as_given(o).stream);
  o.stream = with_addresses(std::move(o.stream));
  name_destinations(o.destinations, true);
  return o;
}

stream::StreamRelaySettings settings_of(const RelayOptions& o) {
  return {.receive = receive_settings(o.stream),
          .network = {.interface = {},
                      .multicast_ttl = o.ttl.value_or(1),
                      .hears_groups = true,
                      .patience = nanoseconds{},
                      .most_receivers = 4096},
          .hears_sound = !o.stream.no_audio};
}

}  // namespace

int run_relay(const RelayOptions& given) {
  const RelayOptions o = with_addresses_of(given);
  const StreamOptions& s = o.stream;
  check_words(o);
  reject_unused(as_given(s));
  const bool is_live = stream::is_rtp(s.source);
  const stream::StreamRelaySettings settings = settings_of(o);
  stream::StatsLog stats(s.stats_json);
  auto datagrams = stream::open_datagrams(s.source, stream::Pace::as_captured, s.interface, s.from);
  auto sound = is_live && !s.no_audio ? stream::open_sound_datagrams(s.source, s.interface, s.from) : nullptr;
  const std::vector<std::string> send_to = datagrams->send_to();
  const uint16_t port = datagrams->port();
  stream::PictureSender picture;
  stream::ReceptionLog log(picture);
  const SteadyTime begun = steady_now();
  stream::StreamRelay relay(std::move(datagrams), std::move(sound), o.destinations, settings, log);
  if (is_live) log_info("listening on {}; {}", s.source, stream::how_to_send(send_to));
  const auto announcer = announce_player(s, s.source, send_to);
  RelayControl control(o, relay, [&] { return stats_line(relay.status()); });
  const nanoseconds timeout = s.timeout.value_or(nanoseconds::max());
  {
    RelayDisplay display;
    while (!interrupted() && !relay.ended()) {
      std::this_thread::sleep_for(kRelayLook);
      const stream::RelayStatus now = relay.status();
      if (steady_now() - now.received.last_frame.value_or(begun) >= timeout) break;
      display.show(now);
      control.serve(now);
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
