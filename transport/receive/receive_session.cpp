#include "transport/receive_session.h"

#include <algorithm>

#include "receive_state.h"

namespace texcast::transport {

ReceiveSession::ReceiveSession(const ReceiveSettings& settings) : state_(std::make_unique<State>(settings)) {}
ReceiveSession::~ReceiveSession() = default;

void ReceiveSession::on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now) {
  state_->on_datagram(datagram, now, wall_now);
}

std::optional<ReceivedFrame> ReceiveSession::poll(SteadyTime now, WallTime wall_now) {
  return state_->poll(now, wall_now);
}

std::optional<SteadyTime> ReceiveSession::next_deadline() const {
  if (state_->finished_waiting) return state_->finished_at;
  if (state_->candidate.replaying()) return state_->heard;
  const SteadyTime next = std::min(state_->next_timeout, state_->next_request().value_or(SteadyTime::max()));
  return next == SteadyTime::max() ? std::nullopt : std::optional(next);
}

std::optional<Bytes> ReceiveSession::poll_feedback(SteadyTime now) { return state_->poll_feedback(now); }

std::optional<FrameProgress> ReceiveSession::progress() const { return state_->progress(); }

const ReceiveCounters& ReceiveSession::counters() const { return state_->counters; }

Refusal ReceiveSession::last_refusal() const { return state_->opener.last_refusal(); }

void ReceiveSession::count_socket_drops(uint64_t dropped) { state_->counters.socket_dropped += dropped; }

}  // namespace texcast::transport
