#include "decode_ahead.h"

#include <utility>

#include "base/ensure.h"

namespace texcast::stream {

DecodeAhead::DecodeAhead(media::FrameSource& source, Doorbell& bell)
    : source_(source), bell_(bell), thread_([this] { run(); }) {}

DecodeAhead::~DecodeAhead() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void DecodeAhead::run() {
  while (true) {
    std::optional<media::SourceFrame> frame;
    std::exception_ptr failure;
    try {
      frame = source_.next();
    } catch (...) {
      failure = std::current_exception();
    }
    std::unique_lock lock(mutex_);
    frame_ = frame;
    failure_ = failure;
    ready_at_ = steady_now();
    state_ = frame ? State::ready : State::ended;
    lock.unlock();
    bell_.ring();
    if (!frame) return;
    lock.lock();
    changed_.wait(lock, [this] { return state_ == State::decoding || closing_; });
    if (closing_) return;
  }
}

const media::SourceFrame* DecodeAhead::peek() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return state_ == State::ready ? &*frame_ : nullptr;
}

void DecodeAhead::release() {
  {
    const std::lock_guard lock(mutex_);
    ENSURE(state_ == State::ready);
    state_ = State::decoding;
  }
  changed_.notify_all();
}

bool DecodeAhead::ended() {
  const std::lock_guard lock(mutex_);
  return state_ == State::ended;
}

}  // namespace texcast::stream
