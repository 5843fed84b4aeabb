// client.h — the other end of a control socket: `texcast ctl`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/protocol.h"

namespace texcast::control {

// Not thread-safe. Waits for what it asks for.
class Client {
 public:
  explicit Client(const std::string& path);  // throws Error{network}: nobody listens there
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Throws Error{network} where the program ends before it has answered.
  Message ask(const std::vector<std::string>& words);
  // None: the program has ended.
  std::optional<Message> next_event();

 private:
  struct Connection;
  std::optional<Message> next();

  std::unique_ptr<Connection> connection_;
};

}  // namespace texcast::control
