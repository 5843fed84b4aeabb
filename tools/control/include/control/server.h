// server.h — the socket of --control: clients connect, ask, and are answered; some observe events.
//
// Threads: one of its own reads, writes and hands requests on; answers and events may come from any. Bounds:
// kMostClients; of each client a line's length (kMostLineBytes), commands that are not answered (no more are read
// then), and bytes that it has not read (then it is dropped). Only the user who started the program can connect.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "control/protocol.h"
#include "control/reply.h"

namespace texcast::control {

class Server {
 public:
  static constexpr size_t kMostClients = 8;
  static constexpr size_t kMostWaiting = 16;
  static constexpr size_t kMostUnread = size_t{1} << 20;

  // Called on the server's thread with every request but observe and unobserve, which it answers itself. Must not
  // block.
  using Handler = std::function<void(Request request, Reply reply)>;

  // Listens when this returns. `events`: names that can be observed. Throws Error{failed}, Error{usage} as
  // ListeningSocket.
  Server(const std::string& path, std::vector<std::string> events, Handler handler);
  // Writes what is answered already, as far as it goes at once, and removes the socket.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool observed(std::string_view event) const;          // somebody does
  void tell(std::string_view event, const Json& data);  // to those

 private:
  class Thread;
  class Clients;
  std::shared_ptr<Clients> clients_;  // replies outlive the server
  std::unique_ptr<Thread> thread_;
};

}  // namespace texcast::control
