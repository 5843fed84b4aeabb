#include "transport/packet_opener.h"

#include <algorithm>

#include "keyed_opener.h"
#include "transport/sealing.h"
#include "transport/ultragrid_cipher.h"

namespace texcast::transport {
namespace {

// Its name for `--crypto`; empty if it has none.
std::string_view cipher_name(uint8_t mode) {
  for (const CryptoChoice choice : kOpenedCryptoChoices)
    if (const auto own = ultragrid_mode(choice); own && static_cast<uint8_t>(*own) == mode) return name(choice);
  return {};
}

Refused other_cipher(std::string_view cipher) {
  Refused refused(Refusal::other_cipher);
  refused.cipher = cipher;
  return refused;
}

}  // namespace

PacketOpener::PacketOpener(std::shared_ptr<const WireKeys> keys, CryptoChoice cipher, nanoseconds max_age,
                           WorkAhead* helpers)
    : keyed_(keys ? std::make_unique<Keyed>(std::move(keys), max_age, helpers) : nullptr), cipher_(cipher) {}
PacketOpener::~PacketOpener() = default;

void PacketOpener::expect(std::span<const Bytes> datagrams) {
  if (keyed_ && cipher_ == CryptoChoice::texcast) keyed_->expect(datagrams);
}

std::optional<Bytes> PacketOpener::open(Bytes datagram, WallTime now) {
  session_.reset();
  if (!is_sealed(datagram)) {
    if (is_sealed_of_old(datagram)) return refuse(Refusal::old_sealing);
    if (keyed_ && parse_own_datagram(datagram)) return refuse(Refusal::in_the_clear);
    return datagram;
  }
  if (!keyed_) return refuse(Refusal::no_key);
  if (cipher_ != CryptoChoice::texcast) return refuse(other_cipher(name(CryptoChoice::texcast)));
  const Opener::Opened opened = keyed_->open(datagram, now);
  const auto at_another_time = [&](Refusal why) {
    Refused refused(why);
    refused.seconds = opened.seconds;
    return refused;
  };
  switch (opened.outcome) {
    case Opener::Outcome::opened: session_ = {opened.session, opened.began, opened.counter}; return opened.datagram;
    case Opener::Outcome::replayed: return refuse(Refusal::replayed);
    case Opener::Outcome::too_old: return refuse(at_another_time(Refusal::too_old));
    case Opener::Outcome::from_the_future: return refuse(at_another_time(Refusal::from_the_future));
    case Opener::Outcome::refused: break;
  }
  return refuse(Refusal::wrong_key);
}

bool PacketOpener::open_media(RtpPacket& rtp) {
  if (!is_encrypted(rtp.payload_type)) {
    if (!keyed_ || session_) return true;
    last_refusal_ = Refusal::in_the_clear;
    return false;
  }
  const size_t header_bytes = is_fec(rtp.payload_type) ? kFecHeaderBytes : kVideoHeaderBytes;
  const auto payload = open_payload(rtp.payload, header_bytes);
  if (!payload) return false;
  rtp.payload = *payload;
  rtp.payload_type = static_cast<uint8_t>(payload_type_of(fec_scheme(rtp.payload_type), false));
  return true;
}

std::optional<Bytes> PacketOpener::open_payload(Bytes encrypted, size_t header_bytes) {
  if (!keyed_) return refuse(Refusal::no_key);
  const MutableBytes payload(keyed_->payload);
  if (encrypted.size() < header_bytes + kCryptoHeaderBytes || encrypted.size() > payload.size())
    return refuse(Refusal::wrong_key);
  const Bytes header = encrypted.first(header_bytes);
  const auto crypto = parse_crypto_header(encrypted.subspan(header_bytes));
  const auto mode = ultragrid_mode(cipher_);
  if (!mode || static_cast<uint8_t>(*mode) != crypto->mode) return refuse(other_cipher(cipher_name(crypto->mode)));
  const Bytes blob = encrypted.subspan(header_bytes + kCryptoHeaderBytes);
  const auto plain = keyed_->open_blob(crypto->mode, header, blob, payload.subspan(header_bytes));
  if (!plain) return refuse(Refusal::wrong_key);
  std::ranges::copy(header, payload.begin());
  return payload.first(header_bytes + plain->size());
}

}  // namespace texcast::transport
