#include "frame_table.h"

#include <algorithm>

namespace texcast::transport {

IncomingFrame* FrameTable::find(uint64_t order) {
  if (recent_ && recent_->order == order && recent_->waits()) return recent_;
  for (IncomingFrame& frame : frames_)
    if (frame.order == order && frame.waits()) return recent_ = &frame;
  return nullptr;
}

IncomingFrame* FrameTable::find_time(uint32_t timestamp) {
  for (IncomingFrame& frame : frames_)
    if (frame.phase == Phase::filling && !frame.skipped && frame.timestamp == timestamp &&
        sender_.follows(frame.sender))
      return &frame;
  return nullptr;
}

IncomingFrame& FrameTable::begin(const MediaPacket& packet, FrameOrder::Place place, SteadyTime now,
                                 WallTime wall_now) {
  IncomingFrame& frame = begin(place, now, wall_now);
  frame.ssrc = packet.rtp.ssrc;
  frame.timestamp = packet.rtp.timestamp;
  frame.buffer_id = packet.buffer_id;
  recent_ = &frame;
  return frame;
}

void FrameTable::begin_skipped(const IncomingFrame& after, SteadyTime now) {
  constexpr uint64_t kMost = 3;
  if (!requests_.askable(after) || !requests_.hopeful(now)) return;
  uint64_t known = history_.newest_over(after.run).value_or(after.order);
  for (const IncomingFrame& frame : frames_)
    if (frame.waits() && frame.run == after.run) known = std::min(known, frame.order);
  for (uint64_t order = std::max(known + 1, after.order - kMost); order < after.order; ++order) {
    const auto filling = std::ranges::count(frames_, Phase::filling, &IncomingFrame::phase);
    if (find(order) || filling >= kMostFilling / 2) continue;
    IncomingFrame& frame = begin({order, after.run}, now, {});
    frame.skipped = true;
    frame.ssrc = after.ssrc;
    frame.buffer_id = (after.buffer_id - static_cast<uint32_t>(after.order - order)) & kBufferIdMask;
    begin_payloads(frame, after.tiles[0].shape);
    frame.symbols.expect(1, false);
    frame.requests.answered = true;
    note_end(frame, now);
  }
}

void FrameTable::begin_late(IncomingFrame& frame, const MediaPacket& packet, WallTime wall_now) {
  frame.skipped = false;
  frame.timestamp = packet.rtp.timestamp;
  frame.first_packet = wall_now;
  begin_payloads(frame, packet.shape);
}

IncomingFrame& FrameTable::begin(FrameOrder::Place place, SteadyTime now, WallTime wall_now) {
  IncomingFrame& frame = free_place();
  frame.begin();
  frame.phase = Phase::filling;
  frame.id = ++frames_begun_;
  frame.order = place.order;
  frame.run = place.run;
  frame.sender = sender_.number();
  frame.begun = frame.heard = now;
  frame.first_packet = wall_now;
  frame.deadline = now + patience();
  next_timeout_ = std::min(next_timeout_, frame.deadline);
  return frame;
}

IncomingFrame& FrameTable::free_place() {
  IncomingFrame* free = nullptr;
  IncomingFrame* oldest_filling = nullptr;
  IncomingFrame* stray = nullptr;
  IncomingFrame* oldest_finished = nullptr;
  IncomingFrame* newest_doubted = nullptr;
  int filling = 0;
  const auto keep_older = [](IncomingFrame*& oldest, IncomingFrame& frame) {
    if (!oldest || frame.order < oldest->order) oldest = &frame;
  };
  for (IncomingFrame& frame : frames_) {
    switch (frame.phase) {
      case Phase::free:
        // The one with the largest order was used last: its pages are warm and of the right size.
        if (!free || frame.order > free->order) free = &frame;
        break;
      case Phase::filling:
        ++filling;
        keep_older(oldest_filling, frame);
        if (frame.is_doubted || history_.looks_stray(frame)) keep_older(stray, frame);
        break;
      case Phase::finished:
        if (!frame.is_doubted) keep_older(oldest_finished, frame);
        if (frame.is_doubted && (!newest_doubted || frame.order > newest_doubted->order)) newest_doubted = &frame;
        break;
      case Phase::given: break;
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
  if (newest_doubted) {
    forget(*newest_doubted);
    return *newest_doubted;
  }
  // At most kMostFilling fill and one is given, so the rest is finished.
  ++counters_.frames_unread;
  history_.pass(*oldest_finished);
  forget(*oldest_finished);
  return *oldest_finished;
}

nanoseconds FrameTable::patience() const { return std::max(settings_.frame_timeout, sender_.frame_time()); }

nanoseconds FrameTable::longest_wait() const { return std::max(settings_.sender_timeout, 2 * patience()); }

void FrameTable::forget(IncomingFrame& frame) {
  frame.phase = Phase::free;
  for (Tile& tile : frame.tiles) tile.data.release();
  frame.payloads.release();
}

void FrameTable::forget_waiting() {
  for (IncomingFrame& frame : frames_)
    if (frame.waits()) forget(frame);
  finished_waiting_ = false;
  update_timeout();
}

void FrameTable::finish(IncomingFrame& frame, WallTime wall_now) {
  frame.phase = Phase::finished;
  frame.assembled = wall_now;
  if (!finished_waiting_) finished_at_ = frame.begun;
  finished_waiting_ = true;
  update_timeout();
}

void FrameTable::note_end(IncomingFrame& frame, SteadyTime now) {
  if (frame.ended || frame.phase != Phase::filling) return;
  frame.ended = true;
  frame.ended_at = now;
  frame.deadline = std::min(frame.deadline, requests_.last_call(frame, now));
  next_timeout_ = std::min(next_timeout_, frame.deadline);
}

void FrameTable::prolong(IncomingFrame& frame, SteadyTime now) {
  frame.heard = now;
  if (frame.ended) frame.deadline = std::min(frame.begun + longest_wait(), requests_.last_call(frame, now));
}

IncomingFrame* FrameTable::next_out(SteadyTime now, WallTime wall_now) {
  if (now >= next_timeout_) expire(now, wall_now);
  while (finished_waiting_) {
    settle_doubts(now);
    IncomingFrame* frame = oldest_out(now);
    if (!frame) {
      finished_waiting_ = false;
      next_timeout_ = std::min(next_timeout_, doubts_until_);
      break;
    }
    if (frame->assembled == WallTime{}) frame->assembled = wall_now;
    if (!history_.looks_stray(*frame)) return frame;
    forget(*frame);
    update_timeout();
  }
  return nullptr;
}

IncomingFrame* FrameTable::oldest_out(SteadyTime now) {
  IncomingFrame* oldest = nullptr;
  bool any_finished = false;
  for (IncomingFrame& frame : frames_) {
    if (!frame.waits() || frame.is_doubted) continue;
    any_finished |= frame.phase == Phase::finished;
    if (!oldest || frame.order < oldest->order) oldest = &frame;
  }
  if (!any_finished || (now < oldest->deadline && requests_.hopes_for_answers(*oldest, now))) return nullptr;
  return oldest;
}

void FrameTable::settle_doubts(SteadyTime now) {
  doubts_until_ = SteadyTime::max();
  bool any = false;
  for (IncomingFrame& frame : frames_) {
    frame.is_doubted = frame.waits() && !frame.skipped && history_.is_contradicted_by(frame);
    any |= frame.is_doubted;
  }
  if (!any) return;
  judge_doubted();
  believe_doubted(now);
}

// A doubted frame is forged if the stream goes on as it was at a lower number, later than reordering explains, or
// behind the frame while there is no second one like it. Two like it with the stream behind them mean that it has
// changed twice.
FrameTable::Verdict FrameTable::verdict_on(const IncomingFrame& frame) const {
  SteadyTime begun_below = history_.stream().begun;
  bool goes_on_behind = false;
  int alike = 0;
  for (const IncomingFrame& other : frames_) {
    if (!other.waits() || other.skipped) continue;
    if (other.is_doubted)
      alike += other.phase == Phase::finished && other.says_as(frame);
    else if (other.order < frame.order)
      begun_below = std::max(begun_below, other.begun);
    else
      goes_on_behind = true;
  }
  if (begun_below > frame.begun + settings_.reorder_grace) return Verdict::forged;
  if (!goes_on_behind) return Verdict::open;
  return alike > 1 ? Verdict::genuine : Verdict::forged;
}

void FrameTable::judge_doubted() {
  std::array<Verdict, kPlaces> verdicts{};
  for (size_t i = 0; i < verdicts.size(); ++i)
    if (frames_[i].is_doubted) verdicts[i] = verdict_on(frames_[i]);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] == Verdict::open) continue;
    frames_[i].is_doubted = false;
    if (verdicts[i] == Verdict::forged) forget(frames_[i]);
  }
}

// The time that the stream has to be silent depends on how far apart its frames were: a desktop on which nothing
// happens has five a second, whatever its rate is.
void FrameTable::believe_doubted(SteadyTime now) {
  constexpr nanoseconds kShortest = std::chrono::milliseconds(10), kLongest = std::chrono::milliseconds(500),
                        kShortestAlone = std::chrono::milliseconds(250), kLongestAlone = std::chrono::seconds(2);
  const KnownStream& stream = history_.stream();
  const IncomingFrame* oldest = nullptr;
  SteadyTime heard = stream.heard;
  for (const IncomingFrame& frame : frames_) {
    if (!frame.waits() || frame.skipped) continue;
    if (!frame.is_doubted) heard = std::max(heard, frame.heard);
    if (frame.is_doubted && (!oldest || frame.order < oldest->order)) oldest = &frame;
  }
  if (!oldest) return;
  const auto says_the_same = [&](const IncomingFrame& frame) { return frame.is_doubted && frame.says_as(*oldest); };
  const bool is_repeated = std::ranges::count_if(frames_, says_the_same) > 1;
  doubts_until_ = heard + (is_repeated ? std::clamp(2 * stream.distance, kShortest, kLongest)
                                       : std::clamp(4 * stream.distance, kShortestAlone, kLongestAlone));
  if (now < doubts_until_) return;
  doubts_until_ = SteadyTime::max();
  const IncomingFrame& believed = *oldest;
  for (IncomingFrame& frame : frames_)
    if (&frame != &believed && says_the_same(frame)) frame.is_doubted = false;
  frames_[static_cast<size_t>(oldest - frames_.data())].is_doubted = false;
}

void FrameTable::take_out(IncomingFrame& frame) {
  const bool was_filling = frame.phase == Phase::filling;
  frame.phase = Phase::given;
  if (was_filling) update_timeout();
}

void FrameTable::expire(SteadyTime now, WallTime wall_now) {
  for (IncomingFrame& frame : frames_) {
    if (frame.phase != Phase::filling || now < frame.deadline) continue;
    // A sender that takes longer for a frame than it says: its packets still come, and none of a later frame.
    if (!frame.ended && now < frame.begun + longest_wait() && now - frame.heard < patience() / 2) {
      frame.deadline = frame.heard + patience() / 2;
      continue;
    }
    if (!history_.looks_stray(frame)) {
      finish(frame, wall_now);
      continue;
    }
    forget(frame);
    finished_waiting_ = true;  // those after it may have waited for it
  }
  if (now >= doubts_until_) {
    doubts_until_ = SteadyTime::max();
    finished_waiting_ = true;
  }
  update_timeout();
}

void FrameTable::update_timeout() {
  next_timeout_ = doubts_until_;
  for (const IncomingFrame& frame : frames_)
    if (frame.phase == Phase::filling) next_timeout_ = std::min(next_timeout_, frame.deadline);
}

FrameTable::Room FrameTable::begin_tile(IncomingFrame& frame, size_t index, const PacketShape& shape) {
  // What is shown, what comes in and the one after it, at their largest.
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

void FrameTable::begin_payloads(IncomingFrame& frame, const PacketShape& shape) {
  frame.tiles[0].begin(shape, {});
  frame.payloads.begin(pages_);
}

// Parity of all frames together takes no more than the largest frame does.
bool FrameTable::make_room_for_parity(const IncomingFrame& frame, size_t bytes) {
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
