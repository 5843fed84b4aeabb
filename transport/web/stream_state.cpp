#include "stream_state.h"

#include <utility>

namespace texcast::web {

void FeedbackQueue::add(Stream::Feedback feedback) {
  waiting_.push_back({.feedback = feedback, .bytes = {feedback.datagram.begin(), feedback.datagram.end()}});
  news_ = true;
}

void FeedbackQueue::joined(ViewerId viewer, const transport::PeerAddress& from, SteadyTime now) {
  const std::lock_guard lock(mutex_);
  add({.kind = Stream::Feedback::Kind::joined, .viewer = viewer, .from = from, .datagram = {}, .arrived = now});
}

void FeedbackQueue::left(ViewerId viewer, const transport::PeerAddress& from, SteadyTime now) {
  const std::lock_guard lock(mutex_);
  add({.kind = Stream::Feedback::Kind::left, .viewer = viewer, .from = from, .datagram = {}, .arrived = now});
}

bool FeedbackQueue::datagram(ViewerId viewer, const transport::PeerAddress& from, Channel channel, Bytes bytes,
                             SteadyTime now, Waiting& waiting) {
  const std::lock_guard lock(mutex_);
  if (waiting.turn != turn_) waiting = {.turn = turn_, .count = 0};
  if (datagrams_ >= kMostWaiting || waiting.count >= kMostOfOneViewer) return false;
  ++datagrams_;
  ++waiting.count;
  add({.viewer = viewer, .from = from, .channel = channel, .datagram = bytes, .arrived = now});
  return true;
}

bool FeedbackQueue::full() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() >= 2 * kMostWaiting;
}

void FeedbackQueue::notify() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(news_, false)) return;
  }
  const std::lock_guard lock(wake_mutex_);
  if (wake_) wake_();
}

void FeedbackQueue::on_feedback(std::function<void()> wake) {
  const std::lock_guard lock(wake_mutex_);
  wake_ = std::move(wake);
  const std::lock_guard waiting(mutex_);
  if (wake_ && !waiting_.empty()) wake_();
}

void FeedbackQueue::take(const Stream::OnFeedback& sink) {
  std::vector<Kept> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(waiting_);
    datagrams_ = 0;
    news_ = false;
    ++turn_;
  }
  for (Kept& kept : taken) {
    kept.feedback.datagram = kept.bytes;
    sink(kept.feedback);
  }
}

}  // namespace texcast::web
