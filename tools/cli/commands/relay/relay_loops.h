// relay_loops.h — refuses destinations at which a relay would get its own stream.
#pragma once

#include <string>
#include <vector>

#include "transport/address.h"

namespace texcast::cli {

// Throws Error{usage} if what is sent to `to` ("rtp://…") arrives where the relay listens: at `source` ("rtp://…"), on
// the bound `port`. Loops over other machines are recognised when the stream comes back.
void reject_loop(const std::string& source, uint16_t port, const std::string& to);

}  // namespace texcast::cli
