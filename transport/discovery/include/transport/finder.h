// finder.h — who is there on the local network: senders and players that announce themselves (announcer.h).
//
// Thread-safe: functions only. Both throw Error{network} where nobody can be asked (no daemon, no bus, a bus that does
// not answer), with what to do; and end early, with what there is, when `stop` is set.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "texcast/frame_times.h"
#include "transport/service.h"

namespace texcast::transport {

// At most so many services are kept, of whatever a network says.
inline constexpr size_t kMostServices = 256;

// Players first, each kind by name. With no `wait`: as soon as the daemon believes that all have answered, about a
// second.
std::vector<FoundService> find_services(std::optional<nanoseconds> wait, const std::atomic<bool>& stop);

struct ServiceSearch {
  std::optional<FoundService> found{};
  std::vector<FoundService> others{};  // where it was not found, who was
};
// The one of that kind and name (same_name()), as soon as it answers; given up after `wait`.
ServiceSearch find_service(ServiceKind kind, const std::string& name, nanoseconds wait, const std::atomic<bool>& stop);

// Why nobody can be asked, as both would throw it; empty: the daemon has answered. Waits for `patience` at most.
std::string daemon_complaint(nanoseconds patience);

}  // namespace texcast::transport
