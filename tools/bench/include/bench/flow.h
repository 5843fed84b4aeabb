// flow.h — work of which several pieces are under way at once: how many get through in a second. And two kinds of it:
// frames that are uploaded, frames that are encoded.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "ocl/device.h"
#include "texcast/encoder.h"
#include "texcast/frame_times.h"

namespace texcast::bench {

struct Flow {
  std::function<void()> begin;  // starts one piece; called while fewer than `in_flight` are under way
  std::function<void()> end;    // waits for the oldest
  int in_flight = 1;
};

struct FlowRate {
  double per_second = 0;  // median of the rounds
  double slowest = 0, fastest = 0;
  int rounds = 0;      // 0: judged by one piece alone, see FlowSettings::one_is_enough
  int64_t pieces = 0;  // counted, all rounds together
};

struct FlowSettings {
  int rounds = 5;                                      // at least 1 (else misuse)
  nanoseconds slice = std::chrono::milliseconds(100);  // of one flow in one round, at least one piece
  // A flow whose first piece, alone, takes this long is judged by that piece and takes no turns. Zero: none is.
  nanoseconds one_is_enough = std::chrono::milliseconds(250);
};

using Clock = std::function<SteadyTime()>;

// Warms each flow up with two pieces, one after the other; then gives each a slice of every round, in turns, full: the
// time from one piece's end to another's, with `in_flight` under way all the while. Each slice ends empty.
std::vector<FlowRate> time_flows(const std::vector<Flow>& flows, const FlowSettings& settings,
                                 const Clock& now = steady_now);

// Frames from pinned host memory to one device, or to several in turn; if wanted, with other bytes coming back at the
// same time.
class UploadFlow {
 public:
  // `in_flight` on each of the devices, of which there is at least one; `bytes_back` for each frame, from 0.
  UploadFlow(const std::vector<const ocl::Device*>& devices, size_t frame_bytes, size_t bytes_back, int in_flight);
  ~UploadFlow();
  UploadFlow(const UploadFlow&) = delete;
  UploadFlow& operator=(const UploadFlow&) = delete;
  Flow flow();  // borrows this object

 private:
  // Memory at both ends of one direction.
  struct Way {
    size_t bytes = 0;
    cl::CommandQueue queue{};  // one a device
    cl::Buffer pinned{}, on_device{};
    void* host = nullptr;
    cl::Event done{};
  };
  struct Lane {
    Way up, back;
  };
  static Way make_way(const ocl::Device& device, const cl::CommandQueue& queue, size_t bytes);
  Lane& lane(size_t index) { return lanes_[index % lanes_.size()]; }
  void begin();
  void end();
  std::vector<Lane> lanes_;
  size_t begun_ = 0, ended_ = 0;
};

// Frames as a decoder hands them on, gone through again and again: in the encoder's own memory where it has a pool.
class SampleFrames {
 public:
  SampleFrames(Encoder& encoder, const FrameFormat& format, int count);
  FrameView next() { return frames_[next_++ % frames_.size()].view(); }

 private:
  std::shared_ptr<FramePool> pool_;
  std::vector<FrameLease> frames_;
  size_t next_ = 0;
};

// Such frames through an encoder, all of them on its device.
class EncoderFlow {
 public:
  explicit EncoderFlow(const EncoderSettings& settings)
      : encoder_(make_encoder(built(settings))), frames_(*encoder_, settings.source, encoder_->capacity() + 1) {}
  Flow flow();  // borrows this object
  Encoder& encoder() { return *encoder_; }

 private:
  static EncoderSettings built(EncoderSettings settings) {
    settings.start = EncoderStart::when_built;
    return settings;
  }
  std::unique_ptr<Encoder> encoder_;
  SampleFrames frames_;
};

}  // namespace texcast::bench
