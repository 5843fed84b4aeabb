// frame_slot.h — the buffers and events of one frame on its way through an OpenCL device.
//
// A device with memory of its own gets pinned host buffers that stay mapped, and device buffers beside them; uploads
// and downloads go between the two. A device that shares the host's memory works in the host buffers themselves,
// mapped for the host only while the device is not at them.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "ocl/device.h"
#include "stages/stage.h"
#include "texcast/encoder.h"

namespace texcast {

// In-order queues, one for each direction, so that frames overlap.
struct FrameQueues {
  cl::CommandQueue upload, compute, download;
};

class FrameSlot {
 public:
  FrameSlot(const ocl::Device& device, const FrameQueues& queues, size_t source_bytes, size_t texture_bytes);
  ~FrameSlot();
  FrameSlot(const FrameSlot&) = delete;
  FrameSlot& operator=(const FrameSlot&) = delete;

  // 1. The host writes the frame here.
  MutableBytes source() { return {source_host_, source_bytes_}; }
  // 2. Everything else starts; `done` is the last event.
  void start(stages::Stage& stage);
  bool finished() const;
  // 3. Waits; the blocks stay valid until recycle().
  Bytes wait();
  // 4. Ready for the next frame.
  void recycle();

  StageTimes stage_times() const;
  FrameTimes times;        // of the frame in the slot
  nanoseconds stage_in{};  // time the host took to write it

 private:
  void map_source();
  const FrameQueues& queues_;
  const bool shared_;
  const size_t source_bytes_, texture_bytes_;
  cl::Buffer source_pinned_, blocks_pinned_;  // host side
  cl::Buffer source_device_, blocks_device_;  // the same buffers where memory is shared
  std::byte* source_host_ = nullptr;
  std::byte* blocks_host_ = nullptr;
  // Lists of one, because the calls that wait for events take lists and a frame must not allocate any.
  std::vector<cl::Event> uploaded_{1}, encoded_{1};
  cl::Event downloaded_;
};

}  // namespace texcast
