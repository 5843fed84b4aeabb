#include "decode_ahead.h"

#include <utility>

#include "base/ensure.h"

namespace texcast::stream {

DecodeAhead::DecodeAhead(media::FrameSource& source, AutoResetEvent& progress)
    : source_(source),
      progress_(progress),
      thread_([this](const std::stop_token& stop) { run(stop); },
              [this](const std::exception_ptr&) {
                {
                  const std::lock_guard lock(mutex_);
                  state_ = State::ended;
                }
                progress_.set();
              }) {}

bool DecodeAhead::obey() {
  std::shared_ptr<FramePool> pool;
  std::optional<Seek> seek;
  {
    const std::lock_guard lock(mutex_);
    pool.swap(pool_);
    seek.swap(seek_);
  }
  if (pool) source_.decode_into(std::move(pool));
  if (!seek) return false;
  const bool went = source_.seek(seek->place);
  seek->done(went);
  return went;
}

void DecodeAhead::run(const std::stop_token& stop) {
  for (;;) {
    obey();
    auto frame = source_.next();
    if (!frame) return;
    if (obey()) continue;
    std::unique_lock lock(mutex_);
    frame_ = std::move(frame);
    ready_at_ = steady_now();
    state_ = State::ready;
    lock.unlock();
    progress_.set();
    lock.lock();
    if (!changed_.wait(lock, stop, [this] { return state_ == State::decoding; })) return;
    if (skipped_) source_.skipped();
  }
}

const media::SourceFrame* DecodeAhead::peek() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::ended) thread_.rethrow_failure();
  return state_ == State::ready ? &*frame_ : nullptr;
}

void DecodeAhead::decode_into(std::shared_ptr<FramePool> pool) {
  const std::lock_guard lock(mutex_);
  pool_ = std::move(pool);
}

void DecodeAhead::seek(nanoseconds place, std::function<void(bool)> done) {
  std::optional<Seek> before;
  {
    const std::lock_guard lock(mutex_);
    before = std::exchange(seek_, Seek{place, std::move(done)});
  }
  if (before) before->done(true);  // replaced by this one
}

void DecodeAhead::release(bool skipped) {
  {
    const std::lock_guard lock(mutex_);
    ENSURE(state_ == State::ready);
    state_ = State::decoding;
    skipped_ = skipped;
  }
  changed_.notify_all();
}

bool DecodeAhead::ended() {
  const std::lock_guard lock(mutex_);
  return state_ == State::ended;
}

}  // namespace texcast::stream
