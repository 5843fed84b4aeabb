#include "live/source_validation.h"

namespace texcast::stream {
namespace {

// The network may bunch frames, but not for long.
constexpr int kMostPace = 2;

bool most_came(const transport::ReceivedFrame& frame) {
  if (frame.stream.compact()) return 2 * size_t{frame.payloads_missing} <= frame.payloads.size();
  return 2 * frame.concealed_bytes <= frame.bytes.size();
}

}  // namespace

void SourceValidation::select(bool is_proven) {
  trusted_ = is_proven;
  frame_time_ = {};
  begun_.reset();
}

void SourceValidation::note(const transport::ReceivedFrame& frame, SteadyTime now) {
  frame_time_ = frame_period(frame.stream.fps);
  if (trusted_ || !most_came(frame)) return;
  if (!begun_ || frame.new_stream) begun_ = Begun{.at = now, .pts = frame.times.pts};
  ++begun_->frames;
  const nanoseconds passed = now - begun_->at;
  if (passed < kLeastTime || begun_->frames < kLeastFrames) return;
  trusted_ = frame.times.pts - begun_->pts <= kMostPace * passed;
  begun_.reset();
}

}  // namespace texcast::stream
