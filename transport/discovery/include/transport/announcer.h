// announcer.h — says on the local network, for as long as it lives, that a player waits or a sender sends here.
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
  std::string name{};  // as fitting_name() gives it, not empty; where another has it, the daemon's "NAME #2"
  uint16_t port = 0;
  ServiceFacts facts{};
  unsigned interface_index = 0;   // of the only interface where it is said; 0: all
  bool ipv4 = true, ipv6 = true;  // how it can be reached
  bool asked_for = false;         // the log is told where nobody can be told: no daemon, no bus
  // Told each time that the name is known on the network: at first, when another has the wanted one, when the daemon is
  // back. On a thread of the announcer's, which may outlive it by as long as the bus takes to answer.
  std::function<void(const std::string& name)> on_named{};
};

// Never waits for the daemon, and never fails: where there is none it is looked for again and again. Thread-safe.
class Announcer {
 public:
  explicit Announcer(AnnouncerSettings settings);
  ~Announcer();  // unsaid; a second at most where the bus does not answer
  Announcer(const Announcer&) = delete;
  Announcer& operator=(const Announcer&) = delete;

  // From now on it says this of itself, and where the port is another, that it is there: within a second or so, or once
  // there is a daemon. Never waits; what is said already costs nothing.
  void update(ServiceFacts facts, uint16_t port);

  std::string name() const;  // under which it is known now; empty: it is not, yet or any more

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace texcast::transport
