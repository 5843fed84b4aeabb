// sender_id.h — identifies a sender, so that packets of different senders can be distinguished.
#pragma once

#include <cstdint>

#include "transport/peer_address.h"

namespace texcast::transport {

// Anybody can copy an SSRC, and whoever can send from an address can copy that. An encrypted session cannot be copied:
// its packets belong to it whatever address they come from.
struct SenderId {
  uint32_t ssrc = 0;
  bool sealed = false;
  uint32_t began = 0;    // sealed: when its session began, seconds since 1970
  uint64_t session = 0;  // sealed
  PeerAddress from{};    // not sealed
  bool operator==(const SenderId&) const = default;
};

}  // namespace texcast::transport
