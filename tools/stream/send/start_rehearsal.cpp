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

void StartRehearsal::move(const FrameView& frame) {
  constexpr int kRows = 2;  // of the first plane: no multiple of a block, so that all blocks change
  const FramePlacement place = place_frame(frame.format);
  memory_.resize(place.padded_bytes);
  moved_ = {.format = frame.format};
  for (int p = 0; p < plane_count(frame.format.pixel_format); ++p) {
    const auto index = static_cast<size_t>(p);
    const PlaneView& from = frame.planes[index];
    const int rows = plane_rows(frame.format, p), shift = kRows * rows / plane_rows(frame.format, 0);
    std::byte* const to = memory_.data() + place.offset[index];
    for (int y = 0; y < rows; ++y)
      std::memcpy(to + ptrdiff_t{y} * place.stride[index], from.data + (y + shift) % rows * from.stride_bytes,
                  static_cast<size_t>(plane_row_bytes(frame.format, p)));
    moved_.planes[index] = {to, place.stride[index]};
  }
}

bool StartRehearsal::step(const FrameView& frame) {
  const bool is_over = rehearse(frame);
  if (is_over) memory_ = {};
  return is_over;
}

bool StartRehearsal::rehearse(const FrameView& frame) {
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
    move(frame);
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
  unsent_.submit(encoder, frames_ % 2 == 0 ? frame : moved_);
  return false;
}

}  // namespace texcast::stream
