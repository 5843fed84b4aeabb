#include "decode_ahead.h"

#include "base/ensure.h"

namespace texcast::stream {

DecodeAhead::DecodeAhead(media::FrameSource& source, Doorbell& bell)
    : source_(source),
      bell_(bell),
      thread_([this](const std::stop_token& stop) { run(stop); },
              [this](const std::exception_ptr&) {
                {
                  const std::lock_guard lock(mutex_);
                  state_ = State::ended;
                }
                bell_.ring();
              }) {}

void DecodeAhead::run(const std::stop_token& stop) {
  while (auto frame = source_.next()) {
    std::unique_lock lock(mutex_);
    frame_ = std::move(frame);
    ready_at_ = steady_now();
    state_ = State::ready;
    lock.unlock();
    bell_.ring();
    lock.lock();
    if (!changed_.wait(lock, stop, [this] { return state_ == State::decoding; })) return;
  }
}

const media::SourceFrame* DecodeAhead::peek() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::ended) thread_.rethrow_failure();
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
