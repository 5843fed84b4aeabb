#include "start_rehearsal.h"

#include <cstring>
#include <memory>
#include <vector>

#include "texcast/frame_pool.h"

namespace texcast::stream {
namespace {

// After that, no frame is rehearsed any more: on a slow processor, memory that is there sooner is not worth the wait.
constexpr nanoseconds kLongEnough = std::chrono::milliseconds(500);
constexpr size_t kAtDecoder = 2;  // frames of the pool: one waits, one is being decoded

// Makes the memory of as many frames as the encoder and the decoder have at the same time, and touches it.
void fill(FramePool& pool, size_t frames) {
  std::vector<FrameLease> leases;
  while (leases.size() < frames) {
    FrameLease lease = pool.lend();
    if (!lease) return;
    std::memset(lease.data(), 0, pool.placement().padded_bytes);
    leases.push_back(std::move(lease));
  }
}

}  // namespace

bool StartRehearsal::step(const FrameView& frame) {
  Encoder& encoder = engine_.encoder();
  waits_ = false;
  if (!engine_.is_idle()) return false;
  if (encoder.in_flight() > 0) {
    if (!encoder.ready()) return false;
    ++frames_;
    engine_.rehearse(encoder.next());
    if (!engine_.is_idle()) return false;
  }
  const SteadyTime now = steady_now();
  if (begun_ == SteadyTime{}) {
    begun_ = now;
    if (const auto pool = encoder.frame_pool()) fill(*pool, static_cast<size_t>(encoder.capacity()) + kAtDecoder);
  }
  if (frames_ > 0) {
    const Rehearsal rehearsal = engine_.rehearsal();
    if (rehearsal == Rehearsal::waits) {
      waits_ = true;
      begun_ = now;
      return false;
    }
    // One more than fit in flight: the encoder keeps the memory of the last one, too.
    if (rehearsal == Rehearsal::over && frames_ > encoder.capacity()) return true;
    if (now - begun_ > kLongEnough) return true;
  }
  unsent_.submit(encoder, frame);
  return false;
}

}  // namespace texcast::stream
