// server.h — the socket of --control: answers requests of clients, and sends events to those that observe them.
//
// A thread of the server reads, writes and passes on requests; answers and events may come from any thread. Limits:
// kMostClients clients; for each client kMostLineBytes in a line, kMostWaiting commands without an answer (no more are
// read until then), and kMostUnread bytes that it has not read (then it is disconnected). Only the user who started the
// program can connect.
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

  // Called on the server's thread with every request except observe and unobserve, which the server answers itself.
  // Must not block.
  using Handler = std::function<void(Request request, Reply reply)>;

  // The server listens when this returns. `events`: the names that can be observed. Throws Error{failed} and
  // Error{usage} as ListeningSocket.
  Server(const std::string& path, std::vector<std::string> events, Handler handler);
  // Writes pending answers as far as possible without blocking, and removes the socket.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool observed(std::string_view event) const;          // by any client
  void tell(std::string_view event, const Json& data);  // to the clients that observe it

 private:
  class Thread;
  class Clients;
  std::shared_ptr<Clients> clients_;  // shared, because replies may outlive the server
  std::unique_ptr<Thread> thread_;
};

}  // namespace texcast::control
