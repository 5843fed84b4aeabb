#include "start_trial.h"

#include "base/workers.h"
#include "compact/frame_encoder.h"
#include "compact/rate_control.h"
#include "compact/rd_parameters.h"

namespace texcast::stream {
namespace {

// The first frame of a trial does not count: it touches memory for the first time, and starts threads.
constexpr int kUncounted = 1, kCounted = 3;
// The other half of the frame time is for the decoder, the network, and frames that are harder than the first.
constexpr int kPartOfFrameTime = 2;
constexpr int kPauses = 9;  // a pause is this many times as long as a trial

}  // namespace

void StartTrial::submit(Encoder& encoder, const FrameView& frame) {
  submitted_at_ = steady_now();
  if (frames_ == 0) try_began_ = submitted_at_;
  unsent_.submit(encoder, frame);
}

bool StartTrial::step(Encoder& encoder, const FrameView& frame) {
  if (encoder.in_flight() == 0) {
    if (steady_now() >= next_try_) submit(encoder, frame);
    return false;
  }
  if (!encoder.ready()) return false;
  const EncodedFrame encoded = encoder.next();
  const nanoseconds encoding = steady_now() - submitted_at_;
  if (++frames_ > kUncounted && !is_quick(encoding, encoded.texture)) {
    const SteadyTime now = steady_now();
    next_try_ = now + kPauses * (now - try_began_);
    frames_ = 0;
    return false;
  }
  if (frames_ == kUncounted + kCounted) return true;
  submit(encoder, frame);
  return false;
}

void StartTrial::finish(Encoder& encoder) {
  while (encoder.in_flight() > 0) encoder.next();
}

bool StartTrial::is_quick(nanoseconds encoding, const TextureView& texture) const {
  const nanoseconds there_is = frame_period(settings_.fps) / kPartOfFrameTime;
  return encoding <= there_is && encoding + coding_time(texture) <= there_is;
}

// The time for a frame without skipped tiles, like the first of a stream.
nanoseconds StartTrial::coding_time(const TextureView& texture) const {
  const CompactSettings& compact = settings_.compact;
  if (!goes_compact(settings_, texture.desc.format)) return {};
  Workers workers(compact.threads >= 0 ? compact.threads : Workers::suggested_threads());
  compact::FrameEncoder coder(texture.desc,
                              {.lossy = compact.is_lossy(),
                               .effort = compact::search_effort(compact.quality),
                               .transform = has_transform(compact, texture.desc.format)},
                              workers);
  const SteadyTime begun = steady_now();
  compact::FrameToEncode frame{.texture = texture.blocks, .picture = texture.picture};
  if (compact.is_lossy()) frame.target = compact::rd_parameters(compact.crf.value_or(compact::kFinestCrf));
  coder.encode(frame);
  return steady_now() - begun;
}

}  // namespace texcast::stream
