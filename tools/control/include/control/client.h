// client.h — the other end of a control socket: `texcast ctl`.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/protocol.h"

namespace texcast::control {

// Not thread-safe. Calls block until there is an answer, or throw Error{network} after `patience` without a byte.
class Client {
 public:
  // Throws Error{network} if no program listens there. `patience`: 1 ms and more; nothing: no limit.
  explicit Client(const std::string& path, std::optional<std::chrono::milliseconds> patience = std::nullopt);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Throws Error{network} if the program ends before it has answered.
  Message ask(const std::vector<std::string>& words);
  // Waits for an event. None: the program has ended.
  std::optional<Message> next_event();

 private:
  struct Connection;
  std::optional<Message> next();

  std::unique_ptr<Connection> connection_;
};

}  // namespace texcast::control
