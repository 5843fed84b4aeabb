#include "device_proof.h"

#include <algorithm>
#include <utility>

namespace texcast::compact {

void DeviceProof::begin(const ProofWanted& wanted) {
  left_ = wanted.units;
  clock_ = wanted.clock;
}

void DeviceProof::took(nanoseconds device, nanoseconds threads) {
  if (!std::exchange(has_begun_, true)) return;
  ++frames_;
  device_ += device;
  threads_ += threads;
}

std::optional<DeviceProof::Objection> DeviceProof::look() {
  left_ -= std::min(left_, same_.exchange(0));
  if (others_ > 0) return Objection::others;
  if (left_ == 0 && device_ > threads_) return Objection::slower;
  return std::nullopt;
}

}  // namespace texcast::compact
