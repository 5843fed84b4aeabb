#include "sound_box.h"

#include <utility>

namespace texcast::python {
namespace {

constexpr nanoseconds kMostWaiting = std::chrono::seconds(2);

uint64_t count_of(const SoundItem& item) {
  return item.samples->size() / sizeof(float) / static_cast<size_t>(item.format.channels);
}
nanoseconds duration_of(const SoundItem& item) {
  return nanoseconds(static_cast<int64_t>(count_of(item)) * 1'000'000'000 / item.format.sample_rate);
}

}  // namespace

void SoundBox::put(const ReceivedSound& received) {
  SoundItem item{.samples = memory_->copy(std::as_bytes(received.samples)),
                 .format = received.format,
                 .pts = received.pts,
                 .new_stream = received.new_stream,
                 .concealed = received.concealed};
  {
    const std::scoped_lock lock(mutex_);
    if (is_closed_) return;
    waiting_ += duration_of(item);
    items_.push_back(std::move(item));
    while (waiting_ > kMostWaiting && items_.size() > 1) skip_oldest();
  }
  arrived_.notify_one();
}

void SoundBox::skip_oldest() {
  const SoundItem& oldest = items_.front();
  waiting_ -= duration_of(oldest);
  skipped_ += count_of(oldest);
  skipped_start_ |= oldest.new_stream;
  items_.pop_front();
}

void SoundBox::close() {
  std::deque<SoundItem> rest;
  {
    const std::scoped_lock lock(mutex_);
    is_closed_ = true;
    rest.swap(items_);
  }
  arrived_.notify_all();
}

bool SoundBox::is_closed() const {
  const std::scoped_lock lock(mutex_);
  return is_closed_;
}

std::optional<SoundItem> SoundBox::take(SteadyTime until) {
  std::unique_lock lock(mutex_);
  arrived_.wait_until(lock, until, [this] { return is_closed_ || !items_.empty(); });
  if (items_.empty()) return std::nullopt;
  SoundItem item = std::move(items_.front());
  items_.pop_front();
  waiting_ -= duration_of(item);
  item.skipped = std::exchange(skipped_, 0);
  item.new_stream |= std::exchange(skipped_start_, false);
  return item;
}

}  // namespace texcast::python
