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

bool ReceiveSession::State::contradicts(const Slot& slot, const MediaPacket& packet) const {
  return slot.timestamp != packet.rtp.timestamp || slot.tiles[0].shape != packet.shape;
}

FrameSlot& ReceiveSession::State::begin_frame(const MediaPacket& packet, FrameOrder::Place place, SteadyTime now,
                                              WallTime wall_now) {
  Slot& slot = free_slot();
  slot.phase = Slot::Phase::filling;
  slot.order = place.order;
  slot.run = place.run;
  slot.ssrc = packet.rtp.ssrc;
  slot.timestamp = packet.rtp.timestamp;
  slot.buffer_id = packet.buffer_id;
  slot.extension.reset();
  slot.packets = 0;
  slot.last_number = 0;
  slot.begun = now;
  slot.first_packet = wall_now;
  slot.assembled = {};
  slot.ended = false;
  slot.deadline = now + std::max(settings.frame_timeout, frame_time(packet.shape.fps));
  slot.tiles[0].begun = true;
  slot.tiles[0].shape = packet.shape;
  slot.tiles[0].data.begin(packet.shape.length);
  next_timeout = std::min(next_timeout, slot.deadline);
  return slot;
}

void ReceiveSession::State::end_seen(Slot& slot, SteadyTime now) {
  if (slot.ended || slot.phase != Slot::Phase::filling) return;
  slot.ended = true;
  slot.deadline = std::min(slot.deadline, now + settings.reorder_grace);
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

void ReceiveSession::State::take(Slot& slot, const MediaPacket& packet, Arrival arrival, SteadyTime now,
                                 WallTime wall_now) {
  switch (slot.tiles[0].data.add(packet.offset, packet.piece)) {
    case ByteCoverage::Added::refused: ++counters.malformed; return;
    case ByteCoverage::Added::nothing_new: ++counters.duplicate; return;
    case ByteCoverage::Added::new_bytes: break;
  }
  ++slot.packets;
  ++counters.packets;
  counters.bytes += packet.piece.size();
  if (arrival == Arrival::reordered) ++counters.reordered;
  if (arrival != Arrival::implausible) slot.last_number = std::max(slot.last_number, sequence.last());
  if (packet.extension && !slot.extension) slot.extension = packet.extension;
  if (slot.phase == Slot::Phase::filling && slot.complete()) finish(slot, wall_now);

  if (packet.offset + packet.piece.size() == packet.shape.length) end_seen(slot, now);
  // A second packet, because a single one may be a damaged frame number.
  if (slot.packets == 2)
    for (Slot& earlier : slots)
      if (earlier.order < slot.order) end_seen(earlier, now);
}

}  // namespace texcast::transport
