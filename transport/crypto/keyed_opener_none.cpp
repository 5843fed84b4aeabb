// keyed_opener_none.cpp — for a receiver that never has keys: instead of keyed_opener.cpp, and without its libraries.
#include "base/ensure.h"
#include "keyed_opener.h"

namespace texcast::transport {

struct PacketOpener::Keyed::Ciphers {};

PacketOpener::Keyed::Keyed(std::shared_ptr<const WireKeys> /*keys*/, nanoseconds /*max_age*/, WorkAhead* /*helpers*/) {
  ENSURE(false);
}
PacketOpener::Keyed::~Keyed() = default;
void PacketOpener::Keyed::expect(std::span<const Bytes> /*datagrams*/) {}
Opener::Opened PacketOpener::Keyed::open(Bytes /*datagram*/, WallTime /*now*/) { return {}; }
std::optional<Bytes> PacketOpener::Keyed::open_blob(uint8_t /*mode*/, Bytes /*aad*/, Bytes /*blob*/,
                                                    MutableBytes /*out*/) {
  return std::nullopt;
}

}  // namespace texcast::transport
