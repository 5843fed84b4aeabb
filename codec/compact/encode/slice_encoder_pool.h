// slice_encoder_pool.h — slice encoders, which keep memory between tiles. A thread takes a free one.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>

#include "base/ensure.h"

namespace texcast::compact {

template <typename Encoder>
class SliceEncoderPool {
  struct Entry {
    template <typename Make>
    explicit Entry(const Make& make) : encoder(make()) {}
    Encoder encoder;
    std::atomic<bool> is_used{false};
  };

 public:
  class Use {
   public:
    explicit Use(SliceEncoderPool& pool) : entry_(pool.take()) {}
    ~Use() { entry_.is_used.store(false, std::memory_order_release); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    Encoder& operator*() const { return entry_.encoder; }

   private:
    Entry& entry_;
  };

  // As many as threads share a loop. `make()` makes one.
  template <typename Make>
  SliceEncoderPool(int threads, const Make& make) {
    for (int i = 0; i < threads; ++i) entries_.emplace_back(make);
  }

 private:
  Entry& take() {
    const auto free = std::ranges::find_if(
        entries_, [](Entry& entry) { return !entry.is_used.exchange(true, std::memory_order_acquire); });
    ENSURE(free != entries_.end());
    return *free;
  }
  std::deque<Entry> entries_;
};

}  // namespace texcast::compact
