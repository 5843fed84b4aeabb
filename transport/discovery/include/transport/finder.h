// finder.h — finds senders and players that announce themselves on the local network (announcer.h).
//
// The functions are thread-safe. The first two throw Error{network}, with advice, if the search is impossible (no
// daemon, no bus, a bus that does not respond), and return early, with the results so far, when `stop` is set.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "texcast/frame_times.h"
#include "transport/service.h"

namespace texcast::transport {

// The most services that are collected, whatever the network announces.
inline constexpr size_t kMostServices = 256;

// Players first, each kind by name. Without `wait`: returns as soon as the daemon considers the search complete, after
// about a second.
std::vector<FoundService> find_services(std::optional<nanoseconds> wait, const std::atomic<bool>& stop);

struct ServiceSearch {
  std::optional<FoundService> found{};
  std::vector<FoundService> others{};  // if it was not found: those that were
};
// Searches for a service of that kind and name (same_name()), until the daemon considers the search complete, which
// takes about a second, and for at most `wait`.
ServiceSearch find_service(ServiceKind kind, const std::string& name, nanoseconds wait, const std::atomic<bool>& stop);

// Watches all services on a thread of its own, and keeps trying without a daemon.
class ServiceWatch {
 public:
  // Called on the thread when services may have come, changed or gone.
  explicit ServiceWatch(std::function<void()> on_change);
  ~ServiceWatch();  // ends the calls; takes at most a second if the bus does not respond. Not from within a call.
  ServiceWatch(const ServiceWatch&) = delete;
  ServiceWatch& operator=(const ServiceWatch&) = delete;

  std::vector<FoundService> services() const;  // as find_services(); any thread
  std::string complaint() const;               // as daemon_complaint(), without waiting; any thread

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Why a search is impossible, as both functions would throw it; empty: the daemon has answered. Waits for at most
// `patience`.
std::string daemon_complaint(nanoseconds patience);

}  // namespace texcast::transport
