#include "request_sender.h"

#include <algorithm>

namespace texcast::transport {

RequestSender::RequestSender(const ReceiveSettings& settings, const SenderFollower& sender)
    : settings_(settings), sender_(sender) {
  if (settings.keys) sealer_.emplace(*settings.keys);
}

bool RequestSender::data_arrived(IncomingFrame& frame, uint32_t packet, SteadyTime now) {
  if (!askable(frame)) return false;
  const bool asked_for = requester_.answered(frame.requests, packet, now);
  requester_.arrived(frame.requests, frame.symbols, asked_for, now);
  return asked_for;
}

void RequestSender::parity_arrived(IncomingFrame& frame, SteadyTime now) {
  if (askable(frame)) requester_.arrived(frame.requests, frame.symbols, false, now);
}

void RequestSender::over(IncomingFrame& frame, SteadyTime now) {
  if (frame.phase != IncomingFrame::Phase::filling || !askable(frame)) return;
  expect_end(frame);
  requester_.over(frame.requests, frame.symbols, now);
}

// Of a frame that is over the end is missing at least, where it is not known how many packets it has.
void RequestSender::expect_end(IncomingFrame& frame) {
  if (frame.compact() && frame.total == 0)
    frame.symbols.expect(frame.payloads.front() + 1, frame.symbols.parity_unknown());
}

bool RequestSender::asks_for(const IncomingFrame& frame) const {
  return frame.phase == IncomingFrame::Phase::filling && sender_.follows(frame.sender);
}

bool RequestSender::hopes_for_answers(const IncomingFrame& frame, SteadyTime now) const {
  return asks_for(frame) && askable(frame) && requester_.hopeful(now);
}

SteadyTime RequestSender::last_call(const IncomingFrame& frame, SteadyTime now) const {
  const SteadyTime reordered = now + settings_.reorder_grace;
  if (!hopes_for_answers(frame, now)) return reordered;
  return std::max(reordered, frame.ended_at + std::min<nanoseconds>(sender_.frame_time(), settings_.frame_timeout));
}

// When so little came of a frame lately that the rest of it must be lost: its last packets are passed by nothing. Not
// where more is missing than its end: then its encoder may be slow.
SteadyTime RequestSender::quiet_at(const IncomingFrame& frame) {
  if (!askable(frame) || frame.requests.over || frame.requests.quiet) return FrameRequests::kNever;
  if (frame.compact() && frame.total == 0) return FrameRequests::kNever;  // as well its coder may be slow
  const uint32_t packets = frame.symbols.layout().packets();
  const uint32_t rest = frame.symbols.parity_front() > 0 ? 0 : packets - frame.symbols.packets_front();
  if (rest > std::max(8U, packets / 32)) return FrameRequests::kNever;
  constexpr nanoseconds kLeast = std::chrono::milliseconds(3);
  return frame.heard + std::max(kLeast, 4 * (frame.heard - frame.begun) / std::max(frame.packets, 1U));
}

std::optional<SteadyTime> RequestSender::next(std::span<const IncomingFrame> frames) const {
  SteadyTime next = FrameRequests::kNever;
  for (const IncomingFrame& frame : frames)
    if (asks_for(frame)) next = std::min({next, frame.requests.next_look, quiet_at(frame)});
  return next == FrameRequests::kNever ? std::nullopt : std::optional(next);
}

std::optional<Bytes> RequestSender::poll(std::span<IncomingFrame> frames, SteadyTime now, WallTime wall_now) {
  for (IncomingFrame& frame : frames) {
    if (!asks_for(frame)) continue;
    if (now >= quiet_at(frame)) requester_.quiet(frame.requests, frame.symbols, now);
    if (now < frame.requests.next_look) continue;
    const auto ranges = requester_.due(frame.requests, frame.symbols, now);
    if (ranges.empty()) continue;
    const Bytes request = Bytes(request_).first(write_request(request_, frame.ssrc, frame.buffer_id, ranges));
    return sealer_ ? sealer_->seal(request, {}, sealed_, wall_now) : request;
  }
  return std::nullopt;
}

Bytes RequestSender::ask_for_tiles(const TileRequest& request, std::span<const PacketRange> ranges, WallTime wall_now) {
  const Bytes plain = Bytes(tiles_).first(write_tile_request(tiles_, request, ranges));
  return sealer_ ? sealer_->seal(plain, {}, sealed_tiles_, wall_now) : plain;
}

}  // namespace texcast::transport
