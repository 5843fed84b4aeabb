// serve.cpp — `texcast serve`: passes a stream that comes in, or a recording, on to browsers.
#include <fmt/core.h>

#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "common/service_names.h"
#include "common/unused_options.h"
#include "common/web_gate.h"
#include "live/datagrams.h"
#include "receive/receive_settings.h"
#include "serve/serve_clip.h"
#include "serve/serve_report.h"
#include "stream/receive_texts.h"
#include "stream/stream_gateway.h"
#include "stream/stream_report.h"
#include "texcast/error.h"
#include "textures/stream_format.h"
#include "transport/relay_session.h"

namespace texcast::cli {
namespace {

constexpr nanoseconds kLook = std::chrono::milliseconds(20);
constexpr nanoseconds kAfterTheEnd = std::chrono::seconds(10);  // by then every incomplete frame has timed out

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorKind::usage, message); }

// What `send` compresses is no stream yet.
bool is_input_of_send(const std::string& source) {
  return source == "test" || source == "-" || source.starts_with("screen") || source.starts_with("window:") ||
         source.starts_with("lavfi:") || source.find("::") != std::string::npos;
}

// One source, and one address for any number of browsers.
void check_words(const ServeOptions& o) {
  const std::string& source = o.stream.source;
  const std::string& destination = o.destinations.back();
  if (stream::is_web(source))
    throw_usage(
        fmt::format("'{}' is where browsers watch; give what they watch before it: [ADDR]:PORT, the NAME of a "
                    "sender, pcap:FILE or a texture file",
                    source));
  if (!stream::is_web(destination))
    throw_usage(
        fmt::format("cannot serve to '{0}': give web://:8080, where browsers watch; to send to '{0}', run "
                    "`texcast send`",
                    destination));
  if (o.destinations.size() > 1 && stream::is_web(o.destinations.front()))
    throw_usage("give one web:// address: any number of browsers can watch there");
  if (o.destinations.size() > 1)
    throw_usage(
        fmt::format("{} sources: a page shows one of them; run `texcast serve` for each, with a port of its own "
                    "(web://:8080, web://:8081)",
                    o.destinations.size()));
  std::error_code ignored;
  if (is_input_of_send(source) && !std::filesystem::exists(source, ignored))
    throw_usage(fmt::format("'{0}' has to be compressed first: run `texcast send {0} {1}`", source, destination));
}

// The options with a URL in place of a NAME or of an address without rtp://.
ServeOptions with_source_address(ServeOptions o) {
  o.stream.given = std::make_shared<const StreamOptions>(as_given(o).stream);
  std::error_code ignored;
  if (!std::filesystem::exists(o.stream.source, ignored)) o.stream = with_addresses(std::move(o.stream));
  if (!o.given) return o;
  auto given = std::make_shared<ServeOptions>(*o.given);
  given->stream.source = o.stream.source;
  o.given = std::move(given);
  return o;
}

// Viewers of an encrypted stream get it decrypted, which the user should know.
class SealNews {
 public:
  void tell(const stream::GatewayStatus& status) {
    if (!status.opens_seal || told_) return;
    told_ = true;
    log_info("the stream is encrypted; it is decrypted here, and viewers get it {}",
             is_https_ ? "by HTTPS" : "unencrypted: --web-cert protects it on its way to them");
  }
  explicit SealNews(bool is_https) : is_https_(is_https) {}

 private:
  const bool is_https_;
  bool told_ = false;
};

// Reads a capture up to its first frame, and returns the description of its stream. Throws the Error that says why
// there is none.
transport::StreamDesc stream_in_capture(const StreamOptions& o, const transport::ReceiveSettings& settings) {
  struct Look : stream::DatagramSink {
    explicit Look(const transport::ReceiveSettings& receive) : relay(receive) {}
    void on_datagram(Bytes datagram, const stream::Instant& arrived, const transport::PeerAddress& from) override {
      relay.on_datagram(datagram, arrived.steady, arrived.wall, from);
    }
    transport::RelaySession relay;
  } look(settings);
  const auto capture = stream::open_datagrams(o.source, stream::Pace::unpaced, {}, o.from);
  capture->give_sound_to([](Bytes, const stream::Instant&, const transport::PeerAddress&) {});
  while (!look.relay.stream() && !interrupted() && capture->read(capture->now().steady, look)) continue;
  const stream::Instant last = capture->now();
  look.relay.poll(last.steady + kAfterTheEnd, last.wall);
  if (look.relay.stream()) return *look.relay.stream();
  stream::StreamStatus status;
  status.counters = look.relay.counters();
  status.refusal = look.relay.last_refusal();
  stream::throw_nothing_came(o.source, 0, status);
}

// Throws Error{corrupt} if the stream cannot be shown.
TextureFormat format_of(const transport::StreamDesc& stream) {
  const Result<TextureDesc> texture = stream::texture_of(stream);
  if (!texture) throw Error(ErrorKind::corrupt, texture.error().message);
  return texture->format;
}

// Captures begin when somebody watches, so that the beginning is not lost.
void wait_for_viewer(const web::Stream& stream) {
  if (!stream.has_viewers()) log_info("the capture begins when somebody watches");
  while (!stream.has_viewers() && !interrupted()) std::this_thread::sleep_for(kLook);
}

// `name`: the source as the user gave it.
int serve_stream(const ServeOptions& o, const std::string& name) {
  const StreamOptions& s = o.stream;
  const transport::ReceiveSettings settings = receive_settings(s);
  const bool is_live = stream::is_rtp(s.source);
  std::optional<transport::StreamDesc> expected;
  if (!is_live) expected = stream_in_capture(s, settings);
  stream::StatsLog stats(s.stats_json);
  WebGate gate(o.web, is_name(name) ? name : page_title(s.names), !s.key_file.empty());
  const auto server = gate.listen(o.destinations.front());
  gate.invite();
  std::shared_ptr<web::Stream> offered;
  if (expected) {
    offered = server->add(offer_of(format_of(*expected), !s.no_audio, false));
    wait_for_viewer(*offered);
  }
  auto datagrams = stream::open_datagrams(s.source, stream::Pace::as_captured, s.interface, s.from);
  auto sound = is_live && !s.no_audio ? stream::open_sound_datagrams(s.source, s.interface, s.from) : nullptr;
  const std::vector<std::string> send_to = datagrams->send_to();
  const uint16_t port = datagrams->port();
  if (is_live) log_info("listening on {}; {}", s.source, stream::how_to_send(send_to));
  const auto announcer = announce_player(s, s.source, send_to);
  stream::PictureSender picture;
  stream::ReceptionLog log(picture);
  const SteadyTime begun = steady_now();
  stream::StreamGateway gateway(
      std::move(datagrams), std::move(sound), {.receive = settings, .hears_sound = !s.no_audio, .expected = expected},
      [&](const web::StreamOffer& offer) { return offered ? std::exchange(offered, nullptr) : server->add(offer); },
      log);
  ServeFigures figures(gate);
  SealNews seal(!o.web.certificate.empty());
  const nanoseconds timeout = s.timeout.value_or(nanoseconds::max());
  {
    ServeDisplay display;
    while (!interrupted() && !gateway.ended()) {
      std::this_thread::sleep_for(kLook);
      const stream::GatewayStatus now = gateway.status();
      if (steady_now() - now.received.last_frame.value_or(begun) >= timeout) break;
      seal.tell(now);
      figures.update(now.passed_bytes, steady_now());
      display.show(figures);
      if (stats.due(steady_now())) stats.write(stats_line(now, figures), steady_now());
    }
  }
  const std::vector<web::ViewerStatus> viewers = gate.viewers();
  gateway.stop("the stream has ended");
  const stream::GatewayStatus status = gateway.status();
  stats.write(stats_line(status, figures), steady_now());
  if (status.received.frames == 0 && !interrupted()) stream::throw_nothing_came(s.source, port, status.received);
  report_served(s, status, figures, viewers);
  return 0;
}

}  // namespace

int run_serve(const ServeOptions& given) {
  check_words(given);
  const ServeOptions o = with_source_address(given);
  reject_unused(as_given(o));
  const bool is_stream = stream::is_rtp(o.stream.source) || stream::is_capture(o.stream.source);
  return is_stream ? serve_stream(o, given.stream.source) : serve_clip(o);
}

}  // namespace texcast::cli
