// One datagram through every parser of transport packets. Accepted packets must be the same when they are written and
// parsed again.
#include <algorithm>
#include <array>
#include <vector>

#include "base/ensure.h"
#include "transport/compact_packet.h"
#include "transport/cursor_packet.h"
#include "transport/envelope_gaps.h"
#include "transport/envelope_packet.h"
#include "transport/feedback_opener.h"
#include "transport/own_packet.h"
#include "transport/packet.h"
#include "transport/retransmit_store.h"
#include "transport/rtcp.h"
#include "transport/symbol_layout.h"

using namespace texcast;
using namespace texcast::transport;

namespace {

using Datagram = std::vector<std::byte>;

void try_own(const OwnDatagram& own, Bytes datagram) {
  if (const auto parity = parse_parity(own.body)) {
    std::array<std::byte, kParityHeaderBytes> written{};
    write_parity_header(written, *parity);
    ENSURE(parity->symbol.size() + kParityHeaderBytes == datagram.size());
    ENSURE(parity->group < parity->extension.groups && parity->number < parity->extension.parity);
  }
  if (const auto cursor = parse_cursor(own.body)) {
    std::array<std::byte, kCursorBytes> written{};
    write_cursor(written, *cursor);
    ENSURE(parse_cursor(Bytes(written).subspan(kOwnHeaderBytes)) == cursor);
  }
  if (const auto shape = parse_cursor_shape(own.body)) {
    std::array<std::byte, kCursorShapeHeaderBytes> written{};
    write_cursor_shape_header(written, *shape);
    ENSURE(shape->bytes.size() + kCursorShapeHeaderBytes == datagram.size() && shape->part < shape->parts());
  }
  for (const OwnType type : {OwnType::envelope_repair, OwnType::envelope_request}) {
    const bool is_request = type == OwnType::envelope_request;
    const auto list = is_request ? parse_envelope_request(own.body) : parse_envelope_repair(own.body);
    if (!list) continue;
    std::vector<CounterRange> ranges;
    for (size_t i = 0; i < list->ranges; ++i) ranges.push_back(list->range(i));
    Datagram written(kMostEnvelopeListBytes);
    written.resize(write_envelope_list(written, type, list->session, ranges));
    const auto again = parse_envelope_repair(Bytes(written).subspan(kOwnHeaderBytes));
    ENSURE(again && again->session == list->session && again->ranges == list->ranges);
    for (size_t i = 0; i < ranges.size(); ++i) ENSURE(again->range(i) == ranges[i]);
    EnvelopeGaps gaps;
    gaps.follow(list->session);
    gaps.arrived(list->base, {});
    gaps.offered(*list, {}, {});
    for (const CounterRange& range : ranges) gaps.arrived(range.first + range.count, {});
    ENSURE(gaps.missing() <= EnvelopeGaps::kMostGaps);
    gaps.due(SteadyTime{} + std::chrono::milliseconds(2), [](uint64_t) { return true; });
  }
  if (const auto request = parse_request(own.body)) {
    std::array<PacketRange, RetransmitRequest::kMaxRanges> ranges{};
    for (size_t i = 0; i < request->ranges; ++i) ranges[i] = request->range(i);
    std::array<std::byte, kRequestHeaderBytes + 4 * RetransmitRequest::kMaxRanges> written{};
    write_request(written, request->ssrc, request->buffer_id, std::span(ranges).first(request->ranges));
    // The store has a frame of three packets only.
    RetransmitStore store({.ssrc = request->ssrc});
    store.begin_frame(request->buffer_id, {});
    const std::array<std::byte, 100> bytes{};
    const std::array<OutgoingPacket, 3> packets{{{bytes, {}}, {bytes, bytes}, {bytes, {}}}};
    store.keep(packets);
    size_t answered = 0;
    for (const OutgoingPacket& packet : store.answer(0, datagram, {})) answered += packet.size();
    ENSURE(answered <= 400 / 4);
  }
}

bool same(Bytes a, Bytes b) { return std::ranges::equal(a, b); }

// A written packet equals the one parsed, but for reserved bits and fractions of a microsecond in times.
void try_compact(const OwnDatagram& own, Bytes datagram) {
  if (const auto packet = parse_compact(own.body)) {
    ENSURE(!packet->payload.empty());
    std::array<std::byte, kCompactHeaderBytes + kCompactDescriptionBytes> written{};
    const size_t header = write_compact_header(written, *packet);
    ENSURE(header + packet->payload.size() == datagram.size());
    Datagram again(written.begin(), written.begin() + static_cast<std::ptrdiff_t>(header));
    again.insert(again.end(), packet->payload.begin(), packet->payload.end());
    const auto second = parse_compact(Bytes(again).subspan(kOwnHeaderBytes));
    ENSURE(second && second->number == packet->number && second->packets == packet->packets &&
           second->sequence == packet->sequence && second->head.buffer_id == packet->head.buffer_id &&
           second->description.has_value() == packet->description.has_value() &&
           same(second->payload, packet->payload));
    const auto numbers = packet_numbers(datagram);
    ENSURE(numbers.has_value() == (own.type == static_cast<uint8_t>(OwnType::compact)));
    ENSURE(!numbers || numbers->header_bytes == header);
  }
  if (const auto parity = parse_compact_parity(own.body)) {
    ENSURE(parity->symbol.size() + kCompactParityHeaderBytes == datagram.size());
    std::array<std::byte, kCompactParityHeaderBytes> written{};
    write_compact_parity_header(written, *parity);
    const auto layout =
        SymbolLayout::checked_payloads(parity->packets, parity->symbol_bytes, parity->groups, parity->parity);
    ENSURE(!layout || (layout->packets() == parity->packets && layout->code_symbols() + layout->parity <= 255));
  }
  if (const auto request = parse_tile_request(own.body)) {
    std::array<PacketRange, TileRequest::kMaxRanges> ranges{};
    for (size_t i = 0; i < request->ranges; ++i) ranges[i] = request->range(i);
    std::array<std::byte, kMostTileRequestBytes> written{};
    const size_t size = write_tile_request(written, *request, std::span(ranges).first(request->ranges));
    ENSURE(size <= datagram.size());
    const bool is_one = own.type == static_cast<uint8_t>(OwnType::tile_request);
    ENSURE(FeedbackOpener(request->ssrc, nullptr).read(datagram).tiles.has_value() == is_one);
    ENSURE(!FeedbackOpener(request->ssrc + 1, nullptr).read(datagram).tiles);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes datagram(reinterpret_cast<const std::byte*>(data), size);
  if (const auto rtcp = parse_rtcp(datagram)) {
    std::array<std::byte, kMaxRtcpBytes + 24 * RtcpCompound::kMaxBlocks> written{};
    const auto again = parse_rtcp(Bytes(written).first(write_rtcp(written, *rtcp)));
    ENSURE(again && again->ssrc == rtcp->ssrc && again->bye == rtcp->bye && again->block_count == rtcp->block_count &&
           again->sender.has_value() == rtcp->sender.has_value() && again->cname == rtcp->cname &&
           again->tool == rtcp->tool.substr(0, kMaxToolBytes));
    for (size_t i = 0; i < rtcp->block_count; ++i)
      ENSURE(again->blocks[i].ssrc == rtcp->blocks[i].ssrc &&
             again->blocks[i].cumulative_lost == rtcp->blocks[i].cumulative_lost &&
             again->blocks[i].delay == rtcp->blocks[i].delay);
  }
  packet_numbers(datagram);
  if (const auto own = parse_own_datagram(datagram)) {
    try_own(*own, datagram);
    try_compact(*own, datagram);
  }
  const auto rtp = parse_rtp(datagram);
  if (!rtp) return 0;
  ENSURE(rtp->payload.size() + rtp->extension.size() + kRtpHeaderBytes <= size);

  if (const auto extension = parse_stream_extension(rtp->extension)) {
    std::array<std::byte, kLongExtensionBytes> written{};
    write_stream_extension(written, *extension);
    const auto again = parse_stream_extension(Bytes(written).subspan(4));
    ENSURE(again && again->width == extension->width && again->height == extension->height &&
           again->available == extension->available && again->encoded == extension->encoded &&
           again->sent == extension->sent && again->texture_format == extension->texture_format &&
           again->symbol_bytes == extension->symbol_bytes);
  }
  if (const auto video = parse_video_header(rtp->payload)) {
    std::array<std::byte, kVideoHeaderBytes> written{};
    write_video_header(written, *video);
    const auto again = parse_video_header(written);
    ENSURE(again && again->buffer_id == video->buffer_id && again->offset == video->offset &&
           again->length == video->length && again->width == video->width && again->height == video->height &&
           again->fourcc == video->fourcc && again->interlacing == video->interlacing && again->fps > 0);
  }
  if (const auto fec = parse_fec_header(rtp->payload)) {
    std::array<std::byte, kFecHeaderBytes> written{};
    write_fec_header(written, *fec);
    ENSURE(std::ranges::equal(Bytes(written), rtp->payload.first(kFecHeaderBytes)));
    for (const FecScheme scheme : {FecScheme::reed_solomon, FecScheme::ldgm})
      ENSURE(!is_plausible(scheme, *fec) || fec->symbol_bytes() > 0);
  }
  if (const auto crypto = parse_crypto_header(rtp->payload)) {
    std::array<std::byte, kCryptoHeaderBytes> written{};
    write_crypto_header(written, *crypto);
    ENSURE(written[0] == rtp->payload[0]);
  }
  return 0;
}
