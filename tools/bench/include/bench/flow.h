// flow.h — throughput of work that keeps several pieces in flight, and two kinds of such work: frames that are
// uploaded, and frames that are encoded.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "ocl/device.h"
#include "texcast/encoder.h"
#include "texcast/frame_times.h"

namespace texcast::bench {

struct Flow {
  std::function<void()> begin;  // starts one piece; called while fewer than `in_flight` are in flight
  std::function<void()> end;    // waits for the oldest
  int in_flight = 1;
};

struct FlowRate {
  double per_second = 0;  // median of the rounds
  double slowest = 0, fastest = 0;
  int rounds = 0;      // 0: measured on a single piece, see FlowSettings::one_is_enough
  int64_t pieces = 0;  // that were counted in all rounds
};

struct FlowSettings {
  int rounds = 5;                                      // at least 1 (else misuse)
  nanoseconds slice = std::chrono::milliseconds(100);  // of one flow in one round; it has at least one piece
  // A flow whose first piece takes this long on its own is measured on that piece, and has no further slices. Zero: no
  // limit.
  nanoseconds one_is_enough = std::chrono::milliseconds(250);
};

using Clock = std::function<SteadyTime()>;

// Warms each flow up with two pieces, one after the other. Then the flows take turns: each has a slice in every round.
// A slice is timed from the end of one piece to the end of another, with `in_flight` pieces in flight all the while. No
// piece is left in flight after a slice.
std::vector<FlowRate> time_flows(const std::vector<Flow>& flows, const FlowSettings& settings,
                                 const Clock& now = steady_now);

// Uploads frames from pinned host memory to one device, or to several in turn. It can download other bytes at the same
// time.
class UploadFlow {
 public:
  // There is at least one device, and `in_flight` frames are in flight on each. `bytes_back`: to download for each
  // frame, may be 0.
  UploadFlow(const std::vector<const ocl::Device*>& devices, size_t frame_bytes, size_t bytes_back, int in_flight);
  ~UploadFlow();
  UploadFlow(const UploadFlow&) = delete;
  UploadFlow& operator=(const UploadFlow&) = delete;
  Flow flow();  // borrows this object

 private:
  // Host and device memory of one direction.
  struct Way {
    size_t bytes = 0;
    cl::CommandQueue queue{};  // one per device
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

// A cycle of frames as a decoder would deliver them: in the encoder's own memory if it has a pool.
class SampleFrames {
 public:
  SampleFrames(Encoder& encoder, const FrameFormat& format, int count);
  FrameView next() { return frames_[next_++ % frames_.size()].view(); }

 private:
  std::shared_ptr<FramePool> pool_;
  std::vector<FrameLease> frames_;
  size_t next_ = 0;
};

// Encodes such frames. Everything runs on the encoder's device.
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
