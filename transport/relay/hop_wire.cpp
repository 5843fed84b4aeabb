#include "transport/hop_wire.h"

#include <algorithm>
#include <utility>

#include "transport/compact_packet.h"
#include "transport/compact_packetizer.h"
#include "transport/own_packet.h"
#include "transport/own_packetizer.h"
#include "transport/packet.h"
#include "transport/relayed_packet.h"
#include "transport/symbol_layout.h"

namespace texcast::transport {
namespace {

// Offsets in datagrams; docs/wire.md. A coded data packet:
constexpr size_t kCodedHead = 4, kCodedSequence = 12, kCodedFlags = 14, kCodedBufferId = 16, kCodedDescription = 24;
constexpr std::byte kDescribedFlag{1}, kAnswersFlag{2}, kParityFlag{8};
// A data packet of own mode, without CSRCs:
constexpr size_t kRawSequence = 2, kRawTimestamp = 4, kRawSsrc = 8, kRawExtension = kRtpHeaderBytes;
constexpr size_t kRawGroups = kRawExtension + 34, kRawParity = kRawExtension + 36, kRawFlags = kRawExtension + 37;
constexpr size_t kRawVideo = kRawExtension + 40;
constexpr size_t kRawHeaders = kRawVideo + kVideoHeaderBytes;
constexpr std::byte kMarker{0x80}, kRawAnswersFlag{1};
// Parity packets:
constexpr size_t kCodedParityDescription = 28, kRawParityExtension = 16, kRawParityVideo = 52;
constexpr size_t kLongestPayload = 16384;  // jumbo packets have less
constexpr size_t kExtensionFields = 36;    // bytes 4 to 39 of the extension

std::optional<CompactPacket> coded_packet(Bytes datagram) {
  const auto own = parse_own_datagram(datagram, OwnType::compact);
  return own ? parse_compact(own->body) : std::nullopt;
}

// A data packet of own mode whose headers lie where texcast's senders put them.
struct RawPacket {
  StreamExtension extension{};
  VideoHeader video{};
};
std::optional<RawPacket> raw_packet(Bytes datagram) {
  const auto rtp = parse_rtp(datagram);
  if (!rtp || rtp->payload_type != static_cast<uint8_t>(PayloadType::video) || rtp->extension_id != kExtensionId)
    return std::nullopt;
  if (datagram.size() <= kRawHeaders || rtp->payload.data() != datagram.data() + kRawVideo) return std::nullopt;
  const auto extension = parse_stream_extension(rtp->extension);
  const auto video = parse_video_header(rtp->payload);
  if (!extension || !extension->has_symbols() || !video) return std::nullopt;
  return RawPacket{*extension, *video};
}

void set_flag(MutableBytes bytes, size_t at, std::byte flag, bool on) {
  bytes[at] = on ? bytes[at] | flag : bytes[at] & ~flag;
}

void copy_field(Bytes from, size_t from_at, size_t bytes, MutableBytes to, size_t to_at) {
  std::ranges::copy(from.subspan(from_at, bytes), to.subspan(to_at).begin());
}

PacketPlace place_of(const ReceivedFrame& frame, size_t number) {
  return {.buffer_id = frame.buffer_id, .number = static_cast<uint32_t>(number)};
}

// The first data packet of the frame that has passed, and its number.
std::optional<std::pair<Bytes, uint32_t>> any_packet(const ReceivedFrame& frame, const PacketCache& cache,
                                                     size_t packets) {
  for (size_t i = 0; i < packets; ++i)
    if (const auto kept = cache.packet(place_of(frame, i))) return std::pair(*kept, static_cast<uint32_t>(i));
  return std::nullopt;
}

// The largest number of packets of a raw stream's frame: its symbols have at least kLeastSymbolBytes.
size_t most_packets(const ReceivedFrame& frame) { return frame.bytes.size() / SymbolLayout::kLeastSymbolBytes + 1; }

// The packet that carries a description; the first one does, and every 16th.
std::optional<Bytes> described_packet(const ReceivedFrame& frame, const PacketCache& cache) {
  for (size_t i = 0; i < frame.payloads.size(); ++i)
    if (const auto kept = cache.packet(place_of(frame, i));
        kept && (kept->data()[kCodedFlags] & kDescribedFlag) != std::byte{})
      return kept;
  return std::nullopt;
}

// The description that belongs to the frame, from a data packet or from parity; empty: none has passed.
Bytes description_of(const ReceivedFrame& frame, const PacketCache& cache) {
  if (const auto described = described_packet(frame, cache))
    return described->subspan(kCodedDescription, kCompactDescriptionBytes);
  for (size_t i = 0; i < SymbolLayout::kMaxGroupSymbols; ++i)
    if (const auto parity = cache.packet(place_of(frame, frame.payloads.size() + i));
        parity && is_frame_parity(*parity))
      return parity->subspan(kCodedParityDescription, kCompactDescriptionBytes);
  return {};
}

std::vector<std::byte> joined(const OutgoingPacket& packet) {
  std::vector<std::byte> datagram(packet.size());
  copy_field(packet.header, 0, packet.header.size(), datagram, 0);
  copy_field(packet.payload, 0, packet.payload.size(), datagram, packet.header.size());
  return datagram;
}

// Like `like`, which is data packet `number` of the frame. As senders do, every 16th packet and the last are described.
std::vector<std::byte> coded_like(Bytes like, uint32_t number, uint32_t wanted, Bytes payload, size_t packets,
                                  Bytes description) {
  const bool described = !description.empty() && (wanted % kDescribeEvery == 0 || wanted + 1 == packets);
  if (!described) description = {};
  std::vector<std::byte> made(kCompactHeaderBytes + description.size() + payload.size());
  const MutableBytes header(made);
  copy_field(like, 0, kCompactHeaderBytes, header, 0);
  copy_field(description, 0, description.size(), header, kCodedDescription);
  copy_field(payload, 0, payload.size(), header, kCompactHeaderBytes + description.size());
  set_flag(header, kCodedFlags, kDescribedFlag, described);
  store_be16(header, kCodedSequence, static_cast<uint16_t>(load_be16(like, kCodedSequence) + wanted - number));
  store_be16(header, 20, static_cast<uint16_t>(wanted));
  store_be16(header, 22, static_cast<uint16_t>(packets));
  return made;
}

void missing_coded(const ReceivedFrame& frame, const PacketCache& cache, FrameRemaker::Datagrams& out) {
  const size_t packets = frame.payloads.size();
  const auto like = any_packet(frame, cache, packets);
  if (!like || like->first.size() <= kCompactHeaderBytes) return;
  const Bytes description = description_of(frame, cache);
  for (uint32_t i = 0; i < packets; ++i)
    if (!frame.payloads[i].empty() && !cache.packet(place_of(frame, i)))
      out.push_back(coded_like(like->first, like->second, i, frame.payloads[i], packets, description));
}

void missing_raw(const ReceivedFrame& frame, const PacketCache& cache, FrameRemaker::Datagrams& out) {
  const auto like = any_packet(frame, cache, most_packets(frame));
  const auto packet = like ? raw_packet(like->first) : std::nullopt;
  if (!packet || packet->video.length != frame.bytes.size()) return;
  const size_t symbol = packet->extension.symbol_bytes;
  const auto packets = static_cast<uint32_t>((frame.bytes.size() + symbol - 1) / symbol);
  for (uint32_t i = 0; i < packets; ++i) {
    if (cache.packet(place_of(frame, i))) continue;
    const Bytes piece = frame.bytes.subspan(i * symbol, std::min(symbol, frame.bytes.size() - i * symbol));
    std::vector<std::byte> made(kRawHeaders + piece.size());
    const MutableBytes header(made);
    copy_field(like->first, 0, kRawHeaders, header, 0);
    copy_field(piece, 0, piece.size(), header, kRawHeaders);
    set_flag(header, 1, kMarker, i + 1 == packets);
    store_be16(header, kRawSequence, static_cast<uint16_t>(load_be16(like->first, kRawSequence) + i - like->second));
    store_be32(header, kRawVideo + 4, static_cast<uint32_t>(i * symbol));
    out.push_back(std::move(made));
  }
}

bool is_whole(const ReceivedFrame& frame) { return frame.concealed_bytes == 0 && frame.payloads_missing == 0; }

}  // namespace

bool is_frame_parity(Bytes datagram) {
  const auto own = parse_own_datagram(datagram);
  return own && (own->type == static_cast<uint8_t>(OwnType::parity) ||
                 own->type == static_cast<uint8_t>(OwnType::compact_parity));
}

Bytes with_choices(Bytes datagram, const HopChoices& choices, std::vector<std::byte>& out) {
  const auto copied = [&] {
    out.assign(datagram.begin(), datagram.end());
    return MutableBytes(out);
  };
  if (coded_packet(datagram)) {
    const MutableBytes changed = copied();
    if (choices.parity_percent) set_flag(changed, kCodedFlags, kParityFlag, *choices.parity_percent > 0);
    if (choices.answers) set_flag(changed, kCodedFlags, kAnswersFlag, *choices.answers);
    return changed;
  }
  const auto raw = raw_packet(datagram);
  if (!raw) return datagram;
  const MutableBytes changed = copied();
  if (choices.answers) set_flag(changed, kRawFlags, kRawAnswersFlag, *choices.answers);
  if (choices.parity_percent && raw->video.length > 0) {
    const SymbolLayout layout =
        SymbolLayout::plan(raw->video.length, raw->extension.symbol_bytes, *choices.parity_percent);
    store_be16(changed, kRawGroups, static_cast<uint16_t>(layout.groups));
    changed[kRawParity] = static_cast<std::byte>(layout.parity);
  }
  return changed;
}

// The encoders are those of the sender: their headers are replaced by those of the frame.
struct FrameRemaker::Coded {
  double percent = 0;
  std::unique_ptr<CompactPacketizer> packetizer{};

  void prepare(const ReceivedFrame& frame, double wanted, size_t longest) {
    if (packetizer && percent == wanted && longest <= packetizer->max_payload()) return;
    PacketizerSettings settings{.stream = frame.stream};
    settings.mtu = std::clamp(static_cast<int>(longest) + 128, 1500, kMostMtu);
    percent = wanted;
    packetizer = std::make_unique<CompactPacketizer>(settings, CompactSettings{.parity_percent = wanted});
  }
};

struct FrameRemaker::Raw {
  double percent = 0;
  size_t symbol_bytes = 0;
  StreamDesc stream{};
  std::unique_ptr<OwnPacketizer> packetizer{};

  // False if the sender's symbols cannot be those of a packetizer.
  bool prepare(const ReceivedFrame& frame, double wanted, size_t symbol) {
    if (packetizer && percent == wanted && symbol_bytes == symbol && stream == frame.stream) return true;
    const int mtu = static_cast<int>(symbol + kParityHeaderBytes) + ip_udp_header_bytes(false);
    if (mtu < 576 || mtu > kMostMtu || symbol % SymbolLayout::kSymbolUnit != 0) return false;
    PacketizerSettings settings{.stream = frame.stream};
    settings.mtu = mtu;
    percent = wanted;
    symbol_bytes = symbol;
    stream = frame.stream;
    packetizer = std::make_unique<OwnPacketizer>(settings, OwnSettings{.parity_percent = wanted});
    return true;
  }
};

FrameRemaker::FrameRemaker() : coded_(std::make_unique<Coded>()), raw_(std::make_unique<Raw>()) {}
FrameRemaker::~FrameRemaker() = default;

void FrameRemaker::missing(const ReceivedFrame& frame, const PacketCache& cache, Datagrams& out) {
  if (!is_whole(frame)) return;
  if (frame.stream.compact())
    missing_coded(frame, cache, out);
  else
    missing_raw(frame, cache, out);
}

void FrameRemaker::parity(const ReceivedFrame& frame, const PacketCache& cache, double percent, Datagrams& out) {
  if (!is_whole(frame) || percent <= 0) return;
  if (frame.stream.compact())
    coded_parity(frame, cache, percent, out);
  else
    raw_parity(frame, cache, percent, out);
}

void FrameRemaker::coded_parity(const ReceivedFrame& frame, const PacketCache& cache, double percent, Datagrams& out) {
  const auto like = described_packet(frame, cache);
  size_t longest = 0;
  for (const Bytes payload : frame.payloads) longest = std::max(longest, payload.size());
  if (!like || like->size() < kCodedDescription + kCompactDescriptionBytes || longest > kLongestPayload) return;
  coded_->prepare(frame, percent, longest);
  coded_->packetizer->begin({});
  const auto packets = coded_->packetizer->add(frame.payloads, static_cast<uint32_t>(frame.payloads.size()));
  for (const OutgoingPacket& packet : packets.subspan(frame.payloads.size())) {
    std::vector<std::byte> made = joined(packet);
    copy_field(*like, kCodedHead, 8, made, kCodedHead);
    copy_field(*like, kCodedFlags, 2, made, kCodedFlags);
    copy_field(*like, kCodedBufferId, 4, made, kCodedBufferId);
    copy_field(*like, kCodedDescription, kCompactDescriptionBytes, made, kCodedParityDescription);
    out.push_back(std::move(made));
  }
}

void FrameRemaker::raw_parity(const ReceivedFrame& frame, const PacketCache& cache, double percent, Datagrams& out) {
  const auto like = any_packet(frame, cache, most_packets(frame));
  const auto raw = like ? raw_packet(like->first) : std::nullopt;
  if (!raw || raw->video.length != frame.bytes.size()) return;
  const size_t symbol = raw->extension.symbol_bytes;
  if (!raw_->prepare(frame, percent, symbol)) return;
  const auto packets = raw_->packetizer->packetize(frame.bytes, {});
  const size_t data = (frame.bytes.size() + symbol - 1) / symbol;
  for (const OutgoingPacket& packet : packets.subspan(std::min(data, packets.size()))) {
    std::vector<std::byte> made = joined(packet);
    copy_field(like->first, kRawSsrc, 4, made, 4);
    copy_field(like->first, kRawTimestamp, 4, made, 8);
    copy_field(like->first, kRawExtension + 4, kExtensionFields, made, kRawParityExtension);
    copy_field(like->first, kRawVideo, kVideoHeaderBytes, made, kRawParityVideo);
    store_be32(made, kRawParityVideo + 4, 0);
    out.push_back(std::move(made));
  }
}

}  // namespace texcast::transport
