// wire_choice.h — what a sender puts on the wire around its frames, and the packetizer that does it.
#pragma once

#include <memory>

#include "base/work_ahead.h"
#include "transport/compact_packetizer.h"
#include "transport/crypto_choice.h"
#include "transport/fec_spec.h"
#include "transport/packetizer.h"
#include "transport/retransmit_store.h"
#include "transport/sealing.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

// Forward error correction, encryption and the like, as a user chose them. The default is plain packets.
struct WireChoice {
  FecChoice fec{};
  CryptoChoice crypto = CryptoChoice::none;
  std::shared_ptr<const WireKeys> keys{};  // for all but CryptoChoice::none
  // Of CryptoChoice::texcast, whose session goes on where another packetizer's ended, one at a time; null: a new one.
  std::shared_ptr<Sealer> sealer{};
  // Lost packets are sent again where receivers ask, in texcast's own mode. For unicast alone: a group would ask as
  // one.
  bool answers_requests = false;
};

// The choice with nothing left open: FecKind::automatic is what it comes to beside this encryption, texcast's own
// parity or none beside UltraGrid's. Throws Error{usage} for a choice that does not go with the encryption.
FecChoice fec_on_wire(const WireChoice& choice);

// The only place that knows which class does what; throws Error{usage} for choices that do not go together. `helpers`
// (nullptr: none) make texcast's parity and seal beside the caller's thread, and must outlive the packetizer; the
// datagrams are the same.
std::unique_ptr<FramePacketizer> make_packetizer(const PacketizerSettings& settings, const WireChoice& choice = {},
                                                 WorkAhead* helpers = nullptr);
// The same for a compact stream: texcast's own parity or none, its own encryption or none, and requests for tiles where
// somebody takes them.
std::unique_ptr<CompactPacketizer> make_compact_packetizer(const PacketizerSettings& settings, const WireChoice& choice,
                                                           bool takes_tile_requests);
// What answers requests for the packets of that packetizer; nothing where the choice is that nobody does.
std::unique_ptr<RetransmitStore> make_retransmit_store(const PacketizerSettings& settings, const WireChoice& choice,
                                                       size_t destinations);

}  // namespace texcast::transport
