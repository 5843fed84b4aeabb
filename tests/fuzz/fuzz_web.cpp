// Any bytes as what a browser sends: the first message, feedback, and headers of HTTP. The first byte selects which.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "messages.h"
#include "page_files.h"

using namespace texcast;
using namespace texcast::web;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_hello(std::string_view text) {
  const auto hello = parse_hello(text);
  if (!hello) return require(!hello.error().message.empty());
  require(hello->takes.size() <= 16 && text.size() <= kMostHelloBytes);
  require(std::max({hello->password.size(), hello->link.size(), hello->resume.size(), hello->variant.size()}) <= 1024);
  // A hello that was read can be written, and is the same when it is read again.
  const nlohmann::json again = {{"type", "hello"},     {"takes", hello->takes},   {"password", hello->password},
                                {"link", hello->link}, {"resume", hello->resume}, {"variant", hello->variant}};
  const std::string written = again.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (written.size() > kMostHelloBytes) return;
  const auto second = parse_hello(written);
  require(second && second->password == hello->password && second->takes == hello->takes);
}

void check_datagrams(Bytes message) {
  const Datagrams parsed = parse_datagrams(message);
  size_t bytes = 1;
  for (const Bytes datagram : parsed.datagrams) {
    require(!datagram.empty() && datagram.data() >= message.data() &&
            datagram.data() + datagram.size() <= message.data() + message.size());
    bytes += 2 + datagram.size();
  }
  require(bytes <= std::max<size_t>(message.size(), 1));
  if (parsed.known && !parsed.malformed) require(bytes == message.size());
}

// Lines: path, Host, If-None-Match, Accept-Encoding, Origin, protocols.
void check_request(std::string_view text) {
  static const std::string content = "content";
  static const std::vector<File> files = {
      {.path = "/", .type = "text/html", .gzip = std::as_bytes(std::span(content))}};
  static const PageFiles page(files, HostNames({"studio.local", "*.example.org"}), false);
  std::array<std::string, 6> lines;
  for (std::string& line : lines) {
    const size_t end = std::min(text.find('\n'), text.size());
    line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const Request request{.is_get = true,
                        .is_head = false,
                        .path = lines[0],
                        .host = lines[1],
                        .none_match = lines[2],
                        .accept_encoding = lines[3],
                        .has_accept_encoding = !lines[3].empty()};
  const Reply reply = page.reply(request);
  require(reply.status >= 200 && reply.status < 500 && reply.head.ends_with("\r\n\r\n"));
  // Nothing that was sent ends a line of the reply.
  require(reply.head.find("\r\n\r\n") == reply.head.size() - 4);
  for (size_t at = 0; at < reply.head.size(); ++at)
    if (reply.head[at] == '\r' || reply.head[at] == '\n')
      require(reply.head[at] == '\r' ? reply.head[at + 1] == '\n' : reply.head[at - 1] == '\r');
  const auto host = parse_host(request.host);
  if (reply.status == 200) require(host.has_value() && request.path == "/");
  // A browser's page is let in only if its address is the server's.
  if (page.handshake_error(request, lines[4], lines[5]).empty() && !lines[4].empty())
    require(host && (lines[4].find(host->host) != std::string::npos || host->host.size() < lines[4].size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0: check_hello(rest); break;
    case 1: check_datagrams(std::as_bytes(std::span(rest.data(), rest.size()))); break;
    default: check_request(rest); break;
  }
  return 0;
}
