// frame_slot.h — the buffers and events of one frame on its way through an OpenCL device.
//
// A device with memory of its own gets device buffers, and pinned memory for the blocks that stays mapped; uploads
// read the frame from where it lies. A device that shares the host's memory works in the host's memory itself, mapped
// for the host only while the device is not at it.
//
// Bands of a frame go through the queues one after the other: while one is on its way to the host, the next one's
// kernel runs.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "completion.h"
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
  // `bands`: the last cut() of the stage that start() gets; one is the whole texture in one piece. `completion` is told
  // of each band that is there.
  FrameSlot(const ocl::Device& device, FrameQueues queues, size_t source_bytes,
            const std::vector<stages::StageBand>& bands, Completion& completion);
  ~FrameSlot();
  FrameSlot(const FrameSlot&) = delete;
  FrameSlot& operator=(const FrameSlot&) = delete;

  // 1. Everything starts, and the frame is kept until it has been read. `shared`: its buffers, where the device shares
  //    the host's memory.
  void start(stages::Stage& stage, FrameLease frame, SharedSources* shared);
  bool finished() const;
  // All memory of the blocks, of which so many at its beginning are final.
  Bytes blocks() const { return {blocks_host_, texture_bytes_}; }
  size_t ready_bytes();
  // 2. Waits; the blocks stay valid until recycle().
  Bytes wait();
  // 3. Ready for the next frame.
  void recycle();

  StageTimes stage_times() const;
  FrameTimes times;        // of the frame in the slot
  nanoseconds stage_in{};  // time the host took to copy it

 private:
  struct Band {
    stages::StageBand cut;
    // A list of one, because the calls that wait for events take lists and a frame must not allocate any.
    std::vector<cl::Event> encoded{1};
    cl::Event first_download, last_download;
    std::array<void*, 3> mapped{};  // a part each, where memory is shared
  };

  void start_shared(stages::Stage& stage, SharedSource& source);
  void start_with_transfers(stages::Stage& stage);
  void encode(stages::Stage& stage, size_t band, const cl::Buffer& source);
  template <typename Fetch>
  void fetch(Band& band, Fetch&& fetch);

  Completion& completion_;
  const FrameQueues queues_;
  const bool shared_;
  const size_t source_bytes_, texture_bytes_;
  std::unique_ptr<FrameMemory> own_memory_;  // of blocks_, where memory is shared and mapped in several pieces
  cl::Buffer source_;                        // where memory is not shared
  cl::Buffer blocks_pinned_;                 // host side
  cl::Buffer blocks_;                        // the same buffer where memory is shared
  std::byte* blocks_host_ = nullptr;
  FrameLease frame_;
  SharedSource* shared_source_ = nullptr;  // where memory is shared and a frame is under way
  std::vector<cl::Event> uploaded_{1};
  std::vector<Band> bands_;
  size_t ready_bands_ = 0;
  bool mapped_ = false;  // where memory is shared: the host has the blocks
};

}  // namespace texcast
