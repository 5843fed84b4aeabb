#include "transport/sound_relay.h"

#include "transport/audio_packet.h"
#include "transport/keyless_passage.h"
#include "transport/own_packet.h"
#include "transport/packet.h"
#include "transport/relayed_packet.h"

namespace texcast::transport {

std::optional<Bytes> SoundRelay::on_datagram(Bytes datagram, WallTime wall_now, const PeerAddress& from,
                                             const std::optional<PeerAddress>& picture) {
  if (!picture) return std::nullopt;
  const bool is_of_host = picture->same_host(from);
  const bool is_unreadable = is_of_host && keeps_seal_ && !has_keys_ && KeylessPassage::read(datagram);
  auto on = is_unreadable ? std::optional(datagram) : is_of_host ? decrypted(datagram, wall_now) : std::nullopt;
  if (on && keeps_seal_) on = datagram;
  ++(on ? passed_ : refused_);
  return on;
}

std::optional<Bytes> SoundRelay::decrypted(Bytes datagram, WallTime wall_now) {
  const auto opened = opener_.open(datagram, wall_now);
  if (!opened) return std::nullopt;
  if (const auto own = parse_own_datagram(*opened))
    return own->type == static_cast<uint8_t>(OwnType::sound_parity) ? opened : std::nullopt;
  auto rtp = parse_rtp(*opened);
  if (!rtp || (rtp->payload_type != kAudioPayloadType && rtp->payload_type != kEncryptedAudioPayloadType))
    return std::nullopt;
  const uint8_t type = rtp->payload_type;
  if (!opener_.open_media(*rtp)) return std::nullopt;
  return rtp->payload_type == type ? opened : std::optional(with_payload(*opened, *rtp, rewritten_));
}

}  // namespace texcast::transport
