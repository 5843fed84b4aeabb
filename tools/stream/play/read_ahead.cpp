#include "stream/read_ahead.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace texcast::stream {
namespace {

constexpr nanoseconds kLongAgo = nanoseconds::min();

nanoseconds usual_frame_time(double fps) { return frame_period(fps > 0 ? fps : 25.0); }

int unpacking_threads(int wished) {
  if (wished > 0) return wished;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
}

}  // namespace

ReadAhead::ReadAhead(std::unique_ptr<media::ClipReader> reader, std::unique_ptr<player::UploadBuffers> buffers,
                     int threads, std::optional<nanoseconds> lap)
    : reader_(std::move(reader)),
      info_(reader_->info()),
      lap_time_(lap),
      buffers_(std::move(buffers)),
      needed_from_(kLongAgo) {
  threads_.emplace_back([this](const std::stop_token& stop) { read_frames(stop); },
                        [this](const std::exception_ptr& failure) { fail(failure, false); });
  for (int i = 0; i < unpacking_threads(threads); ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { unpack_frames(stop); },
                          [this](const std::exception_ptr& failure) { fail(failure, true); });
}

ReadAhead::~ReadAhead() {
  for (LoopThread& thread : threads_) thread.request_stop();
}

// A thread has failed, and no more frames will come. nullptr: it was stopped.
void ReadAhead::fail(const std::exception_ptr& failure, bool while_unpacking) {
  if (!failure) return;
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = failure;
    if (while_unpacking) forget();  // the frame would never become ready
    at_end_ = true;
    loop_ = false;
    target_.reset();
  }
  changed_.notify_all();
}

void ReadAhead::rethrow_failure() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

bool ReadAhead::may_read() const {
  if (target_) return true;
  if (at_end_) return loop_ && !lap_is_empty_;
  return ahead_.size() < kFrames;
}

void ReadAhead::read_frames(const std::stop_token& stop) {
  while (true) {
    std::optional<Target> target;
    bool begin_again = false;
    uint64_t jumps = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [this] { return may_read(); });
      if (stop.stop_requested()) return;
      target = std::exchange(target_, std::nullopt);
      begin_again = !target && at_end_;
      jumps = jumps_;
      if (begin_again) {
        lap_start_ += lap_length();
        ++lap_;
        at_end_ = false;
        lap_is_empty_ = true;
      }
    }
    if (target && std::holds_alternative<nanoseconds>(*target)) reader_->seek(std::get<nanoseconds>(*target));
    if (target && std::holds_alternative<int64_t>(*target)) reader_->seek_to_frame(std::get<int64_t>(*target));
    if (begin_again) reader_->seek_to_frame(0);

    const SteadyTime begun = steady_now();
    auto next = reader_->next_stored();
    const nanoseconds took = steady_now() - begun;
    {
      const std::lock_guard lock(mutex_);
      if (jumps != jumps_) continue;  // a seek came meanwhile
      if (!next) {
        add_damage(next.error().message);
      } else if (!*next) {
        at_end_ = true;
      } else {
        report_.read.add(took);
        add(std::move(**next));
      }
    }
    changed_.notify_all();
  }
}

void ReadAhead::add_damage(const std::string& message) {
  if (report_.damaged++ == 0) report_.first_damage = message;
}

void ReadAhead::add(media::StoredFrame stored) {
  report_.stored_bytes += static_cast<uint64_t>(stored.stored_bytes);
  if (stored.duration <= nanoseconds{}) stored.duration = usual_frame_time(info_.fps);
  Entry& entry = ahead_.emplace_back();
  entry.lap = lap_;
  entry.frame.pts = stored.pts;
  entry.frame.duration = stored.duration;
  entry.frame.due = lap_start_ + stored.pts;
  entry.frame.number = static_cast<uint64_t>(stored.number);
  entry.frame.id = first_id_ + ahead_.size();
  entry.frame.stored_bytes = static_cast<uint64_t>(stored.stored_bytes);
  frames_end_ = stored.pts + stored.duration;
  lap_is_empty_ = false;
  entry.stored = std::move(stored);
}

// The duration in the container, which the sound uses too, but at least the end of the frames read.
nanoseconds ReadAhead::lap_length() const {
  if (lap_time_) return *lap_time_;
  if (info_.duration && *info_.duration + usual_frame_time(info_.fps) > frames_end_) return *info_.duration;
  return frames_end_;
}

std::optional<size_t> ReadAhead::next_to_unpack() {
  for (size_t i = 0; i < ahead_.size(); ++i) {
    Entry& entry = ahead_[i];
    if (entry.state != State::stored) continue;
    if (i + 1 == ahead_.size() || ahead_[i + 1].frame.due > needed_from_) return i;
    entry.state = State::gone;
    entry.stored = {};
    ++report_.overtaken;
  }
  return std::nullopt;
}

void ReadAhead::unpack_frames(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    std::optional<size_t> place;
    player::UploadBuffers::Lease lease;
    changed_.wait(lock, stop, [&] {
      place = next_to_unpack();
      if (place) lease = buffers_->acquire();
      return static_cast<bool>(lease);
    });
    if (stop.stop_requested()) return;
    const uint64_t id = first_id_ + *place;
    const uint64_t jumps = jumps_;
    media::StoredFrame stored = std::move(ahead_[*place].stored);
    ahead_[*place].state = State::unpacking;

    lock.unlock();
    const SteadyTime begun = steady_now();
    const auto outcome = reader_->unpack(stored, lease.bytes());
    const nanoseconds took = steady_now() - begun;
    const bool is_there = outcome || !stored.damage.empty();
    stored = {};
    lock.lock();

    report_.unpack.add(took);
    if (jumps == jumps_ && id >= first_id_) {
      if (!outcome) add_damage(outcome.error().message);
      Entry& done = ahead_[id - first_id_];
      done.state = is_there ? State::ready : State::gone;
      if (is_there) done.frame.blocks = std::move(lease);
    }
    lease = {};
    changed_.notify_all();
  }
}

void ReadAhead::forget() {
  first_id_ += ahead_.size();
  ahead_.clear();
  ++jumps_;
}

void ReadAhead::go_to(Target target) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
    target_ = target;
    forget();
    at_end_ = false;
    lap_is_empty_ = true;
    lap_ = taken_lap_ = 0;
    lap_start_ = frames_end_ = {};
    needed_from_ = kLongAgo;
  }
  changed_.notify_all();
}

void ReadAhead::set_loop(bool loop) {
  {
    const std::lock_guard lock(mutex_);
    loop_ = loop && !failure_;
  }
  changed_.notify_all();
}

void ReadAhead::pop_gone() {
  for (; !ahead_.empty() && ahead_.front().state == State::gone; ++first_id_) ahead_.pop_front();
}

std::optional<AheadFrame> ReadAhead::pop() {
  taken_lap_ = ahead_.front().lap;
  AheadFrame frame = std::move(ahead_.front().frame);
  ahead_.pop_front();
  ++first_id_;
  return frame;
}

std::optional<AheadFrame> ReadAhead::take_next() {
  std::optional<AheadFrame> next;
  {
    const std::lock_guard lock(mutex_);
    pop_gone();
    if (!ahead_.empty() && ahead_.front().state == State::ready && !is_behind_the_end(ahead_.front())) next = pop();
  }
  changed_.notify_all();
  return next;
}

std::optional<AheadFrame> ReadAhead::take_due(nanoseconds time) {
  std::optional<AheadFrame> newest;
  {
    const std::lock_guard lock(mutex_);
    needed_from_ = time;
    pop_gone();
    size_t count = 0;  // number of entries up to and including the newest that is due
    for (size_t i = 0; i < ahead_.size() && ahead_[i].frame.due <= time && !is_behind_the_end(ahead_[i]); ++i)
      if (ahead_[i].state == State::ready) count = i + 1;
    for (; count > 0; --count) {
      if (count > 1 && ahead_.front().state != State::gone) ++report_.overtaken;
      newest = pop();
    }
  }
  changed_.notify_all();
  return newest;
}

std::optional<ReadAhead::Peek> ReadAhead::peek() const {
  const std::lock_guard lock(mutex_);
  const auto next = std::ranges::find_if(ahead_, [](const Entry& entry) { return entry.state != State::gone; });
  if (next == ahead_.end() || next->state != State::ready || is_behind_the_end(*next)) return std::nullopt;
  return Peek{next->frame.blocks.bytes(), next->frame.id};
}

std::optional<nanoseconds> ReadAhead::next_due() const {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : ahead_)
    if (entry.state != State::gone && !is_behind_the_end(entry)) return entry.frame.due;
  return std::nullopt;
}

bool ReadAhead::ended() const {
  const std::lock_guard lock(mutex_);
  if (target_) return false;
  for (const Entry& entry : ahead_)
    if (entry.state != State::gone) return is_behind_the_end(entry);
  return at_end_ && (!loop_ || lap_is_empty_);
}

void ReadAhead::wait(SteadyTime limit) const {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, limit, [this] {
    for (const Entry& entry : ahead_)
      if (entry.state != State::gone) return entry.state == State::ready || is_behind_the_end(entry);
    return at_end_ && !target_ && !(loop_ && !lap_is_empty_);
  });
}

ReadAheadReport ReadAhead::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

}  // namespace texcast::stream
