#include "transport/audio_opener.h"

#include <algorithm>

#include "transport/audio_packet.h"

namespace texcast::transport {
namespace {
constexpr size_t kLargest = 65535;
}

AudioOpener::AudioOpener(std::shared_ptr<const WireKeys> keys, CryptoChoice cipher, nanoseconds max_age)
    : opener_(keys, cipher, max_age), keyed_(keys != nullptr), choice_(cipher) {
  if (!keys || !ultragrid_mode(cipher)) return;
  cipher_.emplace(*keys);
  payload_.resize(kLargest);
}

bool AudioOpener::open_media(RtpPacket& rtp) {
  if (rtp.payload_type != kEncryptedAudioPayloadType) return !keyed_ || opener_.session().has_value();
  constexpr size_t kHeaders = kAudioHeaderBytes + kCryptoHeaderBytes;
  if (!cipher_ || rtp.payload.size() < kHeaders || rtp.payload.size() > kLargest) return false;
  const Bytes header = rtp.payload.first(kAudioHeaderBytes);
  const uint8_t mode = parse_crypto_header(rtp.payload.subspan(kAudioHeaderBytes))->mode;
  if (mode != static_cast<uint8_t>(*ultragrid_mode(choice_))) return false;
  const MutableBytes out(payload_);
  const auto plain = cipher_->open(mode, header, rtp.payload.subspan(kHeaders), out.subspan(kAudioHeaderBytes));
  if (!plain) return false;
  std::ranges::copy(header, out.begin());
  rtp.payload = out.first(kAudioHeaderBytes + plain->size());
  rtp.payload_type = kAudioPayloadType;
  return true;
}

}  // namespace texcast::transport
