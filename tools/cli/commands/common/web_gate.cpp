#include "common/web_gate.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/log.h"
#include "common/port_user.h"
#include "common/qr_code.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/qr_lines.h"
#include "text/verbosity.h"
#include "transport/address.h"
#include "transport/key_file.h"
#include "transport/service.h"
#include "transport/web_certificate.h"
#include "web/page.h"

namespace texcast::cli {
namespace {

[[noreturn]] void throw_bad_address(const std::string& url, const char* why) {
  throw Error(ErrorKind::usage,
              fmt::format("invalid address '{}': {}; give web://:PORT for all addresses of this machine, or "
                          "web://ADDRESS:PORT",
                          url, why));
}

bool is_loopback(const WebAddress& address) {
  return !address.host.empty() &&
         transport::resolve_address(fmt::format("rtp://{}:{}", address.host, address.port), true).loopback;
}

// Whether only this machine reaches it.
bool is_local(const web::Server& server) {
  const std::string url = server.urls().front();
  return std::ranges::any_of(std::array{"//localhost", "//127.", "//[::1]"},
                             [&](const char* host) { return url.find(host) != std::string::npos; });
}

// Starts a server, or says who has its port.
std::shared_ptr<web::Server> start_server(const web::ServerSettings& settings) {
  try {
    return std::make_shared<web::Server>(settings);
  } catch (const Error& error) {
    const auto user = error.kind() == ErrorKind::network ? user_of_port(settings.port) : std::nullopt;
    if (!user) throw;
    throw Error(ErrorKind::network,
                fmt::format("cannot listen at port {} for browsers: {} has it; end that, or give another port, as "
                            "web://{}:{}",
                            settings.port, *user, settings.address, unused_port_from(settings.port)));
  }
}

// Columns of the terminal at stderr; 0 if that is none, or none that shows a QR code.
int columns_of_terminal() {
  const char* const terminal = std::getenv("TERM");
  winsize size{};
  if (::isatty(STDERR_FILENO) != 1 || terminal == nullptr || std::string_view(terminal) == "dumb") return 0;
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

// Whether terminals of this environment show UTF-8, by the variable that decides for characters.
bool shows_half_blocks() {
  for (const char* const variable : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char* const value = std::getenv(variable); value != nullptr && *value != '\0') {
      const std::string_view text(value);
      return text.find("UTF-8") != text.npos || text.find("utf8") != text.npos || text.find("UTF8") != text.npos ||
             text.find("utf-8") != text.npos;
    }
  return false;
}

// Black on white by number, whatever the colours of the terminal are.
void show_qr_code(const std::string& url) {
  const auto code = qr_code(url);
  if (!code || !shows_half_blocks() || code->side + 2 * kQrQuietZone > columns_of_terminal()) return;
  for (const std::string& line : qr_lines(*code)) fmt::print(stderr, "\033[38;5;16m\033[48;5;231m{}\033[0m\n", line);
}

}  // namespace

WebAddress parse_web_address(const std::string& url) {
  if (!stream::is_web(url)) throw_bad_address(url, "it does not begin with web://");
  std::string_view rest = std::string_view(url).substr(std::string_view("web://").size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#@ ") != rest.npos) throw_bad_address(url, "it has more than a host and a port");
  const size_t bracket = rest.rfind(']');
  const size_t colon = rest.find(':', bracket == rest.npos ? 0 : bracket);
  WebAddress address{.host = std::string(rest.substr(0, colon))};
  const bool has_brackets = address.host.starts_with('[') && address.host.ends_with(']');
  if (address.host.find_first_of("[]") != std::string::npos && !has_brackets)
    throw_bad_address(url, "an IPv6 address needs one pair of brackets");
  if (colon == rest.npos) return address;
  const std::string_view port = rest.substr(colon + 1);
  if (port.find(':') != port.npos) throw_bad_address(url, "an IPv6 address needs brackets, as in web://[::1]:8080");
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc{} || end != port.data() + port.size() || port.empty())
    throw_bad_address(url, "the port must be a number from 1 to 65535, or 0 for a free one");
  return address;
}

std::string page_title(const NameOptions& names) {
  return transport::fitting_name(names.name.value_or(transport::usual_name(transport::kDefaultPort)));
}

web::StreamOffer offer_of(TextureFormat format, bool has_sound, bool is_sealed) {
  web::StreamOffer offer{.name = std::string(name(format)),
                         .families = {},
                         .format = std::string(name(format)),
                         .has_sound = has_sound,
                         .is_sealed = is_sealed};
  for (const std::string_view family : texture_families(format)) offer.families.emplace_back(family);
  return offer;
}

WebGate::WebGate(const WebOptions& options, std::string title, bool is_sealed)
    : options_(options), title_(std::move(title)), is_sealed_(is_sealed) {
  if (!options_.password_file.empty()) password_ = transport::read_key_file(options_.password_file).view();
}

std::shared_ptr<web::Server> WebGate::listen(const std::string& url) {
  const WebAddress address = parse_web_address(url);
  if (web::page_files().empty())
    throw Error(ErrorKind::usage,
                fmt::format("cannot serve '{}': this program was built without the page for browsers; install the "
                            "packages of [web] in tools/packages.txt and build it again, or use the released package",
                            url));
  if (is_sealed_ && options_.certificate.empty() && !is_loopback(address))
    throw Error(ErrorKind::usage,
                fmt::format("--key-file encrypts the stream, but {} would send it to browsers unencrypted: add "
                            "--web-cert self-signed (or a certificate's FILE), or leave out one of the two",
                            url));
  web::ServerSettings settings{.address = address.host,
                               .port = address.port,
                               .name = title_,
                               .page = web::page_files(),
                               .access = {.password = password_, .links = options_.links.value_or(0)},
                               .most_viewers = options_.most_viewers.value_or(kUsualViewers),
                               .certificate = options_.certificate,
                               .key = options_.key.empty() ? options_.certificate : options_.key};
  if (options_.certificate == kSelfSigned) {
    const web::CertificateFiles made = web::self_signed_certificate();
    settings.certificate = made.certificate;
    settings.key = made.key;
    log_info("browsers warn about the self-signed certificate {} once, and show its SHA-256 fingerprint {}",
             made.certificate, web::check_certificate(made).fingerprint);
  }
  auto server = start_server(settings);
  const std::lock_guard lock(mutex_);
  std::erase_if(servers_, [](const auto& one) { return one.expired(); });
  servers_.push_back(server);
  return server;
}

// The stream keeps its server alive, unless the gate is closed.
struct WebGate::Opened {
  std::shared_ptr<web::Stream> stream;
  // Ends first: viewers of a stream that ends before it are offered the server's other streams.
  std::shared_ptr<web::Server> server;
};

stream::WebDestination WebGate::open(const std::string& url, const web::StreamOffer& offer) {
  const auto opened = std::make_shared<Opened>();
  opened->server = listen(url);
  opened->stream = opened->server->add(offer);
  const std::lock_guard lock(mutex_);
  std::erase_if(opened_, [](const auto& one) { return one.expired(); });
  opened_.push_back(opened);
  return {.stream = {opened, opened->stream.get()}, .loopback = is_loopback(parse_web_address(url))};
}

std::vector<stream::WebDestination> WebGate::add(const web::StreamOffer& offer) {
  std::vector<stream::WebDestination> all;
  for (const auto& server : servers()) all.push_back({.stream = server->add(offer), .loopback = is_local(*server)});
  return all;
}

void WebGate::change(const web::StreamOffer& offer) {
  const std::lock_guard lock(mutex_);
  for (const auto& one : opened_)
    if (const auto opened = one.lock()) opened->stream->change(offer);
}

void WebGate::close() {
  std::vector<std::shared_ptr<web::Server>> ending;
  const std::lock_guard lock(mutex_);
  for (const auto& one : opened_)
    if (const auto opened = one.lock()) ending.push_back(std::exchange(opened->server, nullptr));
}

std::vector<std::shared_ptr<web::Server>> WebGate::servers() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<web::Server>> all;
  for (const auto& one : servers_)
    if (auto server = one.lock()) all.push_back(std::move(server));
  return all;
}

void WebGate::invite() const {
  for (const auto& server : servers()) {
    const std::vector<std::string> urls = server->urls(), links = server->links();
    std::string others;
    for (size_t i = 1; i < urls.size(); ++i) others += (i == 1 ? "; also at " : ", ") + urls[i];
    log_info("watch in a browser at {}{}", urls.front(), others);
    if (is_sealed_)
      log_info("browsers get the stream decrypted{}", urls.front().starts_with("https:") ? ", over TLS" : "");
    if (password_.empty() && links.empty() && !is_local(*server))
      log_warning("anybody on this network can watch: --web-password FILE or --web-links N let in those you choose");
    for (const std::string& link : links) fmt::print(stderr, "one-time link: {}\n", link);
    if (reports()) show_qr_code(links.empty() ? urls.front() : links.front());
  }
}

std::vector<web::ViewerStatus> WebGate::viewers() const {
  std::vector<web::ViewerStatus> all;
  for (const auto& server : servers())
    for (web::ViewerStatus& viewer : server->viewers()) all.push_back(std::move(viewer));
  return all;
}

Json viewers_json(const std::vector<web::ViewerStatus>& viewers) {
  Json list = Json::array();
  for (const web::ViewerStatus& viewer : viewers)
    list.push(Json::object({{"address", viewer.address},
                            {"stream", viewer.stream},
                            {"datagrams", viewer.sent_datagrams},
                            {"datagrams_dropped", viewer.dropped_datagrams},
                            {"bytes", viewer.sent_bytes},
                            {"bytes_dropped", viewer.dropped_bytes},
                            {"bytes_queued", viewer.queued_bytes},
                            {"feedback", viewer.feedback_datagrams}}));
  return list;
}

void print_viewers(const std::vector<web::ViewerStatus>& viewers) {
  for (const web::ViewerStatus& viewer : viewers)
    print_row("viewer", fmt::format("{}: {} in {}, {} dropped", viewer.address,
                                    file_size(static_cast<int64_t>(viewer.sent_bytes)),
                                    plural(viewer.sent_datagrams, "datagram"), viewer.dropped_datagrams));
}

}  // namespace texcast::cli
