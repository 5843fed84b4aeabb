#include "transport/packet_opener.h"

#include <algorithm>

namespace texcast::transport {
namespace {

constexpr size_t kLargestPayload = 65535;

}  // namespace

struct PacketOpener::Keyed {
  explicit Keyed(std::shared_ptr<const WireKeys> keys) : cipher(*keys), opener(std::move(keys)) {}

  UltraGridCipher cipher;
  Opener opener;
  std::vector<std::byte> payload = std::vector<std::byte>(kLargestPayload);  // of the latest packet of UltraGrid's
};

PacketOpener::PacketOpener(std::shared_ptr<const WireKeys> keys)
    : keyed_(keys ? std::make_unique<Keyed>(std::move(keys)) : nullptr) {}
PacketOpener::~PacketOpener() = default;

std::optional<Bytes> PacketOpener::open(Bytes datagram) {
  was_sealed_ = is_sealed(datagram);
  if (!was_sealed_) {
    if (keyed_ && parse_own_datagram(datagram)) return refuse(Refusal::in_the_clear);
    return datagram;
  }
  if (!keyed_) return refuse(Refusal::no_key);
  const Opener::Opened opened = keyed_->opener.open(datagram);
  switch (opened.outcome) {
    case Opener::Outcome::opened: return opened.datagram;
    case Opener::Outcome::replayed: return refuse(Refusal::replayed);
    case Opener::Outcome::refused: break;
  }
  return refuse(Refusal::wrong_key);
}

bool PacketOpener::open_media(RtpPacket& rtp) {
  if (!is_encrypted(rtp.payload_type)) {
    if (!keyed_ || was_sealed_) return true;
    last_refusal_ = Refusal::in_the_clear;
    return false;
  }
  if (!keyed_) {
    last_refusal_ = Refusal::no_key;
    return false;
  }
  last_refusal_ = Refusal::wrong_key;
  const size_t header_bytes = is_fec(rtp.payload_type) ? kFecHeaderBytes : kVideoHeaderBytes;
  if (rtp.payload.size() < header_bytes + kCryptoHeaderBytes || rtp.payload.size() > kLargestPayload) return false;
  const Bytes header = rtp.payload.first(header_bytes);
  const auto crypto = parse_crypto_header(rtp.payload.subspan(header_bytes));
  const Bytes blob = rtp.payload.subspan(header_bytes + kCryptoHeaderBytes);
  const MutableBytes payload(keyed_->payload);
  const auto plain = keyed_->cipher.open(crypto->mode, header, blob, payload.subspan(header_bytes));
  if (!plain) return false;
  std::ranges::copy(header, payload.begin());
  rtp.payload = payload.first(header_bytes + plain->size());
  rtp.payload_type = static_cast<uint8_t>(payload_type_of(fec_scheme(rtp.payload_type), false));
  return true;
}

}  // namespace texcast::transport
