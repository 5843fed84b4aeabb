// web_client.h — a browser's side of HTTP and WebSocket (RFC 6455) on plain sockets: as little as tests need, and able
// to misbehave.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace texcast::test {

// "127.0.0.1", "::1" or another address of this machine; `from`: the source address, empty: any.
Descriptor connect_to(uint16_t port, const std::string& host = "127.0.0.1", const std::string& from = "");

struct HttpReply {
  int status = 0;                              // 0: the connection was closed without a reply
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string head;  // all of it
};

// One connection. Reads wait for kPatience at most, and throw std::runtime_error then.
class WebClient {
 public:
  struct Frame {
    int opcode = 0;  // 1: text, 2: binary, 8: close, 9: ping, 10: pong; 0: the connection was closed
    std::string payload;
    int close_code() const;  // of a close frame; 0: it has none
  };

  explicit WebClient(uint16_t port, const std::string& host = "127.0.0.1", const std::string& from = "");
  explicit WebClient(Descriptor socket) : socket_(std::move(socket)) {}

  // HTTP. `head_only`: the reply has no body whatever its headers say.
  void send(std::string_view bytes);
  bool try_send(std::string_view bytes);  // false: the connection is closed
  HttpReply read_reply(bool head_only = false);
  HttpReply get(const std::string& path, const std::string& more_headers = "");

  // WebSocket. `more_headers` replace those of the same name; "Origin:" without a value leaves it out.
  HttpReply upgrade(const std::map<std::string, std::string>& more_headers = {}, const std::string& path = "/stream");
  void send_text(std::string_view text) { send_frame(1, text); }
  void send_binary(std::string_view bytes) { send_frame(2, bytes); }
  void send_frame(int opcode, std::string_view payload, bool last = true, bool masked = true);
  static std::string frame(int opcode, std::string_view payload, bool last = true, bool masked = true);
  Frame read_frame();       // pings are answered, and left out
  std::string read_text();  // fails if the next frame is none
  std::string read_binary();
  // Reads until the connection ends: the code of the close frame, or 0 if there was none.
  int read_close();

  int fd() const { return socket_.get(); }
  void close() { socket_.close(); }
  uint16_t port() const { return port_; }

 private:
  bool fill();  // false: closed
  std::string take(size_t bytes);

  Descriptor socket_;
  uint16_t port_ = 0;
  std::string host_;
  std::string held_;
};

}  // namespace texcast::test
