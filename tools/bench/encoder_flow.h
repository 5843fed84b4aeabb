// encoder_flow.h — an encoder with frames to feed it, as work to be timed.
#pragma once

#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "bench/flow.h"
#include "texcast/encoder.h"
#include "tuner/sample_frame.h"

namespace texcast::bench {

// Frames as a decoder hands them on, gone through again and again: in the encoder's own memory where it has a pool.
class SampleFrames {
 public:
  SampleFrames(Encoder& encoder, const FrameFormat& format, int count)
      : pool_(encoder.frame_pool() ? encoder.frame_pool() : FramePool::create(format, static_cast<size_t>(count))) {
    for (int i = 0; i < count; ++i) {
      FrameLease frame = pool_->lend();
      if (!frame) throw Error(ErrorKind::failed, "no memory for the frames to measure with");
      tuner::fill_sample(format, {frame.data(), pool_->placement().bytes}, static_cast<unsigned>(i + 1));
      frames_.push_back(std::move(frame));
    }
  }
  FrameView next() { return frames_[next_++ % frames_.size()].view(); }

 private:
  std::shared_ptr<FramePool> pool_;
  std::vector<FrameLease> frames_;
  size_t next_ = 0;
};

class EncoderFlow {
 public:
  explicit EncoderFlow(const EncoderSettings& settings)
      : encoder_(make_encoder(settings)), frames_(*encoder_, settings.source, encoder_->capacity() + 1) {}
  Flow flow() {  // borrows this object
    return {.begin = [this] { encoder_->submit(frames_.next(), {}); },
            .end = [this] { encoder_->next(); },
            .in_flight = encoder_->capacity()};
  }
  Encoder& encoder() { return *encoder_; }
  const Encoder& encoder() const { return *encoder_; }

 private:
  std::unique_ptr<Encoder> encoder_;
  SampleFrames frames_;
};

}  // namespace texcast::bench
