#include "capture_walk.h"

#include <algorithm>
#include <cstring>

#include "transport/compact_packet.h"
#include "transport/packet.h"

namespace texcast::transport {
namespace {

// LINKTYPE_ numbers (tcpdump.org/linktypes.html); 12 and 14 are raw IP of some systems.
constexpr uint32_t kNull = 0, kEthernet = 1, kRaw12 = 12, kRaw14 = 14, kRaw = 101, kLoop = 108, kLinuxSll = 113,
                   kIpv4 = 228, kIpv6 = 229, kLinuxSll2 = 276;
constexpr uint16_t kEtherIpv4 = 0x0800, kEtherIpv6 = 0x86DD, kEtherVlan = 0x8100, kEtherServiceVlan = 0x88A8;
constexpr uint8_t kProtocolUdp = 17, kProtocolFragment = 44;

// The IP packet after the link layer's header. Its first bits contain the version. nullopt if it is not IP.
std::optional<Bytes> ip_packet(Bytes packet, uint32_t link_type) {
  ByteReader reader(packet);
  std::optional<uint64_t> ether_type;
  switch (link_type) {
    case kRaw:
    case kRaw12:
    case kRaw14:
    case kIpv4:
    case kIpv6: return packet;
    case kNull:
    case kLoop:  // an address family, whose byte order and number depend on the capturing machine
      return reader.take(4) ? std::optional(reader.rest()) : std::nullopt;
    case kEthernet:
      if (!reader.take(12)) return std::nullopt;
      ether_type = reader.take_be<2>();
      break;
    case kLinuxSll:
      if (!reader.take(14)) return std::nullopt;
      ether_type = reader.take_be<2>();
      break;
    case kLinuxSll2:
      ether_type = reader.take_be<2>();
      if (!reader.take(18)) return std::nullopt;
      break;
    default: return std::nullopt;
  }
  while (ether_type == kEtherVlan || ether_type == kEtherServiceVlan) {
    if (!reader.take(2)) return std::nullopt;
    ether_type = reader.take_be<2>();
  }
  if (ether_type != kEtherIpv4 && ether_type != kEtherIpv6) return std::nullopt;
  return reader.rest();
}

// `source`: the IP header's 4 or 16 bytes.
std::optional<UdpPayload> udp(Bytes segment, Bytes source) {
  if (segment.size() < 8) return std::nullopt;
  const uint16_t length = load_be16(segment, 4);
  Bytes payload = segment.subspan(8);
  // Shorter than the segment: link-layer padding follows. 0 or longer: a truncated capture, or the hardware fills it
  // in.
  if (length >= 8 && length - 8u < payload.size()) payload = payload.first(length - 8u);
  const uint16_t from_port = load_be16(segment, 0);
  const PeerAddress from =
      source.size() == 4 ? PeerAddress::of_ipv4(source, from_port) : PeerAddress::of_ipv6(source, from_port);
  return UdpPayload{payload, load_be16(segment, 2), from};
}

constexpr size_t kShortest = kRtpHeaderBytes + kVideoHeaderBytes;

// Whether a coded packet follows the previous one: same stream, frame and description; next sequence number and packet
// number.
bool continues_compact(Bytes train, size_t previous, size_t at) {
  if (train.size() - at <= kCompactHeaderBytes) return false;
  const auto next = [&](size_t offset) {
    return load_be16(train, at + offset) == static_cast<uint16_t>(load_be16(train, previous + offset) + 1);
  };
  return std::memcmp(&train[previous], &train[at], 12) == 0 && next(12) &&
         std::memcmp(&train[previous + 15], &train[at + 15], 5) == 0 && next(20);
}

// A train that begins with coded parity has nothing else, and each parity packet contains the size of its symbol.
size_t compact_segment_bytes(Bytes train, const OwnDatagram& own) {
  if (own.type == static_cast<uint8_t>(OwnType::compact_parity)) {
    if (train.size() < kCompactParityHeaderBytes) return train.size();
    return std::min(kCompactParityHeaderBytes + load_be16(train, 24), train.size());
  }
  if (own.type != static_cast<uint8_t>(OwnType::compact)) return train.size();
  for (size_t size = kCompactHeaderBytes + 1; size + kCompactHeaderBytes < train.size(); ++size) {
    size_t at = size;
    while (at < train.size() && continues_compact(train, at - size, at)) at += size;
    if (at >= train.size()) return size;
  }
  return train.size();
}

bool continues(Bytes train, size_t previous, size_t at) {
  if (train.size() - at < kRtpHeaderBytes) return false;
  constexpr unsigned kVersionBits = 0xC0, kTypeBits = 0x7F;
  const auto bits = [&](size_t offset, unsigned mask) { return load_u8(train, offset) & mask; };
  return std::memcmp(&train[previous + 4], &train[at + 4], 8) == 0 &&  // time stamp, SSRC
         bits(previous, kVersionBits) == bits(at, kVersionBits) &&
         bits(previous + 1, kTypeBits) == bits(at + 1, kTypeBits) &&
         load_be16(train, at + 2) == static_cast<uint16_t>(load_be16(train, previous + 2) + 1);
}

}  // namespace

std::optional<UdpPayload> CaptureWalk::udp_of(Bytes packet, uint32_t link_type) {
  const auto ip = ip_packet(packet, link_type);
  if (!ip || ip->empty()) return std::nullopt;
  switch (load_u8(*ip, 0) >> 4) {
    case 4: return ipv4(*ip);
    case 6: return ipv6(*ip);
    default: return std::nullopt;
  }
}

std::optional<UdpPayload> CaptureWalk::ipv4(Bytes packet) {
  const size_t header_bytes = size_t{load_u8(packet, 0) & 0x0Fu} * 4;
  if (header_bytes < 20 || packet.size() < header_bytes || load_u8(packet, 9) != kProtocolUdp) return std::nullopt;
  const size_t total = load_be16(packet, 2);
  Bytes body = packet.subspan(header_bytes);
  if (total >= header_bytes && total - header_bytes < body.size()) body = body.first(total - header_bytes);
  const uint16_t fragment_word = load_be16(packet, 6);
  const bool more = fragment_word & 0x2000;
  const size_t offset = size_t{fragment_word & 0x1FFFu} * 8;
  if (!more && offset == 0) return udp(body, packet.subspan(12, 4));
  return fragment(packet.subspan(12, 8), load_be16(packet, 4), false, offset, more, body);
}

std::optional<UdpPayload> CaptureWalk::ipv6(Bytes packet) {
  if (packet.size() < 40) return std::nullopt;
  const Bytes addresses = packet.subspan(8, 32);
  const size_t length = load_be16(packet, 4);
  uint8_t next = load_u8(packet, 6);
  Bytes body = packet.subspan(40);
  if (length > 0 && length < body.size()) body = body.first(length);
  while (next == 0 || next == 43 || next == 60) {  // hop-by-hop, routing, destination options
    if (body.size() < 8) return std::nullopt;
    const size_t header_bytes = (size_t{load_u8(body, 1)} + 1) * 8;
    if (body.size() < header_bytes) return std::nullopt;
    next = load_u8(body, 0);
    body = body.subspan(header_bytes);
  }
  if (next == kProtocolUdp) return udp(body, addresses.first(16));
  if (next != kProtocolFragment || body.size() < 8 || load_u8(body, 0) != kProtocolUdp) return std::nullopt;
  const uint16_t word = load_be16(body, 2);
  return fragment(addresses, load_be32(body, 4), true, size_t{word & 0xFFF8u}, (word & 1) != 0, body.subspan(8));
}

std::optional<UdpPayload> CaptureWalk::fragment(Bytes addresses, uint32_t id, bool is_ipv6, size_t offset, bool more,
                                                Bytes piece) {
  constexpr size_t kUnit = 8;
  if (piece.empty() || offset + piece.size() > 65535 || (more && piece.size() % kUnit != 0)) return std::nullopt;
  std::array<std::byte, 32> key{};
  std::memcpy(key.data(), addresses.data(), addresses.size());

  auto entry = std::find_if(fragmented_.begin(), fragmented_.end(), [&](const Fragmented& f) {
    return f.age != 0 && f.id == id && f.ipv6 == is_ipv6 && f.source_and_destination == key;
  });
  if (entry == fragmented_.end()) {
    entry = std::min_element(fragmented_.begin(), fragmented_.end(),
                             [](const Fragmented& a, const Fragmented& b) { return a.age < b.age; });
    entry->source_and_destination = key;
    entry->id = id;
    entry->ipv6 = is_ipv6;
    entry->age = ++clock_;
    entry->bytes.clear();
    entry->units.clear();
    entry->total.reset();
  }
  const size_t end = offset + piece.size();
  if (entry->bytes.size() < end) entry->bytes.resize(end);
  std::copy(piece.begin(), piece.end(), entry->bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  const size_t unit_end = (end + kUnit - 1) / kUnit;
  if (entry->units.size() < unit_end) entry->units.resize(unit_end);
  for (size_t unit = offset / kUnit; unit < unit_end; ++unit) entry->units[unit] = true;
  if (!more) entry->total = end;
  if (!entry->total || std::find(entry->units.begin(), entry->units.end(), false) != entry->units.end())
    return std::nullopt;

  std::swap(whole_, entry->bytes);
  whole_.resize(*entry->total);
  entry->age = 0;
  return udp(whole_, Bytes(key).first(is_ipv6 ? 16 : 4));
}

size_t train_segment_bytes(Bytes train) {
  if (const auto own = parse_own_datagram(train)) return compact_segment_bytes(train, *own);
  if (!parse_rtp(train)) return train.size();
  for (size_t size = kShortest; size + kRtpHeaderBytes <= train.size(); ++size) {
    size_t at = size;
    while (at < train.size() && continues(train, at - size, at)) at += size;
    if (at >= train.size()) return size;
  }
  return train.size();
}

}  // namespace texcast::transport
