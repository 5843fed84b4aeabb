#include "frame_assembler.h"

#include <algorithm>

#include "base/bytes.h"

namespace texcast::transport {
namespace {

constexpr uint32_t kInnerLengthBytes = 4;

// The end of the picture within the block, once the inner length is there. An invalid length means "all of the data".
uint32_t picture_end(const Tile& tile) {
  const uint32_t data_end = tile.shape.fec_header().symbol_bytes() * tile.shape.k;
  const uint32_t inner = load_le32(tile.data.bytes(), 0);
  return inner > kVideoHeaderBytes && inner <= data_end - kInnerLengthBytes ? kInnerLengthBytes + inner : data_end;
}

// How many more symbols to wait for after a failed attempt. Reed-Solomon never fails; LDGM needs a few per cent more
// than k.
uint32_t step(const PacketShape& shape) { return 1 + shape.k / 64u; }

}  // namespace

void FrameAssembler::take(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now,
                          WallTime wall_now) {
  if (packet.compact) {
    take_compact(frame, packet, arrival, now, wall_now);
    return;
  }
  Tile& tile = frame.tiles[packet.substream];
  if (!tile.begun && !frame.unbuffered &&
      jitter_buffer_.begin_tile(frame, packet.substream, packet.shape) == JitterBuffer::Room::too_large) {
    if (frame.packets == 0) jitter_buffer_.forget(frame);
    ++counters_.malformed;
    return;
  }
  if (frame.unbuffered) {
    drop_unbuffered(frame, packet, arrival, now);
    return;
  }
  const bool was_ended = frame.ended;
  if (packet.extension) note_layout(frame, packet, now);
  if (packet.parity && !take_parity(frame, packet, now)) return;
  note_end(frame, packet, now);
  if (!packet.parity && !take_data(frame, packet, arrival, now)) return;
  update_tile(tile, !packet.parity && frame.ended && !was_ended);
  if (tile.whole && frame.phase == IncomingFrame::Phase::filling && frame.complete()) {
    if (is_complete(frame))
      jitter_buffer_.finish(frame, wall_now);
    else
      jitter_buffer_.note_end(frame, now);  // unless there are more tiles than known, and one arrives soon
  }
  note_begun(frame, now);
}

// A packet of a frame without memory. The frame is waited for as if it were assembled, so that it finishes in its turn,
// and none of its packets are requested.
void FrameAssembler::drop_unbuffered(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now) {
  note_end(frame, packet, now);
  if (arrival == Arrival::seen) {
    ++counters_.duplicate;
    return;
  }
  count_taken(frame, packet);
  if (!packet.parity) count_order(frame, arrival);
  note_begun(frame, now);
}

// Once a frame has begun, earlier frames are over except for packets that arrive soon. This takes the frame's second
// packet, because a single one may have a damaged frame number.
void FrameAssembler::note_begun(const IncomingFrame& frame, SteadyTime now) {
  if (frame.packets == 2) end_earlier(frame, now);
}

// A suspect frame (JitterBuffer) ends no other.
void FrameAssembler::end_earlier(const IncomingFrame& frame, SteadyTime now) {
  if (history_.is_contradicted_by(frame)) return;
  if (frame.compact()) jitter_buffer_.begin_skipped(frame, now);
  for (IncomingFrame& earlier : jitter_buffer_.frames()) {
    if (earlier.order >= frame.order) continue;
    jitter_buffer_.note_end(earlier, now);
    nacks_.over(earlier, now);
  }
}

// False if the packet is useless because its tile has too many gaps. It has been counted.
bool FrameAssembler::take_data(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now) {
  Tile& tile = frame.tiles[packet.substream];
  const auto bytes = static_cast<uint32_t>(packet.piece.size());
  if (tile.whole) {
    const bool came_before = tile.data.coverage().covers(packet.offset, packet.offset + bytes);
    note_duplicate(frame, packet, now);
    ++(came_before ? counters_.duplicate : counters_.surplus);
    return true;
  }
  switch (tile.data.add(packet.offset, packet.piece)) {
    case ByteCoverage::Added::refused: ++counters_.malformed; return false;
    case ByteCoverage::Added::nothing_new:
      ++counters_.duplicate;
      note_duplicate(frame, packet, now);
      break;
    case ByteCoverage::Added::new_bytes:
      count_taken(frame, packet);
      count_order(frame, arrival);
      ++tile.packets;
      note_arrival(frame, packet, arrival, now);
      break;
  }
  tile.largest_piece = std::max(tile.largest_piece, bytes);
  return true;
}

void FrameAssembler::count_taken(IncomingFrame& frame, const MediaPacket& packet) {
  ++frame.packets;
  ++counters_.packets;
  counters_.bytes += packet.piece.size();
  if (packet.extension && !frame.extension) frame.extension = packet.extension;
}

void FrameAssembler::count_order(IncomingFrame& frame, Arrival arrival) {
  if (arrival == Arrival::reordered) ++counters_.reordered;
  if (arrival != Arrival::implausible) frame.last_number = std::max(frame.last_number, sender_.sequence().last());
}

// Checks whether the packet is at the frame's end. While packets of the frame keep arriving (a second copy of it, the
// next tile), it is not over.
void FrameAssembler::note_end(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now) {
  jitter_buffer_.prolong(frame, now);
  if (packet.rtp.marker) frame.tiles[packet.substream].marked = true;
  if (frame.symbols.known() && frame.symbols.layout().parity > 0) {  // parity follows the data
    if (frame.symbols.parity_front() == frame.symbols.layout().parity_packets()) jitter_buffer_.note_end(frame, now);
    return;
  }
  if (packet.rtp.marker || packet.offset + packet.piece.size() == packet.shape.length)
    jitter_buffer_.note_end(frame, now);
}

// True if all tiles of the frame are there: as many as the previous frames had, as the marker bit says, or as arrived.
// In a stream's first frame without a marker bit, one more may follow.
bool FrameAssembler::is_complete(const IncomingFrame& frame) const {
  if (!frame.complete()) return false;
  const int expected = std::max(frame.tiles_marked(), history_.stream().tiles_of(frame));
  return expected > 0 && frame.tiles_there() >= expected;
}

void FrameAssembler::note_layout(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now) {
  const StreamExtension& e = *packet.extension;
  if (!e.has_symbols() || packet.shape.fec() || packet.substream != 0) return;
  if (!frame.symbols.known()) {
    const auto layout = SymbolLayout::checked(packet.shape.length, e.symbol_bytes, e.groups, e.parity);
    if (!layout || !jitter_buffer_.make_room_for_parity(frame, FrameParity::store_bytes(*layout))) return;
  }
  frame.symbols.learn(e, packet.shape.length);
  nacks_.note_answers(frame.nacks, e.answers_requests, now);
}

// A new piece was put into its tile.
void FrameAssembler::note_arrival(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now) {
  if (!frame.symbols.known() || packet.substream != 0) return;
  frame.symbols.arrived(packet.offset, packet.piece.size());
  if (nacks_.data_arrived(frame, packet.offset / frame.symbols.layout().symbol_bytes, now, packet.is_from_relay)) {
    ++counters_.recovered_retransmission;
    if (arrival == Arrival::reordered) --counters_.reordered;
  }
  repair_group(frame, frame.symbols.group_of(packet.offset));
}

void FrameAssembler::note_duplicate(const IncomingFrame& frame, const MediaPacket& packet, SteadyTime now) {
  if (!frame.symbols.known() || packet.substream != 0 || packet.is_parity()) return;
  const uint32_t number = packet.compact ? packet.offset : packet.offset / frame.symbols.layout().symbol_bytes;
  nacks_.duplicate_arrived(frame, number, now);
}

// False if the packet is useless. It has been counted.
bool FrameAssembler::take_parity(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now) {
  const ParityPacket& parity = *packet.parity;
  if (frame.tiles[0].whole) {
    ++counters_.surplus;
    return false;
  }
  // All packets must announce the same layout.
  if (!frame.symbols.known() || !frame.symbols.learn(parity.extension, packet.shape.length)) {
    ++counters_.malformed;
    return false;
  }
  switch (frame.symbols.add(parity.group, parity.number, packet.piece)) {
    case FrameParity::Added::refused: ++counters_.malformed; return false;
    case FrameParity::Added::duplicate: ++counters_.duplicate; return false;
    case FrameParity::Added::taken: break;
  }
  count_taken(frame, packet);
  nacks_.parity_arrived(frame, now);
  repair_group(frame, parity.group);
  return true;
}

void FrameAssembler::repair_group(IncomingFrame& frame, uint32_t group) {
  if (!frame.symbols.repairable(group)) return;
  Tile& tile = frame.tiles[0];
  const uint64_t before = tile.data.covered();
  frame.symbols.repair(group, tile.data, parity_codes_);
  tile.recovered_bytes += tile.data.covered() - before;
  tile.largest_piece = std::max(tile.largest_piece, frame.symbols.layout().symbol_bytes);
}

// Checks whether the tile is complete now. `ended`: the end of its frame has just arrived.
void FrameAssembler::update_tile(Tile& tile, bool ended) {
  if (tile.whole || tile.broken || !tile.begun) return;
  if (!tile.shape.fec()) {
    tile.whole = tile.data.complete();
    return;
  }
  const ByteCoverage& coverage = tile.data.coverage();
  const uint32_t prefix = coverage.prefix();
  if (tile.picture_end == 0 && prefix >= kInnerLengthBytes) tile.picture_end = picture_end(tile);
  if (tile.picture_end != 0 && prefix >= tile.picture_end) {  // no parity needed
    read_block(tile);
    tile.broken = !tile.whole;
    return;
  }
  const uint32_t symbol = tile.shape.fec_header().symbol_bytes();
  const uint32_t wanted = ended ? tile.shape.k : tile.next_try;
  if (coverage.covered() < uint64_t{wanted} * symbol) return;
  const uint32_t there = coverage.whole_pieces(symbol);
  if (there < wanted) return;
  tile.next_try = there + step(tile.shape);
  read_block(tile);
}

void FrameAssembler::read_block(Tile& tile) {
  const FecBlockContent content =
      fec_reader_.read(tile.shape.scheme, tile.shape.fec_header(), tile.data.memory(), tile.data.coverage());
  tile.present.assign(content.usable.begin(), content.usable.end());
  tile.recovered_bytes = content.recovered_bytes;
  if (!content.header) return;
  const VideoHeader& header = *content.header;
  const auto bytes = static_cast<uint32_t>(content.frame.size());
  if (!plausible_picture(bytes, header.width, header.height)) return;
  if (!settings_.max_picture.takes(header.width, header.height)) {
    counters_.note_oversized(header.width, header.height);
    return;
  }
  tile.inner = {header.fourcc, header.width, header.height, header.interlacing, header.fps};
  tile.inner_bytes = bytes;
  tile.whole = content.whole;
}

void FrameAssembler::take_compact(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now,
                                  WallTime wall_now) {
  Tile& tile = frame.tiles[0];
  if (!tile.begun) jitter_buffer_.begin_payloads(frame, packet.shape);
  if (!is_consistent(frame, packet)) {
    if (frame.packets == 0) jitter_buffer_.forget(frame);
    ++counters_.malformed;
    return;
  }
  const bool taken =
      packet.compact_parity ? take_compact_parity(frame, packet, now) : take_payload(frame, packet, arrival, now);
  if (!taken) {
    if (frame.packets == 0) jitter_buffer_.forget(frame);
    return;
  }
  jitter_buffer_.prolong(frame, now);
  const bool parity_follows = packet.compact->parity_follows;
  const FrameParity& symbols = frame.symbols;
  if (parity_follows ? !symbols.expected_only() && symbols.parity_front() == symbols.layout().parity_packets()
                     : packet.rtp.marker)
    jitter_buffer_.note_end(frame, now);
  if (!tile.whole && frame.total > 0 && frame.payloads.count() == frame.total) {
    tile.whole = true;
    if (frame.phase == IncomingFrame::Phase::filling) jitter_buffer_.finish(frame, wall_now);
    end_earlier(frame, now);
  }
  note_begun(frame, now);
}

// True if the packet is consistent with the frame's other packets.
bool FrameAssembler::is_consistent(const IncomingFrame& frame, const MediaPacket& packet) const {
  const uint32_t total = packet.compact->packets;
  if (total != 0 && (frame.total != 0 ? total != frame.total : total < frame.payloads.front())) return false;
  if (packet.compact_parity)
    return frame.payloads.longest() + kPayloadLengthBytes <= packet.compact_parity->symbol_bytes;
  if (frame.total != 0 && packet.compact->number >= frame.total) return false;
  const FrameParity& symbols = frame.symbols;
  return !symbols.known() || symbols.expected_only() ||
         packet.piece.size() + kPayloadLengthBytes <= symbols.layout().symbol_bytes;
}

void FrameAssembler::learn_from(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now) {
  if (packet.compact->packets != 0) frame.total = packet.compact->packets;
  if (!frame.description) frame.description = packet.compact->description;
  nacks_.note_answers(frame.nacks, packet.compact->answers_requests, now);
}

// False if the packet is useless. It has been counted.
bool FrameAssembler::take_payload(IncomingFrame& frame, const MediaPacket& packet, Arrival arrival, SteadyTime now) {
  const uint32_t number = packet.compact->number;
  if (frame.payloads.has(number)) {
    ++counters_.duplicate;
    note_duplicate(frame, packet, now);
    return true;
  }
  const auto& description = frame.description ? frame.description : packet.compact->description;
  const size_t most =
      description ? most_payload_bytes(*description, settings_.max_frame_bytes) : settings_.max_frame_bytes;
  if (frame.payloads.bytes() + packet.piece.size() > most || !frame.payloads.add(number, packet.piece)) {
    ++counters_.malformed;
    return false;
  }
  learn_from(frame, packet, now);
  count_taken(frame, packet);
  count_order(frame, arrival);
  ++frame.tiles[0].packets;
  frame.symbols.expect(frame.total > 0 ? frame.total : frame.payloads.front(), packet.compact->parity_follows);
  frame.symbols.arrived(number);
  if (frame.nacks.over) nacks_.expect_end(frame);
  if (nacks_.data_arrived(frame, number, now, packet.is_from_relay)) {
    ++counters_.recovered_retransmission;
    if (arrival == Arrival::reordered) --counters_.reordered;
  }
  if (!frame.symbols.expected_only()) repair_payloads(frame, number % frame.symbols.layout().groups);
  return true;
}

bool FrameAssembler::take_compact_parity(IncomingFrame& frame, const MediaPacket& packet, SteadyTime now) {
  if (frame.tiles[0].whole) {
    ++counters_.surplus;
    return true;
  }
  const CompactParityPacket& parity = *packet.compact_parity;
  const auto layout = SymbolLayout::checked_payloads(parity.packets, parity.symbol_bytes, parity.groups, parity.parity);
  const bool first = !frame.symbols.known() || frame.symbols.expected_only();
  if ((first && !jitter_buffer_.make_room_for_parity(frame, FrameParity::store_bytes(*layout))) ||
      !frame.symbols.learn(layout)) {
    ++counters_.malformed;
    return false;
  }
  switch (frame.symbols.add(parity.group, parity.number, packet.piece)) {
    case FrameParity::Added::refused: ++counters_.malformed; return false;
    case FrameParity::Added::duplicate: ++counters_.duplicate; return true;
    case FrameParity::Added::taken: break;
  }
  learn_from(frame, packet, now);
  count_taken(frame, packet);
  nacks_.parity_arrived(frame, now);
  repair_payloads(frame, parity.group);
  return true;
}

void FrameAssembler::repair_payloads(IncomingFrame& frame, uint32_t group) {
  frame.repaired += frame.symbols.repair(group, frame.payloads, parity_codes_);
}

}  // namespace texcast::transport
