#include "page_files.h"

#include <fmt/core.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace texcast::web {
namespace {

constexpr std::string_view kProtocol = "texcast.1";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Calls `use` for the elements of a list that is separated by `separator`, until it returns true.
template <typename Use>
bool any_element(std::string_view list, char separator, const Use& use) {
  while (true) {
    const size_t end = std::min(list.find(separator), list.size());
    if (use(trimmed(list.substr(0, end)))) return true;
    if (end == list.size()) return false;
    list.remove_prefix(end + 1);
  }
}

std::string etag_of(Bytes content) {
  std::array<unsigned char, 16> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(content.data()), content.size(),
                     nullptr, 0);
  std::string etag = "\"";
  for (const unsigned char byte : hash) etag += fmt::format("{:02x}", byte);
  return etag + '"';
}

std::string_view reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 421: return "Misdirected Request";
    case 426: return "Upgrade Required";
    default: return "Error";
  }
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool accepts_gzip(std::string_view accept_encoding) {
  bool others = false;
  bool gzip = false, refused = false;
  any_element(accept_encoding, ',', [&](std::string_view element) {
    const std::string_view coding = trimmed(element.substr(0, element.find(';')));
    bool zero = false;  // "q=0", "q=0.000": not acceptable
    if (const size_t at = element.find(';'); at != std::string_view::npos)
      any_element(element.substr(at + 1), ';', [&](std::string_view parameter) {
        if (parameter.size() > 2 && same_word(parameter.substr(0, 2), "q="))
          zero = parameter.find_first_not_of("0.", 2) == std::string_view::npos;
        return false;
      });
    if (same_word(coding, "gzip") || same_word(coding, "x-gzip")) (zero ? refused : gzip) = true;
    if (coding == "*") others = !zero;
    return false;
  });
  return gzip || (others && !refused);
}

PageFiles::PageFiles(std::span<const File> files, HostNames hosts, bool tls) : hosts_(std::move(hosts)), tls_(tls) {
  for (const File& file : files) entries_.push_back({&file, etag_of(file.gzip)});
}

std::string PageFiles::host_error(const Request& request) const {
  const auto host = parse_host(request.host);
  if (!host) return "The Host header is missing or malformed.";
  if (hosts_.accepts(*host)) return "";
  return fmt::format("'{}' is not known as a name of this machine. Open the page by the machine's address.",
                     host->host);
}

// `host` is a valid Host header.
std::string PageFiles::headers(const std::string& host) const {
  // CSP 3 lets 'self' cover WebSockets of the same host and port, but browsers before 2022 do not know that (WebKit bug
  // 201591), so that the address is named, too. A host source has no syntax for IPv6.
  const std::string socket =
      host.empty() || host.starts_with('[') ? "" : fmt::format(" {}://{}", tls_ ? "wss" : "ws", host);
  return fmt::format(
      "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; "
      "connect-src 'self'{}; style-src 'self'; img-src 'self' data:; manifest-src 'self'; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "X-Frame-Options: DENY\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n"
      "Cross-Origin-Embedder-Policy: require-corp\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n",
      socket);
}

Reply PageFiles::error(int status, std::string_view line, bool close, bool with_body) const {
  Reply made{.status = status, .head = {}, .text = fmt::format("{}\n", line), .file = {}, .close = close};
  made.head = fmt::format(
      "HTTP/1.1 {} {}\r\n{}Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n"
      "Content-Length: {}\r\n{}{}{}\r\n",
      status, reason(status), headers(""), made.text.size(), status == 405 ? "Allow: GET, HEAD\r\n" : "",
      status == 426 ? "Upgrade: websocket\r\n" : "", close ? "Connection: close\r\n" : "");
  if (!with_body) made.text.clear();
  return made;
}

Reply PageFiles::reply(const Request& request) const {
  const bool body = !request.is_head;
  if (!request.is_get && !request.is_head) return error(405, "Only GET and HEAD are allowed.", true);
  if (const std::string wrong = host_error(request); !wrong.empty())
    return error(parse_host(request.host) ? 421 : 400, wrong, true, body);
  if (request.path == kStreamPath) return error(426, "This is the WebSocket of the page.", true, body);
  const auto entry =
      std::ranges::find(entries_, request.path, [](const Entry& e) -> const std::string& { return e.file->path; });
  if (entry == entries_.end()) return error(404, "There is no such page.", false, body);
  if (request.has_accept_encoding && !accepts_gzip(request.accept_encoding))
    return error(406, "This page is only served compressed by gzip.", false, body);
  // "no-cache": the browser asks each time, and sees an update of the program at once.
  const std::string common = fmt::format("{}Vary: Accept-Encoding\r\nCache-Control: no-cache\r\nETag: {}\r\n",
                                         headers(request.host), entry->etag);
  const bool unchanged = any_element(request.none_match, ',', [&](std::string_view tag) {
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    return tag == entry->etag || tag == "*";
  });
  if (unchanged)
    return {
        .status = 304, .head = fmt::format("HTTP/1.1 304 {}\r\n{}\r\n", reason(304), common), .text = {}, .file = {}};
  return {.status = 200,
          .head = fmt::format(
              "HTTP/1.1 200 {}\r\n{}Content-Type: {}\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
              reason(200), common, entry->file->type, entry->file->gzip.size()),
          .text = {},
          .file = body ? entry->file->gzip : Bytes{}};
}

std::string PageFiles::handshake_error(const Request& request, std::string_view origin,
                                       std::string_view protocols) const {
  if (!request.is_get || request.path != kStreamPath) return "There is no WebSocket at this address.";
  if (std::string wrong = host_error(request); !wrong.empty()) return wrong;
  if (!origin.empty() && !same_origin(origin, request.host)) return "Pages of other sites may not watch.";
  if (!any_element(protocols, ',', [](std::string_view name) { return name == kProtocol; }))
    return fmt::format("The WebSocket's protocol is {}.", kProtocol);
  return "";
}

}  // namespace texcast::web
