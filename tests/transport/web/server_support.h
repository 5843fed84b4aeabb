// server_support.h — a server with a small page, and viewers for it.
#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "comes_true.h"
#include "transport/web_server.h"
#include "web_client.h"

namespace texcast::test {

inline Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

// Not gzip; the server does not look inside.
inline const std::vector<web::File>& small_page() {
  static const std::string script(100'000, 'x');
  static const std::vector<web::File> files = {
      {.path = "/", .type = "text/html; charset=utf-8", .gzip = bytes_of("the page")},
      {.path = "/main.js", .type = "text/javascript", .gzip = bytes_of(script)}};
  return files;
}

inline web::ServerSettings settings() {
  return {.address = "127.0.0.1", .port = 0, .name = "Studio \"A\"", .page = small_page()};
}

inline web::StreamOffer bc1() { return {.name = "bc1", .families = {"s3tc"}, .format = "bc1", .has_sound = true}; }

inline std::string hello(const nlohmann::json& more = nlohmann::json::object()) {
  nlohmann::json message = {{"type", "hello"}, {"takes", {"s3tc", "rgtc"}}};
  message.update(more);
  return message.dump();
}

// Waits until `holds`; fails after kPatience.
inline void wait_until(const std::function<bool()>& holds) { REQUIRE(comes_true(holds)); }

// The server sees the end of what the client sends.
inline void shutdown_writing(const WebClient& client) { ::shutdown(client.fd(), SHUT_WR); }

// A client that was let in.
inline std::unique_ptr<WebClient> viewer(uint16_t port, const nlohmann::json& more = nlohmann::json::object()) {
  auto client = std::make_unique<WebClient>(port);
  REQUIRE(client->upgrade().status == 101);
  client->send_text(hello(more));
  const auto welcome = nlohmann::json::parse(client->read_text());
  REQUIRE(welcome["type"] == "welcome");
  return client;
}

// The code of a refusal, by the message and by the close frame; 0 if the client was let in.
inline int refusal(WebClient& client) {
  const auto answer = nlohmann::json::parse(client.read_text());
  if (answer["type"] == "welcome") return 0;
  CHECK(answer["type"] == "refused");
  CHECK(answer["message"].get<std::string>().size() > 10);
  CHECK(client.read_close() == answer["code"]);
  return answer["code"];
}
inline int answer_to(uint16_t port, const std::string& text) {
  WebClient client(port);
  REQUIRE(client.upgrade().status == 101);
  client.send_text(text);
  return refusal(client);
}

inline transport::OutgoingPacket packet(std::string_view payload, std::string_view header = "") {
  return {.header = bytes_of(header), .payload = bytes_of(payload)};
}

// The datagrams of a binary message of the protocol, written down independently of the product.
inline std::vector<std::string> datagrams_in(const std::string& message, int channel) {
  REQUIRE(!message.empty());
  CHECK(message[0] == channel);
  std::vector<std::string> datagrams;
  for (size_t at = 1; at < message.size();) {
    REQUIRE(at + 2 <= message.size());
    const size_t length = static_cast<unsigned char>(message[at]) + 256u * static_cast<unsigned char>(message[at + 1]);
    REQUIRE(at + 2 + length <= message.size());
    datagrams.push_back(message.substr(at + 2, length));
    at += 2 + length;
  }
  return datagrams;
}

inline std::string binary_message(int channel, const std::vector<std::string>& datagrams) {
  std::string message(1, static_cast<char>(channel));
  for (const std::string& datagram : datagrams) {
    message += static_cast<char>(datagram.size() & 0xFF);
    message += static_cast<char>(datagram.size() >> 8);
    message += datagram;
  }
  return message;
}

}  // namespace texcast::test
