// slice_encoder_pool.h — encoders of units, one a thread, which keep memory between tiles: whoever has a tile takes a
// free one.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include "base/ensure.h"
#include "lossless_slice_encoder.h"
#include "rd_slice_encoder.h"

namespace texcast::compact {

// One of the encoders that the threads share.
struct SharedEncoder {
  SharedEncoder(LosslessSliceEncoder made, RdSliceEncoder made_lossy)
      : encoder(std::move(made)), lossy(std::move(made_lossy)) {}
  LosslessSliceEncoder encoder;
  RdSliceEncoder lossy;
  SymbolList run;
  std::atomic<bool> in_use{false};
};

class EncoderInUse {
 public:
  // There is one free: there are as many as threads.
  explicit EncoderInUse(std::deque<SharedEncoder>& encoders) {
    const auto free = std::ranges::find_if(
        encoders, [](SharedEncoder& one) { return !one.in_use.exchange(true, std::memory_order_acquire); });
    ENSURE(free != encoders.end());
    taken_ = &*free;
  }
  ~EncoderInUse() { taken_->in_use.store(false, std::memory_order_release); }
  EncoderInUse(const EncoderInUse&) = delete;
  EncoderInUse& operator=(const EncoderInUse&) = delete;
  SharedEncoder& operator*() const { return *taken_; }

 private:
  SharedEncoder* taken_ = nullptr;
};

}  // namespace texcast::compact
