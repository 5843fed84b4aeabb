// port_user.h — which program listens at a TCP port of this machine, for messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace texcast::cli {

// "python3 (process 1234)", or "another user's program"; nothing if nobody listens there. Reads /proc.
std::optional<std::string> user_of_port(uint16_t port);
// The first port from this one on at which nobody listens.
uint16_t unused_port_from(uint16_t port);

}  // namespace texcast::cli
