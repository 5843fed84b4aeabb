// sound_relay.h — which datagrams on the port of the sound pass a relay: those of the host whose picture passes. With
// keys they must be encrypted with them, and are decrypted like the picture's. No I/O.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "transport/audio_opener.h"
#include "transport/peer_address.h"
#include "transport/receive_session.h"

namespace texcast::transport {

// Not thread-safe.
class SoundRelay {
 public:
  // The keys, the cipher and the largest age of `settings`. `keeps_seal`: see RelayChoices.
  explicit SoundRelay(const ReceiveSettings& settings, bool keeps_seal = false)
      : opener_(settings.keys, settings.cipher, settings.max_age),
        keeps_seal_(keeps_seal),
        has_keys_(settings.keys != nullptr) {}

  // `picture`: the selected sender of the picture; nothing: there is none yet. Returns what goes to the receivers,
  // valid until the next call.
  std::optional<Bytes> on_datagram(Bytes datagram, WallTime wall_now, const PeerAddress& from,
                                   const std::optional<PeerAddress>& picture);
  uint64_t passed() const { return passed_; }
  uint64_t refused() const { return refused_; }

 private:
  std::optional<Bytes> decrypted(Bytes datagram, WallTime wall_now);

  AudioOpener opener_;
  const bool keeps_seal_, has_keys_;
  std::vector<std::byte> rewritten_;
  uint64_t passed_ = 0, refused_ = 0;
};

}  // namespace texcast::transport
