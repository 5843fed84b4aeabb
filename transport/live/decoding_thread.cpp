#include "live/decoding_thread.h"

#include <utility>

#include "compact/payload.h"

namespace texcast::stream {

void QueuedFrame::take(const transport::ReceivedFrame& given, const FrameOrigin& from) {
  frame = given;
  frame.bytes = {};
  frame.concealed = {};
  origin = from;
  size_t bytes = 0;
  for (const Bytes payload : given.payloads) bytes += payload.size();
  memory_.reserve(bytes);
  for (const Bytes payload : given.payloads) {
    const size_t at = memory_.size();
    memory_.insert(memory_.end(), payload.begin(), payload.end());
    payloads_.push_back(Bytes(memory_).subspan(at));
  }
  frame.payloads = payloads_;
}

void QueuedFrame::take(const transport::TileSums& given) {
  memory_.assign(given.sum_bytes.begin(), given.sum_bytes.end());
  sums = given;
  sums->sum_bytes = memory_;
}

void QueuedFrame::clear() {
  frame = {};
  origin = {};
  ready = {};
  sums.reset();
  memory_.clear();
  payloads_.clear();
  most_work_.reset();
}

size_t QueuedFrame::most_work() {
  if (!most_work_) {
    const compact::TileGrid grid(origin.texture);
    most_work_ = origin.texture_bytes;
    for (const Bytes payload : frame.payloads) *most_work_ += compact::covered_bytes(grid, payload);
  }
  return *most_work_;
}

DecodingThread::DecodingThread(bool is_limited, Handle handle, std::function<void()> at_end,
                               std::function<bool()> prepare)
    : handle_(std::move(handle)),
      prepare_(std::move(prepare)),
      budget_(is_limited),
      thread_([this](const std::stop_token& stop) { run(stop); },
              [this, at_end = std::move(at_end)](const std::exception_ptr&) {
                {
                  const std::lock_guard lock(mutex_);
                  has_ended_ = true;
                }
                handled_.notify_all();
                at_end();
              }) {
  const std::lock_guard lock(mutex_);
  queue_.reserve(kMostFrames);
  free_.reserve(kMostFrames + 2);
}

DecodingThread::~DecodingThread() { stop(); }

void DecodingThread::put(const transport::ReceivedFrame& frame, const FrameOrigin& origin) {
  Place place = free_place();
  place->take(frame, origin);
  enqueue(std::move(place));
}

void DecodingThread::put_ready(FrameRef ready, const transport::ReceivedFrame& frame, const FrameOrigin& origin) {
  Place place = free_place();
  place->take(frame, origin);
  place->ready = std::move(ready);
  enqueue(std::move(place));
}

void DecodingThread::put_sums(const transport::TileSums& sums) {
  Place place = free_place();
  place->take(sums);
  enqueue(std::move(place));
}

DecodingThread::Place DecodingThread::free_place() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return std::make_unique<QueuedFrame>();
  Place place = std::move(free_.back());
  free_.pop_back();
  return place;
}

void DecodingThread::enqueue(Place place) {
  const size_t bytes = place->bytes();
  {
    const std::lock_guard lock(mutex_);
    while (is_full(bytes)) drop_oldest();
    if (place->is_frame()) budget_.received(bytes, place->origin.arrived);
    queued_bytes_ += bytes;
    queue_.push_back(std::move(place));
  }
  changed_.notify_one();
}

// One frame always has room.
bool DecodingThread::is_full(size_t bytes) const {
  return queue_.size() == kMostFrames || (!queue_.empty() && queued_bytes_ + bytes > kMostBytes);
}

bool DecodingThread::affords(QueuedFrame& frame) const {
  if (!frame.needs_decoding()) return true;
  // The usual bound (all of the picture coded, in new memory) avoids computing the exact one.
  return budget_.affords(2 * frame.origin.texture_bytes) || budget_.affords(frame.most_work());
}

DecodingThread::Place DecodingThread::take_oldest() {
  Place place = std::move(queue_.front());
  queue_.erase(queue_.begin());
  queued_bytes_ -= place->bytes();
  return place;
}

void DecodingThread::drop_oldest() {
  Place place = take_oldest();
  if (place->is_frame()) {
    ++dropped_;
    begins_anew_ = begins_anew_ || place->frame.new_stream;
  }
  place->clear();
  free_.push_back(std::move(place));
}

void DecodingThread::select() {
  const std::lock_guard lock(mutex_);
  while (!queue_.empty()) drop_oldest();
  budget_.begin();
}

void DecodingThread::trust() {
  {
    const std::lock_guard lock(mutex_);
    budget_.trust();
  }
  changed_.notify_one();
}

void DecodingThread::pass(SteadyTime now) {
  {
    const std::lock_guard lock(mutex_);
    budget_.received(0, now);
    if (queue_.empty()) return;
  }
  changed_.notify_one();
}

bool DecodingThread::idle() const {
  const std::lock_guard lock(mutex_);
  return queue_.empty() && !is_handling_;
}

void DecodingThread::finish() {
  {
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    changed_.notify_one();
    handled_.wait(lock, [this] { return (queue_.empty() && !is_handling_) || has_ended_; });
  }
  rethrow_failure();
}

uint64_t DecodingThread::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

void DecodingThread::close() { thread_.request_stop(); }

void DecodingThread::stop() { thread_.stop(); }

void DecodingThread::prepare(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  while (prepare_ && queue_.empty() && !stop.stop_requested()) {
    lock.unlock();
    if (!prepare_()) prepare_ = {};
    lock.lock();
  }
}

void DecodingThread::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  prepare(lock, stop);
  while (changed_.wait(lock, stop, [this] { return !queue_.empty() && (is_ending_ || affords(*queue_.front())); }) &&
         !stop.stop_requested()) {
    if (!affords(*queue_.front())) {  // and nothing more arrives
      drop_oldest();
      handled_.notify_all();
      continue;
    }
    Place place = take_oldest();
    if (place->is_frame() && std::exchange(begins_anew_, false)) place->frame.new_stream = true;
    is_handling_ = true;
    lock.unlock();
    const size_t work = handle_(*place);
    place->clear();
    lock.lock();
    budget_.spend(work);
    free_.push_back(std::move(place));
    is_handling_ = false;
    handled_.notify_all();
    prepare(lock, stop);
  }
}

}  // namespace texcast::stream
