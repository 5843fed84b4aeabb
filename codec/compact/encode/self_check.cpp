#include "compact/self_check.h"

#include <algorithm>
#include <utility>

namespace texcast::compact {

void SelfCheck::begin(const SelfCheckSettings& settings) {
  left_ = settings.slices;
  clock_ = settings.clock;
}

void SelfCheck::add_times(nanoseconds device, nanoseconds cpu) {
  if (!std::exchange(is_warm_, true)) return;
  ++frames_;
  device_ += device;
  cpu_ += cpu;
}

std::optional<SelfCheck::Failure> SelfCheck::failure() {
  left_ -= std::min(left_, same_.exchange(0));
  if (mismatches_ > 0) return Failure::mismatch;
  if (left_ == 0 && device_ > cpu_) return Failure::slower;
  return std::nullopt;
}

}  // namespace texcast::compact
