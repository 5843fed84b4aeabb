// keyless.cpp — for a receiver that never has keys (player/web): instead of keyed_opener.cpp, sealing.cpp and
// wire_keys.cpp, and without the libraries of their ciphers. Whoever has no WireKeys calls none of these.
#include "base/ensure.h"
#include "keyed_opener.h"
#include "transport/sealing.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

void* secret_allocate(size_t /*bytes*/) {
  ENSURE(false);
  return nullptr;
}
void secret_free(void* /*memory*/) noexcept {}

Sealer::Sealer(const WireKeys& /*keys*/) {}
Bytes Sealer::seal(Bytes /*header*/, Bytes /*payload*/, MutableBytes /*out*/, WallTime /*now*/) { return {}; }

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
