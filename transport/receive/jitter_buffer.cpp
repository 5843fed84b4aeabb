#include "jitter_buffer.h"

#include <algorithm>

namespace texcast::transport {

IncomingFrame* JitterBuffer::find(uint64_t order) {
  if (recent_ && recent_->order == order && recent_->is_waiting()) return recent_;
  for (IncomingFrame& frame : frames_)
    if (frame.order == order && frame.is_waiting()) return recent_ = &frame;
  return nullptr;
}

IncomingFrame* JitterBuffer::find_time(uint32_t timestamp) {
  for (IncomingFrame& frame : frames_)
    if (frame.phase == Phase::filling && !frame.skipped && frame.timestamp == timestamp &&
        sender_.is_selected(frame.sender))
      return &frame;
  return nullptr;
}

const IncomingFrame* JitterBuffer::find_delivered(uint64_t order) const {
  const auto frame = std::ranges::find(frames_, Phase::delivered, &IncomingFrame::phase);
  return frame != frames_.end() && frame->order == order ? &*frame : nullptr;
}

IncomingFrame& JitterBuffer::begin(const MediaPacket& packet, FrameOrder::Place place, SteadyTime now,
                                   WallTime wall_now) {
  IncomingFrame& frame = begin(place, now, wall_now);
  frame.ssrc = packet.rtp.ssrc;
  frame.timestamp = packet.rtp.timestamp;
  frame.buffer_id = packet.buffer_id;
  recent_ = &frame;
  return frame;
}

void JitterBuffer::begin_skipped(const IncomingFrame& after, SteadyTime now) {
  constexpr uint64_t kMost = 3;
  if (!nacks_.can_request(after) || !nacks_.expects_answers(now)) return;
  uint64_t known = history_.newest_finished(after.run).value_or(after.order);
  for (const IncomingFrame& frame : frames_)
    if (frame.is_waiting() && frame.run == after.run) known = std::min(known, frame.order);
  for (uint64_t order = std::max(known + 1, after.order - kMost); order < after.order; ++order) {
    const auto filling = std::ranges::count(frames_, Phase::filling, &IncomingFrame::phase);
    if (find(order) || filling >= kMostFilling / 2) continue;
    IncomingFrame& frame = begin({order, after.run}, now, {});
    frame.skipped = true;
    frame.ssrc = after.ssrc;
    frame.buffer_id = (after.buffer_id - static_cast<uint32_t>(after.order - order)) & kBufferIdMask;
    begin_payloads(frame, after.tiles[0].shape);
    frame.symbols.expect(1, false);
    frame.nacks.answered = true;
    frame.nacks.by_sender = after.nacks.by_sender;
    note_end(frame, now);
  }
}

void JitterBuffer::begin_late(IncomingFrame& frame, const MediaPacket& packet, WallTime wall_now) {
  frame.skipped = false;
  frame.timestamp = packet.rtp.timestamp;
  frame.first_packet = wall_now;
  begin_payloads(frame, packet.shape);
}

IncomingFrame& JitterBuffer::begin(FrameOrder::Place place, SteadyTime now, WallTime wall_now) {
  IncomingFrame& frame = free_place();
  frame.begin();
  frame.phase = Phase::filling;
  frame.id = ++frames_begun_;
  frame.order = place.order;
  frame.run = place.run;
  frame.sender = sender_.number();
  frame.begun = frame.heard = now;
  frame.first_packet = wall_now;
  frame.deadline = now + usual_wait();
  next_timeout_ = std::min(next_timeout_, frame.deadline);
  return frame;
}

IncomingFrame& JitterBuffer::free_place() {
  IncomingFrame* free = nullptr;
  IncomingFrame* oldest_filling = nullptr;
  IncomingFrame* stray = nullptr;
  IncomingFrame* oldest_finished = nullptr;
  IncomingFrame* newest_suspect = nullptr;
  int filling = 0;
  const auto keep_older = [](IncomingFrame*& oldest, IncomingFrame& frame) {
    if (!oldest || frame.order < oldest->order) oldest = &frame;
  };
  for (IncomingFrame& frame : frames_) {
    switch (frame.phase) {
      case Phase::free:
        // The highest order was used last: its pages are warm in cache and have the right size.
        if (!free || frame.order > free->order) free = &frame;
        break;
      case Phase::filling:
        ++filling;
        keep_older(oldest_filling, frame);
        if (frame.is_suspect || history_.looks_damaged(frame)) keep_older(stray, frame);
        break;
      case Phase::finished:
        if (!frame.is_suspect) keep_older(oldest_finished, frame);
        if (frame.is_suspect && (!newest_suspect || frame.order > newest_suspect->order)) newest_suspect = &frame;
        break;
      case Phase::delivered: break;
    }
  }
  if (filling >= kMostFilling && stray) {
    forget(*stray);
    free = stray;
  } else if (filling >= kMostFilling) {
    finish(*oldest_filling, {});
    keep_older(oldest_finished, *oldest_filling);
  }
  if (free) return *free;
  if (newest_suspect) {
    forget(*newest_suspect);
    return *newest_suspect;
  }
  // At most kMostFilling are filling and one is delivered, so the rest is finished.
  ++counters_.frames_unread;
  history_.pass(*oldest_finished);
  forget(*oldest_finished);
  return *oldest_finished;
}

nanoseconds JitterBuffer::usual_wait() const { return std::max(settings_.frame_timeout, sender_.frame_time()); }

nanoseconds JitterBuffer::longest_wait() const { return std::max(settings_.sender_timeout, 2 * usual_wait()); }

void JitterBuffer::forget(IncomingFrame& frame) {
  frame.phase = Phase::free;
  for (Tile& tile : frame.tiles) tile.data.release();
  frame.payloads.release();
}

void JitterBuffer::forget_waiting() {
  for (IncomingFrame& frame : frames_)
    if (frame.is_waiting()) forget(frame);
  finished_waiting_ = false;
  update_timeout();
}

void JitterBuffer::finish(IncomingFrame& frame, WallTime wall_now) {
  frame.phase = Phase::finished;
  frame.assembled = wall_now;
  if (!finished_waiting_) finished_at_ = frame.begun;
  finished_waiting_ = true;
  update_timeout();
}

void JitterBuffer::note_end(IncomingFrame& frame, SteadyTime now) {
  if (frame.ended || frame.phase != Phase::filling) return;
  frame.ended = true;
  frame.ended_at = now;
  frame.deadline = std::min(frame.deadline, nacks_.waits_until(frame, now));
  next_timeout_ = std::min(next_timeout_, frame.deadline);
}

void JitterBuffer::prolong(IncomingFrame& frame, SteadyTime now) {
  frame.heard = now;
  if (frame.ended) frame.deadline = std::min(frame.begun + longest_wait(), nacks_.waits_until(frame, now));
}

IncomingFrame* JitterBuffer::next_out(SteadyTime now, WallTime wall_now) {
  if (now >= next_timeout_) expire(now, wall_now);
  while (finished_waiting_) {
    review_suspects(now);
    IncomingFrame* frame = oldest_out(now);
    if (!frame) {
      finished_waiting_ = false;
      next_timeout_ = std::min(next_timeout_, suspects_until_);
      break;
    }
    if (frame->assembled == WallTime{}) frame->assembled = wall_now;
    if (!history_.looks_damaged(*frame)) return frame;
    forget(*frame);
    update_timeout();
  }
  return nullptr;
}

IncomingFrame* JitterBuffer::oldest_out(SteadyTime now) {
  IncomingFrame* oldest = nullptr;
  bool any_finished = false;
  for (IncomingFrame& frame : frames_) {
    if (!frame.is_waiting() || frame.is_suspect) continue;
    any_finished |= frame.phase == Phase::finished;
    if (!oldest || frame.order < oldest->order) oldest = &frame;
  }
  if (!any_finished || (now < oldest->deadline && nacks_.awaits_answers(*oldest, now))) return nullptr;
  return oldest;
}

void JitterBuffer::review_suspects(SteadyTime now) {
  suspects_until_ = SteadyTime::max();
  bool any = false;
  for (IncomingFrame& frame : frames_) {
    frame.is_suspect = frame.is_waiting() && !frame.skipped && history_.is_contradicted_by(frame);
    any |= frame.is_suspect;
  }
  if (!any) return;
  judge_suspects();
  accept_suspect(now);
}

// A suspect frame is forged if the stream continues unchanged at a lower number, later than reordering explains, or at
// a higher number while no second frame agrees with the suspect one. Two frames that agree, followed by the old stream,
// mean that the stream has changed twice.
JitterBuffer::Verdict JitterBuffer::verdict_on(const IncomingFrame& frame) const {
  SteadyTime begun_below = history_.stream().begun;
  bool goes_on_behind = false;
  int alike = 0;
  for (const IncomingFrame& other : frames_) {
    if (!other.is_waiting() || other.skipped) continue;
    if (other.is_suspect)
      alike += other.phase == Phase::finished && other.agrees_with(frame);
    else if (other.order < frame.order)
      begun_below = std::max(begun_below, other.begun);
    else
      goes_on_behind = true;
  }
  if (begun_below > frame.begun + settings_.reorder_grace) return Verdict::forged;
  if (!goes_on_behind) return Verdict::open;
  return alike > 1 ? Verdict::genuine : Verdict::forged;
}

void JitterBuffer::judge_suspects() {
  std::array<Verdict, kPlaces> verdicts{};
  for (size_t i = 0; i < verdicts.size(); ++i)
    if (frames_[i].is_suspect) verdicts[i] = verdict_on(frames_[i]);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] == Verdict::open) continue;
    frames_[i].is_suspect = false;
    if (verdicts[i] == Verdict::forged) forget(frames_[i]);
  }
}

// The required silence depends on the distance between the stream's frames: an idle desktop has five frames a second,
// whatever its nominal rate.
void JitterBuffer::accept_suspect(SteadyTime now) {
  constexpr nanoseconds kShortest = std::chrono::milliseconds(10), kLongest = std::chrono::milliseconds(500),
                        kShortestAlone = std::chrono::milliseconds(250), kLongestAlone = std::chrono::seconds(2);
  const KnownStream& stream = history_.stream();
  const IncomingFrame* oldest = nullptr;
  SteadyTime heard = stream.heard;
  for (const IncomingFrame& frame : frames_) {
    if (!frame.is_waiting() || frame.skipped) continue;
    if (!frame.is_suspect) heard = std::max(heard, frame.heard);
    if (frame.is_suspect && (!oldest || frame.order < oldest->order)) oldest = &frame;
  }
  if (!oldest) return;
  const auto agrees = [&](const IncomingFrame& frame) { return frame.is_suspect && frame.agrees_with(*oldest); };
  const bool is_repeated = std::ranges::count_if(frames_, agrees) > 1;
  suspects_until_ = heard + (is_repeated ? std::clamp(2 * stream.distance, kShortest, kLongest)
                                         : std::clamp(4 * stream.distance, kShortestAlone, kLongestAlone));
  if (now < suspects_until_) return;
  suspects_until_ = SteadyTime::max();
  const IncomingFrame& accepted = *oldest;
  for (IncomingFrame& frame : frames_)
    if (&frame != &accepted && agrees(frame)) frame.is_suspect = false;
  frames_[static_cast<size_t>(oldest - frames_.data())].is_suspect = false;
}

void JitterBuffer::take_out(IncomingFrame& frame) {
  const bool was_filling = frame.phase == Phase::filling;
  frame.phase = Phase::delivered;
  if (was_filling) update_timeout();
}

void JitterBuffer::expire(SteadyTime now, WallTime wall_now) {
  for (IncomingFrame& frame : frames_) {
    if (frame.phase != Phase::filling || now < frame.deadline) continue;
    // The sender takes longer for a frame than its rate says: packets still arrive, and none of a later frame.
    if (!frame.ended && now < frame.begun + longest_wait() && now - frame.heard < usual_wait() / 2) {
      frame.deadline = frame.heard + usual_wait() / 2;
      continue;
    }
    if (!history_.looks_damaged(frame)) {
      finish(frame, wall_now);
      continue;
    }
    forget(frame);
    finished_waiting_ = true;  // later frames may have waited for it
  }
  if (now >= suspects_until_) {
    suspects_until_ = SteadyTime::max();
    finished_waiting_ = true;
  }
  update_timeout();
}

void JitterBuffer::update_timeout() {
  next_timeout_ = suspects_until_;
  for (const IncomingFrame& frame : frames_)
    if (frame.phase == Phase::filling) next_timeout_ = std::min(next_timeout_, frame.deadline);
}

JitterBuffer::Room JitterBuffer::begin_tile(IncomingFrame& frame, size_t index, const PacketShape& shape) {
  // The delivered frame, the incoming one and the next one, at their largest.
  const uint64_t limit = 3 * uint64_t{settings_.max_frame_bytes};
  uint64_t held = shape.length;
  for (const IncomingFrame& each : frames_)
    for (const Tile& tile : each.tiles) held += tile.data.loan().bytes().size();
  if (held > limit) return Room::too_large;
  const KnownStream& stream = history_.stream();
  const bool alone = index == 0 && !(stream.has(frame) && stream.expected_tiles > 1);
  FrameLoan memory = FrameLoan::from(alone ? store_ : own_store_, shape.length);
  const Room room = memory ? Room::made : Room::none;
  if (!memory) frame.unbuffered = true;
  frame.tiles[index].begin(shape, std::move(memory));
  return room;
}

void JitterBuffer::begin_payloads(IncomingFrame& frame, const PacketShape& shape) {
  frame.tiles[0].begin(shape, {});
  frame.payloads.begin(pages_);
}

// The parity of all frames together takes at most as much memory as the largest frame.
bool JitterBuffer::make_room_for_parity(const IncomingFrame& frame, size_t bytes) {
  if (bytes <= frame.symbols.capacity()) return true;
  size_t held = bytes;
  for (IncomingFrame& other : frames_) {
    if (&other == &frame) continue;
    if (other.phase == Phase::free && held > settings_.max_frame_bytes / 2) other.symbols.release();
    held += other.symbols.capacity();
  }
  return held <= settings_.max_frame_bytes;
}

}  // namespace texcast::transport
