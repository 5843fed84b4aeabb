#include "nack_sender.h"

#include <algorithm>

namespace texcast::transport {

NackSender::NackSender(const ReceiveSettings& settings, const SsrcSelector& sender)
    : settings_(settings), sender_(sender) {
  if (settings.keys) sealer_.emplace(*settings.keys);
}

void NackSender::follow(std::optional<uint64_t> session) {
  if (session && !envelopes_.follows(*session)) envelopes_.follow(*session);
  if (!session) envelopes_.pause();
}

// The relay lacks packets that were lost before it: only the sender can send them again. A packet between two frames
// may belong to either.
bool NackSender::relay_offers(const EnvelopeList& offer, std::span<IncomingFrame> frames, SteadyTime now) {
  if (!settings_.request_lost || !envelopes_.offered(offer, now, sender_.selected().from)) return false;
  const auto lacks = [&](IncomingFrame& frame) {
    frame.nacks.relay_lacks = true;
    frame.nacks.next_look = std::min(frame.nacks.next_look, now);
  };
  for (size_t i = 0; i < offer.ranges; ++i) {
    const CounterRange range = offer.range(i);
    IncomingFrame* before = nullptr;
    for (IncomingFrame& frame : frames) {
      if (!asks_for(frame)) continue;
      const CounterSpan& span = frame.counters;
      const bool is_below = span.any() && span.highest < range.first;
      if (is_below && (!before || span.highest > before->counters.highest)) before = &frame;
      if (!is_below && (!span.any() || span.lowest <= range.first + range.count)) lacks(frame);
    }
    if (before) lacks(*before);
  }
  return true;
}

void NackSender::note_answers(FrameNacks& frame, bool sender, SteadyTime now) const {
  if (!settings_.request_lost) return;
  frame.by_sender |= sender;
  frame.answered |= sender || is_repaired_by_relay(now);
}

bool NackSender::data_arrived(IncomingFrame& frame, uint32_t packet, SteadyTime now, bool from_relay) {
  if (!can_request(frame)) return from_relay;
  const bool asked_for = scheduler_.answered(frame.nacks, packet, now) || from_relay;
  scheduler_.arrived(frame.nacks, frame.symbols, asked_for, now);
  if (!asked_for) note_gap(frame, packet, now);
  return asked_for;
}

void NackSender::parity_arrived(IncomingFrame& frame, SteadyTime now) {
  if (!can_request(frame)) return;
  scheduler_.arrived(frame.nacks, frame.symbols, false, now);
  note_gap(frame, frame.symbols.layout().packets() + frame.symbols.parity_front() - 1, now);
}

// If a packet is requested while it is on its way, the retransmission usually arrives first. The packet itself is the
// duplicate then, and shows when it was sent.
void NackSender::duplicate_arrived(const IncomingFrame& frame, uint32_t packet, SteadyTime now) {
  if (can_request(frame)) note_gap(frame, packet, now);
}

// Gaps count between consecutive packets only, so that neither loss nor reordering makes them longer.
void NackSender::note_gap(const IncomingFrame& frame, uint32_t position, SteadyTime now) {
  if (frame.id < latest_.frame) return;
  if (frame.id > latest_.frame) {
    end_gaps();
    if (frame.sender != latest_.sender) usual_gap_ = kUnknownGap;
    latest_ = {.frame = frame.id, .sender = frame.sender, .position = position, .arrived = now};
    return;
  }
  if (position <= latest_.position) return;
  if (position == latest_.position + 1) latest_.longest_gap = std::max(latest_.longest_gap, now - latest_.arrived);
  latest_.position = position;
  latest_.arrived = now;
}

// A decaying maximum over frames. Frames of one packet have no gap, and do not count.
void NackSender::end_gaps() {
  if (latest_.longest_gap == nanoseconds{}) return;
  const nanoseconds gap = std::min(latest_.longest_gap, 2 * usual_gap_ + kGapStep);
  usual_gap_ = std::min(std::max(gap, usual_gap_ - usual_gap_ / 8), kLongestGap);
}

void NackSender::over(IncomingFrame& frame, SteadyTime now) {
  if (frame.phase != IncomingFrame::Phase::filling || !can_request(frame)) return;
  expect_end(frame);
  scheduler_.over(frame.nacks, frame.symbols, now);
}

// If the number of packets of a finished frame is unknown, at least its end is missing.
void NackSender::expect_end(IncomingFrame& frame) {
  if (frame.compact() && frame.total == 0)
    frame.symbols.expect(frame.payloads.front() + 1, frame.symbols.parity_unknown());
}

bool NackSender::asks_for(const IncomingFrame& frame) const {
  return frame.phase == IncomingFrame::Phase::filling && sender_.is_selected(frame.sender);
}

bool NackSender::awaits_answers(const IncomingFrame& frame, SteadyTime now) const {
  return asks_for(frame) && can_request(frame) && scheduler_.expects_answers(now);
}

SteadyTime NackSender::waits_until(const IncomingFrame& frame, SteadyTime now) const {
  const SteadyTime reordered = now + settings_.reorder_grace;
  if (!awaits_answers(frame, now)) return reordered;
  return std::max(reordered, frame.ended_at + std::min<nanoseconds>(sender_.frame_time(), settings_.frame_timeout));
}

// When the rest of a frame counts as lost because nothing has arrived for some time: no later packet reveals the loss
// of its last ones. Never if more than the frame's end is missing: then its encoder may be slow.
SteadyTime NackSender::quiet_at(const IncomingFrame& frame) const {
  if (!can_request(frame) || frame.nacks.over || frame.nacks.quiet) return FrameNacks::kNever;
  if (frame.compact() && frame.total == 0) return FrameNacks::kNever;  // its encoder may be slow
  const uint32_t packets = frame.symbols.layout().packets();
  const uint32_t rest = frame.symbols.parity_front() > 0 ? 0 : packets - frame.symbols.packets_front();
  if (rest > std::max(8U, packets / 32)) return FrameNacks::kNever;
  constexpr nanoseconds kLeast = std::chrono::milliseconds(3);
  const nanoseconds mean_gap = (frame.heard - frame.begun) / std::max(frame.packets, 1U);
  return frame.heard + std::max({kLeast, 4 * mean_gap, 2 * usual_gap_});
}

std::optional<SteadyTime> NackSender::next(std::span<const IncomingFrame> frames) const {
  SteadyTime next = envelopes_.next_look().value_or(FrameNacks::kNever);
  for (const IncomingFrame& frame : frames) {
    if (!asks_for(frame)) continue;
    next = std::min(next, quiet_at(frame));
    if (frame.nacks.by_sender) next = std::min(next, frame.nacks.next_look);
  }
  return next == FrameNacks::kNever ? std::nullopt : std::optional(next);
}

void NackSender::look_for_ends(std::span<IncomingFrame> frames, SteadyTime now) {
  for (IncomingFrame& frame : frames) {
    if (!asks_for(frame) || now < quiet_at(frame)) continue;
    scheduler_.quiet(frame.nacks, frame.symbols, now);
    const uint32_t packets = frame.symbols.layout().packets(), front = frame.symbols.packets_front();
    if (frame.symbols.parity_front() == 0 && packets > front) envelopes_.expect(packets - front, now);
  }
}

bool NackSender::needs(std::span<const IncomingFrame> frames, uint64_t counter) {
  const auto of = std::ranges::find_if(frames, [&](const IncomingFrame& frame) {
    return frame.phase != IncomingFrame::Phase::free && frame.counters.contains(counter);
  });
  if (of == frames.end()) return true;  // between two frames
  return asks_for(*of) && (!can_request(*of) || scheduler_.wants(of->nacks, of->symbols));
}

std::optional<Bytes> NackSender::poll(std::span<IncomingFrame> frames, SteadyTime now, WallTime wall_now) {
  look_for_ends(frames, now);
  const auto is_needed = [&](uint64_t counter) { return needs(frames, counter); };
  if (const auto request = envelopes_.request(now, sender_.selected().from, is_needed)) return request;
  scheduler_.postpone(is_repaired_by_relay(now) ? envelopes_.patience() : nanoseconds{});
  for (IncomingFrame& frame : frames) {
    if (!asks_for(frame) || !frame.nacks.by_sender || now < frame.nacks.next_look) continue;
    const auto ranges = scheduler_.due(frame.nacks, frame.symbols, now);
    if (ranges.empty()) continue;
    const Bytes request = Bytes(request_).first(write_request(request_, frame.ssrc, frame.buffer_id, ranges));
    return sealer_ ? sealer_->seal(request, {}, sealed_, wall_now) : request;
  }
  return std::nullopt;
}

Bytes NackSender::ask_for_tiles(const TileRequest& request, std::span<const PacketRange> ranges, WallTime wall_now) {
  const Bytes plain = Bytes(tiles_).first(write_tile_request(tiles_, request, ranges));
  return sealer_ ? sealer_->seal(plain, {}, sealed_tiles_, wall_now) : plain;
}

}  // namespace texcast::transport
