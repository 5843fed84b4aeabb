// receive_out.cpp — slots out as frames, in order: which, and when.
#include <algorithm>

#include "receive_state.h"

namespace texcast::transport {

std::optional<ReceivedFrame> ReceiveSession::State::poll(SteadyTime now, WallTime wall_now) {
  consider_candidate(now);
  while (candidate.replaying()) {  // at the time when it was
    if (auto frame = poll_at(candidate.front().now, candidate.front().wall_now)) return frame;
    replay_next();
  }
  return poll_at(now, wall_now);
}

std::optional<ReceivedFrame> ReceiveSession::State::poll_at(SteadyTime now, WallTime wall_now) {
  if (now >= next_timeout) expire(now, wall_now);
  while (finished_waiting) {
    Slot* slot = next_out(now);
    if (!slot) {
      finished_waiting = false;
      break;
    }
    if (slot->assembled == WallTime{}) slot->assembled = wall_now;
    if (hangs_in_the_air(*slot)) {
      slot->phase = Slot::Phase::free;
      update_deadline();
      continue;
    }
    if (auto frame = give(*slot)) return frame;
  }
  return std::nullopt;
}

std::optional<FrameProgress> ReceiveSession::State::progress() const {
  if (!recent || recent->phase != Slot::Phase::filling || !shown || shown_tiles != 1) return std::nullopt;
  const Slot& slot = *recent;
  const Tile& tile = slot.tiles[0];
  if (!tile.begun || tile.shape.fec() || tile.shape != shown_shape) return std::nullopt;
  if (slot.ssrc != shown_ssrc || slot.run != shown_run) return std::nullopt;
  for (const Slot& other : slots)
    if (other.waits() && other.order < slot.order) return std::nullopt;  // comes first
  return FrameProgress{
      .id = slot.id, .bytes = tile.data.bytes(), .ready_bytes = tile.data.coverage().prefix(), .stream = shown_desc};
}

void ReceiveSession::State::finish(Slot& slot, WallTime wall_now) {
  slot.phase = Slot::Phase::finished;
  slot.assembled = wall_now;
  if (!finished_waiting) finished_at = slot.begun;
  finished_waiting = true;
  update_deadline();
}

void ReceiveSession::State::expire(SteadyTime now, WallTime wall_now) {
  for (Slot& slot : slots) {
    if (slot.phase != Slot::Phase::filling || now < slot.deadline) continue;
    // A sender that takes longer for a frame than it says: its packets still come, and none of a later frame.
    if (!slot.ended && now < slot.begun + longest_wait() && now - slot.heard < patience() / 2) {
      slot.deadline = slot.heard + patience() / 2;
      continue;
    }
    if (!hangs_in_the_air(slot)) {
      finish(slot, wall_now);
      continue;
    }
    slot.phase = Slot::Phase::free;
    finished_waiting = true;  // those after it may have waited for it
  }
  update_deadline();
}

void ReceiveSession::State::update_deadline() {
  next_timeout = SteadyTime::max();
  for (const Slot& slot : slots)
    if (slot.phase == Slot::Phase::filling) next_timeout = std::min(next_timeout, slot.deadline);
}

// The oldest slot, if it is finished or one after it is; but for one whose missing packets have been asked for.
FrameSlot* ReceiveSession::State::next_out(SteadyTime now) {
  Slot* oldest = nullptr;
  bool any_finished = false;
  for (Slot& slot : slots) {
    if (!slot.waits()) continue;
    any_finished |= slot.phase == Slot::Phase::finished;
    if (!oldest || slot.order < oldest->order) oldest = &slot;
  }
  if (!any_finished || (now < oldest->deadline && hopes_for_answers(*oldest, now))) return nullptr;
  return oldest;
}

// One packet, and none of the frame just before it: more likely a damaged frame number than a frame. Giving it out
// would make all true frames up to its number late.
bool ReceiveSession::State::hangs_in_the_air(const Slot& slot) const {
  return slot.packets <= 1 && !slot.complete() && slot.run == passed_run && slot.order > passed_order + 1;
}

// The frame is over: what is missing of it will not be waited for.
void ReceiveSession::State::pass(const Slot& slot) {
  if (slot.run == passed_run && slot.order > passed_order) counters.frames_lost += slot.order - passed_order - 1;
  passed_order = slot.order;
  passed_run = slot.run;
  Passed& entry = passed[slot.order % passed.size()];
  entry = {.order = slot.order, .complete = slot.complete() && slot.tiles_given <= slot.tiles_there()};
  for (size_t i = 0; i < kMaxTiles; ++i)
    if (slot.tiles[i].begun) entry.arrived[i] = slot.tiles[i].data.coverage().prefix();
  if (slot.ssrc == ssrc) sequence.settle(slot.last_number);
  counters.lost = sequence.lost();
}

}  // namespace texcast::transport
