// inbox.h — requests on their way from the server's thread to the thread that owns what they ask for.
//
// Bounded by what the server lets every client have under way (Server::kMostWaiting).
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "control/dispatcher.h"
#include "control/protocol.h"
#include "control/reply.h"

namespace texcast::control {

// put() and close() on any thread; obey() on the owner's.
class Inbox {
 public:
  void put(Request request, Reply reply);
  // Has all that wait answered, in order. Cheap where nothing waits: it may be called for every frame.
  void obey(const Dispatcher& dispatcher);
  // What waits, and whatever else comes, is told that the program ends.
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
