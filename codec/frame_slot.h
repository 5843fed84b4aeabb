// frame_slot.h — the buffers and events of one frame on its way through an OpenCL device.
//
// A device with memory of its own gets device buffers, and pinned memory for the blocks that stays mapped; uploads
// read the frame from where it lies. A device that shares the host's memory works in the host's memory itself, mapped
// for the host only while the device is not at it.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "ocl/device.h"
#include "shared_source.h"
#include "stages/stage.h"
#include "texcast/encoder.h"

namespace texcast {

// In-order queues, one for each direction, so that frames overlap; or one for all three, where each frame has its own.
struct FrameQueues {
  cl::CommandQueue upload, compute, download;
};

class FrameSlot {
 public:
  FrameSlot(const ocl::Device& device, FrameQueues queues, size_t source_bytes, size_t texture_bytes);
  ~FrameSlot();
  FrameSlot(const FrameSlot&) = delete;
  FrameSlot& operator=(const FrameSlot&) = delete;

  // 1. Everything starts, and the frame is kept until it has been read. `shared`: its buffers, where the device shares
  //    the host's memory.
  void start(stages::Stage& stage, FrameLease frame, SharedSources* shared);
  bool finished() const;
  // 2. Waits; the blocks stay valid until recycle().
  Bytes wait();
  // 3. Ready for the next frame.
  void recycle();

  StageTimes stage_times() const;
  FrameTimes times;        // of the frame in the slot
  nanoseconds stage_in{};  // time the host took to copy it

 private:
  void start_shared(stages::Stage& stage, SharedSource& source);
  void start_with_transfers(stages::Stage& stage);
  const FrameQueues queues_;
  const bool shared_;
  const size_t source_bytes_, texture_bytes_;
  cl::Buffer source_;         // where memory is not shared
  cl::Buffer blocks_pinned_;  // host side
  cl::Buffer blocks_;         // the same buffer where memory is shared
  std::byte* blocks_host_ = nullptr;
  FrameLease frame_;
  SharedSource* shared_source_ = nullptr;  // where memory is shared and a frame is under way
  // Lists of one, because the calls that wait for events take lists and a frame must not allocate any.
  std::vector<cl::Event> uploaded_{1}, encoded_{1};
  cl::Event downloaded_;
};

}  // namespace texcast
