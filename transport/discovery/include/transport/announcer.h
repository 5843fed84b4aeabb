// announcer.h — announces a waiting player or a sender on the local network during its lifetime.
//
//     const Announcer announcer({.kind = ServiceKind::player, .name = "studio", .port = 5004, .facts = {…}});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "transport/service.h"

namespace texcast::transport {

struct AnnouncerSettings {
  ServiceKind kind = ServiceKind::player;
  std::string name{};  // a result of fitting_name(), not empty; if it is taken, the daemon's "NAME #2"
  uint16_t port = 0;
  ServiceFacts facts{};
  unsigned interface_index = 0;   // the only interface for announcements; 0: all
  bool ipv4 = true, ipv6 = true;  // how the service can be reached
  bool asked_for = false;         // log it if announcing is impossible: no daemon, no bus
  // Called each time that the name is established: at first, when another has the wanted name, and when the daemon is
  // back. On a thread of the announcer's, which may outlive it for as long as the bus takes to answer.
  std::function<void(const std::string& name)> on_named{};
};

// Neither waits for the daemon nor fails: without a daemon it keeps retrying. Thread-safe.
class Announcer {
 public:
  explicit Announcer(AnnouncerSettings settings);
  ~Announcer();  // withdraws the announcement; takes at most a second if the bus does not respond
  Announcer(const Announcer&) = delete;
  Announcer& operator=(const Announcer&) = delete;

  // Changes what is announced, and the port: within about a second, or once there is a daemon. Never waits; costs
  // nothing if nothing changes.
  void update(ServiceFacts facts, uint16_t port);

  std::string name() const;  // currently established name; empty: none

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace texcast::transport
