#include "keyed_opener.h"

#include "transport/ultragrid_cipher.h"

namespace texcast::transport {

struct PacketOpener::Keyed::Ciphers {
  UltraGridCipher ultragrid;
  Opener sealed;
};

PacketOpener::Keyed::Keyed(std::shared_ptr<const WireKeys> keys, nanoseconds max_age, WorkAhead* helpers)
    : ciphers_(new Ciphers{UltraGridCipher(*keys), Opener(keys, max_age, helpers)}) {}
PacketOpener::Keyed::~Keyed() = default;

void PacketOpener::Keyed::expect(std::span<const Bytes> datagrams) { ciphers_->sealed.expect(datagrams); }

Opener::Opened PacketOpener::Keyed::open(Bytes datagram, WallTime now) { return ciphers_->sealed.open(datagram, now); }

std::optional<Bytes> PacketOpener::Keyed::open_blob(uint8_t mode, Bytes aad, Bytes blob, MutableBytes out) {
  return ciphers_->ultragrid.open(mode, aad, blob, out);
}

}  // namespace texcast::transport
