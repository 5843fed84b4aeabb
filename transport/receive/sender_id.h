// sender_id.h — who sends: what tells one sender's packets from another's.
#pragma once

#include <cstdint>

#include "transport/peer_address.h"

namespace texcast::transport {

// An SSRC may be copied by anybody; an address only by who can send under it. Of a sealed stream it is the session,
// which nobody can copy: wherever its packets come from, they are its own.
struct SenderId {
  uint32_t ssrc = 0;
  bool sealed = false;
  uint32_t began = 0;    // of a sealed one: when its session did, seconds since 1970
  uint64_t session = 0;  // of a sealed one
  PeerAddress from{};    // of others
  bool operator==(const SenderId&) const = default;
};

}  // namespace texcast::transport
