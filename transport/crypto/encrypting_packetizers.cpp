#include "transport/encrypting_packetizers.h"

#include <algorithm>

#include "base/ensure.h"
#include "transport/packet.h"

namespace texcast::transport {
namespace {

constexpr auto kTypeMask = std::byte{0x7F};

}  // namespace

void RewritingPacketizer::begin(Bytes frame, const FrameTimes& times) {
  memory_.reset();
  sent_ = times.sent;
  inner_->begin(frame, times);
}

std::span<const OutgoingPacket> RewritingPacketizer::advance(size_t ready_bytes) {
  std::vector<OutgoingPacket>& list = memory_.next_list();
  for (const OutgoingPacket& packet : inner_->advance(ready_bytes))
    list.push_back({rewrite(packet, memory_, sent_), {}});
  return list;
}

Bytes UltraGridEncryptingPacketizer::rewrite(const OutgoingPacket& packet, DatagramMemory& memory, WallTime) {
  const size_t header_bytes = packet.header.size();
  ENSURE(header_bytes >= kRtpHeaderBytes + kFecHeaderBytes);
  const auto type = static_cast<uint8_t>(packet.header[1] & kTypeMask);
  ENSURE(is_video(type) && !is_encrypted(type));
  const size_t media_bytes = is_fec(type) ? kFecHeaderBytes : kVideoHeaderBytes;
  const size_t blob_bytes = UltraGridCipher::blob_bytes(mode_, packet.payload.size());
  const MutableBytes out = memory.take(header_bytes + kCryptoHeaderBytes + blob_bytes);

  std::ranges::copy(packet.header, out.begin());
  const auto encrypted = static_cast<std::byte>(payload_type_of(fec_scheme(type), true));
  out[1] = (out[1] & ~kTypeMask) | encrypted;
  write_crypto_header(out.subspan(header_bytes), {.mode = static_cast<uint8_t>(mode_)});
  cipher_.seal(mode_, packet.header.last(media_bytes), packet.payload, out.last(blob_bytes));
  return out;
}

Bytes SealingPacketizer::rewrite(const OutgoingPacket& packet, DatagramMemory& memory, WallTime sent) {
  return sealer_.seal(packet.header, packet.payload, memory.take(packet.size() + kSealOverhead), sent);
}

}  // namespace texcast::transport
