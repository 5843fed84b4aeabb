#include "web_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "patience.h"

namespace texcast::test {
namespace {

struct Place {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

Place place_of(const std::string& host, uint16_t port) {
  Place place;
  if (host.find(':') != std::string::npos) {
    auto* ipv6 = reinterpret_cast<sockaddr_in6*>(&place.storage);
    ipv6->sin6_family = AF_INET6;
    ipv6->sin6_port = htons(port);
    inet_pton(AF_INET6, host.c_str(), &ipv6->sin6_addr);
    place.length = sizeof *ipv6;
  } else {
    auto* ipv4 = reinterpret_cast<sockaddr_in*>(&place.storage);
    ipv4->sin_family = AF_INET;
    ipv4->sin_port = htons(port);
    inet_pton(AF_INET, host.c_str(), &ipv4->sin_addr);
    place.length = sizeof *ipv4;
  }
  return place;
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Descriptor connect_to(uint16_t port, const std::string& host, const std::string& from) {
  const Place to = place_of(host, port);
  Descriptor socket(::socket(to.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!from.empty()) {
    const Place source = place_of(from, 0);
    if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&source.storage), source.length) != 0)
      throw std::runtime_error("cannot bind to " + from);
  }
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&to.storage), to.length) != 0)
    throw std::runtime_error("cannot connect to " + host + ":" + std::to_string(port));
  // On loopback, a socket whose own port happens to be this one connects to itself while no server listens.
  Place self{};
  self.length = sizeof(self.storage);
  Place peer = self;
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&self.storage), &self.length);
  getpeername(socket.get(), reinterpret_cast<sockaddr*>(&peer.storage), &peer.length);
  if (self.length == peer.length && std::memcmp(&self.storage, &peer.storage, self.length) == 0)
    throw std::runtime_error("nothing listens at " + host + ":" + std::to_string(port));
  return socket;
}

int WebClient::Frame::close_code() const {
  if (opcode != 8 || payload.size() < 2) return 0;
  return static_cast<unsigned char>(payload[0]) << 8 | static_cast<unsigned char>(payload[1]);
}

WebClient::WebClient(uint16_t port, const std::string& host, const std::string& from)
    : socket_(connect_to(port, host, from)), port_(port), host_(host) {}

bool WebClient::try_send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void WebClient::send(std::string_view bytes) {
  if (!try_send(bytes)) throw std::runtime_error("the server closed the connection");
}

bool WebClient::fill() {
  pollfd waiting{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience);
  if (poll(&waiting, 1, static_cast<int>(patience.count())) != 1) throw std::runtime_error("the server sends nothing");
  std::array<char, 65536> bytes{};
  const ssize_t got = recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  held_.append(bytes.data(), static_cast<size_t>(got));
  return true;
}

std::string WebClient::take(size_t bytes) {
  while (held_.size() < bytes)
    if (!fill()) return "";
  std::string taken = held_.substr(0, bytes);
  held_.erase(0, bytes);
  return taken;
}

HttpReply WebClient::read_reply(bool head_only) {
  HttpReply reply;
  size_t end = 0;
  while ((end = held_.find("\r\n\r\n")) == std::string::npos)
    if (!fill()) return reply;
  reply.head = take(end + 4);
  if (!reply.head.starts_with("HTTP/1.")) throw std::runtime_error("not a reply: " + reply.head);
  reply.status = std::stoi(reply.head.substr(9, 3));
  for (size_t at = reply.head.find("\r\n") + 2; at + 2 < reply.head.size();) {
    const size_t line_end = reply.head.find("\r\n", at);
    const size_t colon = reply.head.find(':', at);
    reply.headers[lower_case(reply.head.substr(at, colon - at))] = reply.head.substr(colon + 2, line_end - colon - 2);
    at = line_end + 2;
  }
  const auto length = reply.headers.find("content-length");
  if (!head_only && length != reply.headers.end() && reply.status != 304) reply.body = take(std::stoul(length->second));
  return reply;
}

HttpReply WebClient::get(const std::string& path, const std::string& more_headers) {
  send("GET " + path + " HTTP/1.1\r\nHost: " + host_ + ":" + std::to_string(port_) +
       "\r\nAccept-Encoding: gzip, deflate\r\n" + more_headers + "\r\n");
  return read_reply();
}

HttpReply WebClient::upgrade(const std::map<std::string, std::string>& more_headers, const std::string& path) {
  const std::string host =
      (host_.find(':') == std::string::npos ? host_ : '[' + host_ + ']') + ":" + std::to_string(port_);
  std::map<std::string, std::string> headers = {{"Host", host},
                                                {"Upgrade", "websocket"},
                                                {"Connection", "Upgrade"},
                                                {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
                                                {"Sec-WebSocket-Version", "13"},
                                                {"Sec-WebSocket-Protocol", "texcast.1"},
                                                {"Origin", "http://" + host}};
  for (const auto& [name, value] : more_headers) headers[name] = value;
  std::string request = "GET " + path + " HTTP/1.1\r\n";
  for (const auto& [name, value] : headers)
    if (!value.empty()) request += name + ": " + value + "\r\n";
  send(request + "\r\n");
  return read_reply();
}

std::string WebClient::frame(int opcode, std::string_view payload, bool last, bool masked) {
  std::string bytes(1, static_cast<char>(opcode | (last ? 0x80 : 0)));
  const int mask_bit = masked ? 0x80 : 0;
  if (payload.size() < 126) {
    bytes += static_cast<char>(mask_bit | static_cast<int>(payload.size()));
  } else {
    const bool wide = payload.size() > 0xFFFF;
    bytes += static_cast<char>(mask_bit | (wide ? 127 : 126));
    for (int shift = wide ? 56 : 8; shift >= 0; shift -= 8) bytes += static_cast<char>(payload.size() >> shift & 0xFF);
  }
  constexpr std::string_view kMask = "\x12\x9A\x56\xF3";
  if (masked) bytes += kMask;
  for (size_t i = 0; i < payload.size(); ++i)
    bytes += masked ? static_cast<char>(payload[i] ^ kMask[i % 4]) : payload[i];
  return bytes;
}

void WebClient::send_frame(int opcode, std::string_view payload, bool last, bool masked) {
  send(frame(opcode, payload, last, masked));
}

WebClient::Frame WebClient::read_frame() {
  while (true) {
    const std::string head = take(2);
    if (head.empty()) return {};
    uint64_t size = static_cast<unsigned char>(head[1]);
    if (size > 127) throw std::runtime_error("a server must not mask");
    if (size >= 126) {
      const std::string wide = take(size == 126 ? 2 : 8);
      if (wide.empty()) return {};
      size = 0;
      for (const char byte : wide) size = size << 8 | static_cast<unsigned char>(byte);
    }
    std::string payload = take(size);
    if (payload.size() != size) return {};
    const int opcode = head[0] & 0x0F;
    if ((head[0] & 0xF0) != 0x80)
      throw std::runtime_error("the server sends a part of a message, or uses an extension");
    if (opcode != 9) return {.opcode = opcode, .payload = std::move(payload)};
    try_send(frame(10, payload));
  }
}

std::string WebClient::read_text() {
  Frame read = read_frame();
  if (read.opcode != 1) throw std::runtime_error("no text, but a frame of type " + std::to_string(read.opcode));
  return read.payload;
}

std::string WebClient::read_binary() {
  Frame read = read_frame();
  if (read.opcode != 2)
    throw std::runtime_error("no binary message, but a frame of type " + std::to_string(read.opcode) + ": " +
                             read.payload);
  return read.payload;
}

int WebClient::read_close() {
  while (true) {
    const Frame read = read_frame();
    if (read.opcode == 0) return 0;
    if (read.opcode == 8) return read.close_code();
  }
}

}  // namespace texcast::test
