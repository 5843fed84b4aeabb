#include "transport/relayed_packet.h"

#include <algorithm>

#include "transport/compact_packet.h"
#include "transport/cursor_packet.h"
#include "transport/own_packet.h"

namespace texcast::transport {
namespace {

template <typename Packet>
std::optional<uint32_t> ssrc_of(const std::optional<Packet>& packet) {
  return packet ? std::optional(packet->ssrc) : std::nullopt;
}
template <typename Packet>
std::optional<uint32_t> ssrc_of_head(const std::optional<Packet>& packet) {
  return packet ? std::optional(packet->head.ssrc) : std::nullopt;
}

// The number of parity symbol `number` of `group`: symbols of all groups alternate, behind the data.
std::optional<uint32_t> parity_number(uint32_t packets, uint32_t groups, uint32_t number, uint32_t group) {
  if (group >= groups) return std::nullopt;
  return packets + number * groups + group;
}

std::optional<PacketPlace> place_of_data(const RtpPacket& rtp) {
  if (rtp.payload_type != static_cast<uint8_t>(PayloadType::video) || rtp.extension_id != kExtensionId)
    return std::nullopt;
  const auto extension = parse_stream_extension(rtp.extension);
  const auto video = parse_video_header(rtp.payload);
  if (!extension || !extension->has_symbols() || !video) return std::nullopt;
  return PacketPlace{video->buffer_id, video->offset / extension->symbol_bytes};
}

std::optional<PacketPlace> place_of_parity(const std::optional<ParityPacket>& parity) {
  if (!parity || !parity->extension.has_symbols()) return std::nullopt;
  const uint32_t symbol = parity->extension.symbol_bytes;
  const uint32_t packets = parity->video.length / symbol + (parity->video.length % symbol != 0 ? 1 : 0);
  const auto number = parity_number(packets, parity->extension.groups, parity->number, parity->group);
  return number ? std::optional(PacketPlace{parity->video.buffer_id, *number}) : std::nullopt;
}

std::optional<PacketPlace> place_of_parity(const std::optional<CompactParityPacket>& parity) {
  if (!parity) return std::nullopt;
  const auto number = parity_number(parity->packets, parity->groups, parity->number, parity->group);
  return number ? std::optional(PacketPlace{parity->head.buffer_id, *number}) : std::nullopt;
}

}  // namespace

std::optional<uint32_t> picture_ssrc(Bytes datagram) {
  if (const auto own = parse_own_datagram(datagram)) {
    switch (static_cast<OwnType>(own->type)) {
      case OwnType::parity: return ssrc_of(parse_parity(own->body));
      case OwnType::compact: return ssrc_of_head(parse_compact(own->body));
      case OwnType::compact_parity: return ssrc_of_head(parse_compact_parity(own->body));
      case OwnType::cursor: return ssrc_of(parse_cursor(own->body));
      case OwnType::cursor_shape: return ssrc_of(parse_cursor_shape(own->body));
      case OwnType::tile_sums: return ssrc_of(parse_tile_sums(own->body));
      default: return std::nullopt;
    }
  }
  const auto rtp = parse_rtp(datagram);
  return rtp && is_video(rtp->payload_type) ? std::optional(rtp->ssrc) : std::nullopt;
}

std::optional<PacketPlace> packet_place(Bytes datagram) {
  const auto own = parse_own_datagram(datagram);
  if (!own) {
    const auto rtp = parse_rtp(datagram);
    return rtp ? place_of_data(*rtp) : std::nullopt;
  }
  switch (static_cast<OwnType>(own->type)) {
    case OwnType::parity: return place_of_parity(parse_parity(own->body));
    case OwnType::compact_parity: return place_of_parity(parse_compact_parity(own->body));
    case OwnType::compact:
      if (const auto packet = parse_compact(own->body)) return PacketPlace{packet->head.buffer_id, packet->number};
      return std::nullopt;
    default: return std::nullopt;
  }
}

Bytes with_payload(Bytes datagram, const RtpPacket& decrypted, std::vector<std::byte>& out) {
  constexpr std::byte kPadding{0x20}, kMarker{0x80};
  const size_t csrcs = 4 * (load_u8(datagram, 0) & 0xF);
  const size_t extension = decrypted.extension_id ? 4 + decrypted.extension.size() : 0;
  const Bytes headers = datagram.first(kRtpHeaderBytes + csrcs + extension);
  out.assign(headers.begin(), headers.end());
  out[0] &= ~kPadding;
  out[1] = (out[1] & kMarker) | std::byte{decrypted.payload_type};
  out.insert(out.end(), decrypted.payload.begin(), decrypted.payload.end());
  return out;
}

}  // namespace texcast::transport
