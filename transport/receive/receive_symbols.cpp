// receive_symbols.cpp — texcast's own mode: packets as symbols, parity, and packets asked for again.
#include <algorithm>

#include "receive_state.h"

namespace texcast::transport {

void ReceiveSession::State::note_layout(Slot& slot, const MediaPacket& packet) {
  if (!packet.extension->has_symbols() || packet.shape.fec() || packet.substream != 0) return;
  if (!slot.symbols.known() && !room_for_parity(slot, packet)) return;
  slot.symbols.learn(*packet.extension, packet.shape.length);
  if (settings.request_lost && packet.extension->answers_requests) slot.requests.answered = true;
}

// Parity of all frames together takes no more than the largest frame does.
bool ReceiveSession::State::room_for_parity(const Slot& slot, const MediaPacket& packet) {
  const StreamExtension& e = *packet.extension;
  const auto layout = SymbolLayout::checked(packet.shape.length, e.symbol_bytes, e.groups, e.parity);
  if (!layout) return false;
  size_t held = FrameParity::store_bytes(*layout);
  if (held <= slot.symbols.capacity()) return true;
  for (Slot& other : slots) {
    if (&other == &slot) continue;
    if (other.phase == Slot::Phase::free && held > settings.max_frame_bytes / 2) other.symbols.release();
    held += other.symbols.capacity();
  }
  return held <= settings.max_frame_bytes;
}

// A piece that is new has been put into its tile.
void ReceiveSession::State::note_arrival(Slot& slot, const MediaPacket& packet, Arrival arrival, SteadyTime now) {
  if (!slot.symbols.known() || packet.substream != 0) return;
  slot.symbols.arrived(packet.offset, packet.piece.size());
  if (slot.requests.answered) {
    const bool asked_for = requester.answered(slot.requests, packet.offset / slot.symbols.layout().symbol_bytes, now);
    if (asked_for) {
      ++counters.recovered_retransmission;
      if (arrival == Arrival::reordered) --counters.reordered;
    }
    requester.arrived(slot.requests, slot.symbols, asked_for, now);
  }
  repair_group(slot, slot.symbols.group_of(packet.offset));
}

// False where the packet is of no use; it has been counted.
bool ReceiveSession::State::take_parity(Slot& slot, const MediaPacket& packet, SteadyTime now) {
  if (slot.tiles[0].whole) {
    ++counters.surplus;
    return false;
  }
  if (!slot.symbols.known() ||
      !slot.symbols.learn(packet.parity->extension, packet.shape.length)) {  // what it says is not what others said
    ++counters.malformed;
    return false;
  }
  switch (slot.symbols.add(packet.parity->group, packet.parity->number, packet.piece)) {
    case FrameParity::Added::refused: ++counters.malformed; return false;
    case FrameParity::Added::duplicate: ++counters.duplicate; return false;
    case FrameParity::Added::taken: break;
  }
  ++slot.packets;
  ++counters.packets;
  counters.bytes += packet.piece.size();
  if (!slot.extension) slot.extension = packet.extension;
  if (slot.requests.answered) requester.arrived(slot.requests, slot.symbols, false, now);
  repair_group(slot, packet.parity->group);
  return true;
}

void ReceiveSession::State::repair_group(Slot& slot, uint32_t group) {
  if (!slot.symbols.repairable(group)) return;
  Tile& tile = slot.tiles[0];
  const uint64_t before = tile.data.covered();
  slot.symbols.repair(group, tile.data, parity_codes);
  tile.recovered_bytes += tile.data.covered() - before;
  tile.largest_piece = std::max(tile.largest_piece, slot.symbols.layout().symbol_bytes);
}

// A later frame has begun.
void ReceiveSession::State::note_over(Slot& slot, SteadyTime now) {
  end_seen(slot, now);
  if (slot.phase == Slot::Phase::filling && slot.requests.answered && slot.symbols.known())
    requester.over(slot.requests, slot.symbols, now);
}

bool ReceiveSession::State::hopes_for_answers(const Slot& slot, SteadyTime now) const {
  return slot.phase == Slot::Phase::filling && slot.requests.answered && slot.symbols.known() && slot.ssrc == ssrc &&
         requester.hopeful(now);
}

// Until when a frame whose end was seen is waited for.
SteadyTime ReceiveSession::State::last_call(const Slot& slot, SteadyTime now) const {
  const SteadyTime reordered = now + settings.reorder_grace;
  if (!hopes_for_answers(slot, now)) return reordered;
  return std::max(reordered, slot.ended_at + std::min<nanoseconds>(frame_time(sender_fps), settings.frame_timeout));
}

// When so little came of a frame lately that the rest of it must be lost: its last packets are passed by nothing. Not
// where more is missing than its end: then its encoder may be slow.
SteadyTime ReceiveSession::State::quiet_at(const Slot& slot) const {
  if (!slot.requests.answered || !slot.symbols.known() || slot.requests.over || slot.requests.quiet)
    return FrameRequests::kNever;
  const uint32_t packets = slot.symbols.layout().packets();
  const uint32_t rest = slot.symbols.parity_front() > 0 ? 0 : packets - slot.symbols.packets_front();
  if (rest > std::max(8U, packets / 32)) return FrameRequests::kNever;
  constexpr nanoseconds kLeast = std::chrono::milliseconds(3);
  return slot.heard + std::max(kLeast, 4 * (slot.heard - slot.begun) / std::max(slot.packets, 1U));
}

std::optional<SteadyTime> ReceiveSession::State::next_request() const {
  SteadyTime next = FrameRequests::kNever;
  for (const Slot& slot : slots)
    if (slot.phase == Slot::Phase::filling && slot.ssrc == ssrc)
      next = std::min({next, slot.requests.next_look, quiet_at(slot)});
  return next == FrameRequests::kNever ? std::nullopt : std::optional(next);
}

std::optional<Bytes> ReceiveSession::State::poll_feedback(SteadyTime now) {
  for (Slot& slot : slots) {
    if (slot.phase != Slot::Phase::filling || slot.ssrc != ssrc) continue;
    if (now >= quiet_at(slot)) requester.quiet(slot.requests, slot.symbols, now);
    if (now < slot.requests.next_look) continue;
    const auto ranges = requester.due(slot.requests, slot.symbols, now);
    if (ranges.empty()) continue;
    counters.requested = requester.requested();
    const size_t bytes = write_request(feedback, slot.ssrc, slot.buffer_id, ranges);
    const Bytes request = Bytes(feedback).first(bytes);
    return sealer ? sealer->seal(request, {}, sealed_feedback) : request;
  }
  return std::nullopt;
}

}  // namespace texcast::transport
