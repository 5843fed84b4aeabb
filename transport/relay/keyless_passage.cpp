#include "transport/keyless_passage.h"

#include <algorithm>

#include "transport/audio_packet.h"
#include "transport/packet.h"
#include "transport/sealing.h"

namespace texcast::transport {
namespace {

constexpr uint64_t kFarAhead = 1 << 16;
constexpr size_t kEnvelopeSession = 4, kEnvelopeCounter = 12;

bool is_encrypted_type(uint8_t payload_type) {
  switch (static_cast<PayloadType>(payload_type)) {
    case PayloadType::video_encrypted:
    case PayloadType::video_encrypted_ldgm:
    case PayloadType::video_encrypted_reed_solomon: return true;
    default: return payload_type == kEncryptedAudioPayloadType;
  }
}

// The 64-bit number next to `near` that ends in these 16 bits.
uint64_t extended(uint64_t sequence, uint64_t near) {
  const auto ahead = static_cast<int16_t>(static_cast<uint16_t>(sequence - near));
  return near + static_cast<uint64_t>(static_cast<int64_t>(ahead));
}

}  // namespace

std::optional<KeylessPassage::Envelope> KeylessPassage::read(Bytes datagram) {
  if (transport::is_sealed(datagram) && datagram.size() >= kSealOverhead)
    return Envelope{.stream = load_be64(datagram, kEnvelopeSession),
                    .counter = load_be64(datagram, kEnvelopeCounter),
                    .is_sealed = true};
  const auto rtp = parse_rtp(datagram);
  if (!rtp || !is_encrypted_type(rtp->payload_type)) return std::nullopt;
  return Envelope{.stream = rtp->ssrc, .counter = rtp->sequence};
}

void KeylessPassage::follow(const Envelope& envelope, SteadyTime now, const PeerAddress& from) {
  sender_ = {.count = sender_.count + 1,
             .ssrc = envelope.is_sealed ? 0 : static_cast<uint32_t>(envelope.stream),
             .from = from,
             .silence = sender_.count > 0 ? now - heard_ : nanoseconds{}};
  stream_ = envelope;
  if (!envelope.is_sealed) stream_.counter += uint64_t{1} << 32;  // earlier ones are above zero
  feedback_at_.reset();
  window_ = {};
  highest_ = stream_.counter;
  received_ = 0;
}

bool KeylessPassage::passes(const Envelope& envelope, SteadyTime now, const PeerAddress& from) {
  const auto is_followed = [&] {
    return sender_.count > 0 && envelope.stream == stream_.stream && envelope.is_sealed == stream_.is_sealed;
  };
  if (!is_followed() || from != sender_.from) {
    if (is_alive(now)) {
      ++(is_followed() ? returned_ : foreign_);
      return false;
    }
    follow(envelope, now, from);
  }
  const uint64_t counter = envelope.is_sealed ? envelope.counter : extended(envelope.counter, highest_);
  heard_ = now;
  // A counter far off may be forged: it must not move the window. Receivers judge the datagram.
  if (counter > highest_ + kFarAhead || counter + ReplayWindow::kReach <= highest_) return true;
  if (!window_.accept(counter)) {
    const bool may_answer = feedback_at_ && now - *feedback_at_ < kAnswered;
    ++(may_answer ? passed_again_ : duplicates_);
    return may_answer;
  }
  highest_ = std::max(highest_, counter);
  stream_.counter = std::min(stream_.counter, counter);
  ++received_;
  return true;
}

uint64_t KeylessPassage::lost() const {
  if (received_ == 0) return 0;
  const uint64_t expected = highest_ - stream_.counter + 1;
  return expected - std::min(expected, received_);
}

}  // namespace texcast::transport
