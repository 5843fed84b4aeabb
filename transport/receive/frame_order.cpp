#include "frame_order.h"

#include "transport/packet.h"

namespace texcast::transport {
namespace {

// to - from, modulo 2^22, in [-2^21, 2^21).
int distance(uint32_t from, uint32_t to) {
  constexpr int kSpare = 32 - kBufferIdBits;
  return static_cast<int32_t>((to - from) << kSpare) >> kSpare;
}

}  // namespace

FrameOrder::Place FrameOrder::begin_run(uint32_t id) {
  started_ = true;
  jump_.reset();
  ++run_;
  newest_id_ = id;
  newest_order_ += 2 * kMaxJump;  // room for frames of the run that lie before the one that came first
  return {newest_order_, run_};
}

std::optional<FrameOrder::Place> FrameOrder::place(uint32_t id, bool repeated) {
  if (!started_) return begin_run(id);
  const int ahead = distance(newest_id_, id);
  if (ahead > kMaxJump || ahead < -kMaxJump) {
    const int from_jump = jump_ ? distance(*jump_, id) : -1;
    if (repeated) return std::nullopt;
    if (from_jump < 0 || from_jump > 4) {
      jump_ = id;
      return std::nullopt;
    }
    if (ahead < 0) return begin_run(id);
  }
  jump_.reset();
  const uint64_t order = newest_order_ + static_cast<uint64_t>(static_cast<int64_t>(ahead));
  if (ahead > 0) {
    newest_id_ = id;
    newest_order_ = order;
  }
  return Place{order, run_};
}

}  // namespace texcast::transport
