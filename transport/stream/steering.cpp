#include "stream/steering.h"

namespace texcast::stream {

void Steering::change(SendChange change, Done done) {
  bool is_over = false;
  {
    const std::lock_guard lock(mutex_);
    is_over = over_;
    if (!is_over && waiting_.size() < kMostWaiting) {
      waiting_.push_back({std::move(change), std::move(done)});
      if (event_ != nullptr) event_->set();
      return;
    }
  }
  done(Error(ErrorKind::failed,
             is_over ? "the stream is over" : "too many changes wait: ask again when some have been made"));
}

SendState Steering::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Steering::wake(AutoResetEvent* event) {
  const std::lock_guard lock(mutex_);
  event_ = event;
}

std::optional<Steering::Request> Steering::next() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  std::optional<Request> request(std::move(waiting_.front()));
  waiting_.pop_front();
  return request;
}

void Steering::publish(const SendState& state) {
  SendState before, now;
  {
    const std::lock_guard lock(mutex_);
    before = state_;
    state_ = state;
    state_.position = before.position;
    now = state_;
  }
  if (on_state_ && now != before) on_state_(before, now);
}

void Steering::position(nanoseconds position) {
  const std::lock_guard lock(mutex_);
  state_.position = position;
}

void Steering::over() {
  std::deque<Request> left;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    event_ = nullptr;
    left.swap(waiting_);
  }
  for (Request& request : left) request.done(Error(ErrorKind::failed, "the stream is over"));
}

}  // namespace texcast::stream
