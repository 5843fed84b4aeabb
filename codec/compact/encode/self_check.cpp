#include "self_check.h"

#include <algorithm>
#include <utility>

namespace texcast::compact {

void SelfCheck::begin(const SelfCheckSettings& wanted) {
  left_ = wanted.slices;
  clock_ = wanted.clock;
}

void SelfCheck::took(nanoseconds device, nanoseconds threads) {
  if (!std::exchange(has_begun_, true)) return;
  ++frames_;
  device_ += device;
  threads_ += threads;
}

std::optional<SelfCheck::Objection> SelfCheck::look() {
  left_ -= std::min(left_, same_.exchange(0));
  if (others_ > 0) return Objection::others;
  if (left_ == 0 && device_ > threads_) return Objection::slower;
  return std::nullopt;
}

}  // namespace texcast::compact
