#include "transport/audio_opener.h"

#include "transport/audio_packet.h"

namespace texcast::transport {

AudioOpener::AudioOpener(std::shared_ptr<const WireKeys> keys, CryptoChoice cipher, nanoseconds max_age)
    : opener_(keys, cipher, max_age), keyed_(keys != nullptr) {}

bool AudioOpener::open_media(RtpPacket& rtp) {
  if (rtp.payload_type != kEncryptedAudioPayloadType) return !keyed_ || opener_.session().has_value();
  const auto payload = opener_.open_payload(rtp.payload, kAudioHeaderBytes);
  if (!payload) return false;
  rtp.payload = *payload;
  rtp.payload_type = kAudioPayloadType;
  return true;
}

}  // namespace texcast::transport
