// inbox.h — queue of requests from the server's thread to the thread that carries them out.
//
// Its length is bounded by the pending requests that the server allows per client (Server::kMostWaiting).
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "control/dispatcher.h"
#include "control/protocol.h"
#include "control/reply.h"

namespace texcast::control {

// Call put() and close() on any thread, and obey() on the owner's thread.
class Inbox {
 public:
  void put(Request request, Reply reply);
  // Answers all pending requests in order. Cheap if there is none, so that it may be called for every frame.
  void obey(const Dispatcher& dispatcher);
  // Answers pending and later requests with the error that the program ends.
  void close();

 private:
  struct Waiting {
    Request request;
    Reply reply;
  };
  std::vector<Waiting> take();

  std::atomic<bool> something_ = false;
  std::mutex mutex_;
  std::vector<Waiting> waiting_;
  bool closed_ = false;
};

}  // namespace texcast::control
