// wire_choice.h — selects FEC and encryption of a stream, and makes the packetizer for them.
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

// Forward error correction, encryption and so on, as chosen by the user. The default is raw packets without either.
struct WireChoice {
  FecChoice fec{};
  CryptoChoice crypto = CryptoChoice::none;
  std::shared_ptr<const WireKeys> keys{};  // for all but CryptoChoice::none
  // For CryptoChoice::texcast: continues the session of another packetizer, one at a time; null: a new session.
  std::shared_ptr<Sealer> sealer{};
  // Lost packets are retransmitted on request, in texcast's own wire format. For unicast only: in a group all members
  // would request together.
  bool answers_requests = false;
};

// Resolves FecKind::automatic: texcast's own parity, or none with UltraGrid's encryption. Throws Error{usage} if the
// FEC cannot be combined with the encryption.
FecChoice fec_on_wire(const WireChoice& choice);

// The only place that maps choices to classes; throws Error{usage} for choices that cannot be combined. `helpers`
// (nullptr: none) compute texcast's parity and encrypt beside the caller's thread, and must outlive the packetizer; the
// datagrams are the same.
std::unique_ptr<FramePacketizer> make_packetizer(const PacketizerSettings& settings, const WireChoice& choice = {},
                                                 WorkAhead* helpers = nullptr);
// The same for a coded stream: texcast's own parity or none, its own encryption or none, and requests for tiles if the
// sender takes them.
std::unique_ptr<CompactPacketizer> make_compact_packetizer(const PacketizerSettings& settings, const WireChoice& choice,
                                                           bool takes_tile_requests);
// Answers NACKs for the packets of that packetizer; null if NACKs are not answered.
std::unique_ptr<RetransmitStore> make_retransmit_store(const PacketizerSettings& settings, const WireChoice& choice,
                                                       size_t destinations);

}  // namespace texcast::transport
