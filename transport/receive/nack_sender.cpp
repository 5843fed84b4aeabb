#include "nack_sender.h"

#include <algorithm>

namespace texcast::transport {

NackSender::NackSender(const ReceiveSettings& settings, const SsrcSelector& sender)
    : settings_(settings), sender_(sender) {
  if (settings.keys) sealer_.emplace(*settings.keys);
}

bool NackSender::data_arrived(IncomingFrame& frame, uint32_t packet, SteadyTime now) {
  if (!can_request(frame)) return false;
  const bool asked_for = scheduler_.answered(frame.nacks, packet, now);
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
  SteadyTime next = FrameNacks::kNever;
  for (const IncomingFrame& frame : frames)
    if (asks_for(frame)) next = std::min({next, frame.nacks.next_look, quiet_at(frame)});
  return next == FrameNacks::kNever ? std::nullopt : std::optional(next);
}

std::optional<Bytes> NackSender::poll(std::span<IncomingFrame> frames, SteadyTime now, WallTime wall_now) {
  for (IncomingFrame& frame : frames) {
    if (!asks_for(frame)) continue;
    if (now >= quiet_at(frame)) scheduler_.quiet(frame.nacks, frame.symbols, now);
    if (now < frame.nacks.next_look) continue;
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
