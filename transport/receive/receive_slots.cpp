// receive_slots.cpp — frames in progress: found, begun, filled.
#include <algorithm>

#include "receive_state.h"

namespace texcast::transport {

using Arrival = SequenceTracker::Arrival;

nanoseconds frame_time(double fps) {
  return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(std::min(1 / fps, 10.0)));
}

FrameSlot* ReceiveSession::State::find(uint64_t frame) {
  if (recent && recent->order == frame && recent->waits()) return recent;
  for (Slot& slot : slots)
    if (slot.order == frame && slot.waits()) return recent = &slot;
  return nullptr;
}

FrameSlot* ReceiveSession::State::find_time(uint32_t timestamp) {
  for (Slot& slot : slots)
    if (slot.phase == Slot::Phase::filling && slot.timestamp == timestamp && slot.ssrc == ssrc) return &slot;
  return nullptr;
}

// Packets of one tile repeat all of its shape, those of different tiles what is the same for all.
bool ReceiveSession::State::contradicts(const Slot& slot, const MediaPacket& packet) const {
  if (slot.timestamp != packet.rtp.timestamp) return true;
  const Tile& same = slot.tiles[packet.substream];
  if (same.begun) return same.shape != packet.shape;
  const PacketShape& other = slot.first_tile().shape;
  return other.scheme != packet.shape.scheme || other.picture != packet.shape.picture;
}

FrameSlot& ReceiveSession::State::begin_frame(const MediaPacket& packet, FrameOrder::Place place, SteadyTime now,
                                              WallTime wall_now) {
  Slot& slot = free_slot();
  slot.begin();
  slot.phase = Slot::Phase::filling;
  slot.id = ++frames_begun;
  slot.order = place.order;
  slot.run = place.run;
  slot.ssrc = packet.rtp.ssrc;
  slot.timestamp = packet.rtp.timestamp;
  slot.buffer_id = packet.buffer_id;
  slot.begun = slot.heard = now;
  slot.first_packet = wall_now;
  slot.deadline = now + patience();
  next_timeout = std::min(next_timeout, slot.deadline);
  recent = &slot;
  return slot;
}

nanoseconds ReceiveSession::State::patience() const { return std::max(settings.frame_timeout, frame_time(sender_fps)); }

nanoseconds ReceiveSession::State::longest_wait() const { return std::max(settings.sender_timeout, 2 * patience()); }

// Buffers of all frames together: what is shown, what comes in and the one after it, at their largest.
bool ReceiveSession::State::make_room(const Tile& tile, size_t bytes) {
  if (!tile.data.reallocates(bytes)) return true;
  const uint64_t limit = 3 * uint64_t{settings.max_frame_bytes};
  uint64_t held = bytes;
  for (const Slot& slot : slots)
    for (const Tile& other : slot.tiles)
      if (&other != &tile) held += other.data.capacity();
  if (held <= limit) return true;
  for (Slot& slot : slots) {  // what is not in use
    for (Tile& other : slot.tiles) {
      if (&other == &tile || (slot.phase != Slot::Phase::free && other.begun)) continue;
      held -= other.data.capacity();
      other.data.release();
    }
  }
  return held <= limit;
}

void ReceiveSession::State::end_seen(Slot& slot, SteadyTime now) {
  if (slot.ended || slot.phase != Slot::Phase::filling) return;
  slot.ended = true;
  slot.ended_at = now;
  slot.deadline = std::min(slot.deadline, last_call(slot, now));
  next_timeout = std::min(next_timeout, slot.deadline);
}

FrameSlot& ReceiveSession::State::free_slot() {
  Slot* free = nullptr;
  Slot* oldest_filling = nullptr;
  Slot* hanging = nullptr;
  Slot* oldest_finished = nullptr;
  int filling = 0;
  const auto keep_older = [](Slot*& oldest, Slot& slot) {
    if (!oldest || slot.order < oldest->order) oldest = &slot;
  };
  for (Slot& slot : slots) {
    switch (slot.phase) {
      case Slot::Phase::free:
        // The one with the largest order was used last: its pages are warm and of the right size.
        if (!free || slot.order > free->order) free = &slot;
        break;
      case Slot::Phase::filling:
        ++filling;
        keep_older(oldest_filling, slot);
        if (hangs_in_the_air(slot)) keep_older(hanging, slot);
        break;
      case Slot::Phase::finished: keep_older(oldest_finished, slot); break;
      case Slot::Phase::given: break;
    }
  }
  if (filling >= kMaxFilling && hanging) {
    hanging->phase = Slot::Phase::free;
    free = hanging;
  } else if (filling >= kMaxFilling) {
    finish(*oldest_filling, {});
    keep_older(oldest_finished, *oldest_filling);
  }
  if (free) return *free;
  // At most kMaxFilling fill and one is given, so the rest is finished.
  ++counters.frames_unread;
  pass(*oldest_finished);
  oldest_finished->phase = Slot::Phase::free;
  return *oldest_finished;
}

// The frame's tiles are all there: as many as the frames before had, as the marker says, or as came. Of a stream whose
// first frame this is, and that has shown no marker, one more may come.
bool ReceiveSession::State::whole(const Slot& slot) const {
  if (!slot.complete()) return false;
  const int expected = std::max(slot.tiles_marked(), expected_tiles(slot));
  return expected > 0 && slot.tiles_there() >= expected;
}

// As many as the frame before had, if this is of the same stream: by its picture, or where that is not known yet by its
// FEC block.
int ReceiveSession::State::expected_tiles(const Slot& slot) const {
  if (slot.extension) return 1;
  if (!shown || slot.ssrc != shown_ssrc || slot.run != shown_run) return 0;
  const Tile& tile = slot.first_tile();
  const auto picture = tile.picture();
  const bool same = picture ? picture == shown_picture : tile.shape == shown_shape;
  return same ? stream_tiles : 0;
}

void ReceiveSession::State::take(Slot& slot, const MediaPacket& packet, Arrival arrival, SteadyTime now,
                                 WallTime wall_now) {
  Tile& tile = slot.tiles[packet.substream];
  if (!tile.begun) {
    if (!make_room(tile, packet.shape.length)) {
      if (slot.packets == 0) slot.phase = Slot::Phase::free;
      ++counters.malformed;
      return;
    }
    tile.begin(packet.shape);
  }
  const bool was_ended = slot.ended;
  if (packet.extension) note_layout(slot, packet);
  if (packet.parity && !take_parity(slot, packet, now)) return;
  note_end(slot, packet, now);
  const uint32_t end = packet.offset + static_cast<uint32_t>(packet.piece.size());
  if (packet.parity) {
    settle_tile(tile, false);
  } else if (tile.whole) {
    ++(tile.data.coverage().covers(packet.offset, end) ? counters.duplicate : counters.surplus);
  } else {
    switch (tile.data.add(packet.offset, packet.piece)) {
      case ByteCoverage::Added::refused: ++counters.malformed; return;
      case ByteCoverage::Added::nothing_new: ++counters.duplicate; break;
      case ByteCoverage::Added::new_bytes:
        count_taken(slot, packet, arrival);
        ++tile.packets;
        note_arrival(slot, packet, arrival, now);
        break;
    }
    tile.largest_piece = std::max(tile.largest_piece, end - packet.offset);
    settle_tile(tile, slot.ended && !was_ended);
  }
  if (tile.whole && slot.phase == Slot::Phase::filling && slot.complete()) {
    if (whole(slot))
      finish(slot, wall_now);
    else
      end_seen(slot, now);  // unless there are more tiles than we know of, and one comes soon
  }
  // A second packet, because a single one may be a damaged frame number.
  if (slot.packets == 2)
    for (Slot& earlier : slots)
      if (earlier.order < slot.order) note_over(earlier, now);
}

void ReceiveSession::State::count_taken(Slot& slot, const MediaPacket& packet, Arrival arrival) {
  ++slot.packets;
  ++counters.packets;
  counters.bytes += packet.piece.size();
  if (arrival == Arrival::reordered) ++counters.reordered;
  if (arrival != Arrival::implausible) slot.last_number = std::max(slot.last_number, sequence.last());
  if (packet.extension && !slot.extension) slot.extension = packet.extension;
}

// What a packet tells of its frame's end. As long as packets of a frame come (the second copy of all of it, the next
// tile), it is not over.
void ReceiveSession::State::note_end(Slot& slot, const MediaPacket& packet, SteadyTime now) {
  slot.heard = now;
  if (slot.ended) slot.deadline = std::min(slot.begun + longest_wait(), last_call(slot, now));
  if (packet.rtp.marker) slot.tiles[packet.substream].marked = true;
  if (slot.symbols.known() && slot.symbols.layout().parity > 0) {  // parity follows the data
    if (slot.symbols.parity_front() == slot.symbols.layout().parity_packets()) end_seen(slot, now);
    return;
  }
  if (packet.rtp.marker || packet.offset + packet.piece.size() == packet.shape.length) end_seen(slot, now);
}

}  // namespace texcast::transport
