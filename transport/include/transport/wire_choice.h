// wire_choice.h — what a sender puts on the wire around its frames, and the packetizer that does it.
#pragma once

#include <memory>

#include "transport/crypto_choice.h"
#include "transport/fec_spec.h"
#include "transport/packetizer.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

// Forward error correction, encryption and the like, as a user chose them. The default is plain packets.
struct WireChoice {
  FecChoice fec{};
  CryptoChoice crypto = CryptoChoice::none;
  std::shared_ptr<const WireKeys> keys{};  // for all but CryptoChoice::none
};

// The only place that knows which class does what; throws Error{usage} for choices that do not go together.
std::unique_ptr<FramePacketizer> make_packetizer(const PacketizerSettings& settings, const WireChoice& choice = {});

}  // namespace texcast::transport
