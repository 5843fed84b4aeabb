// frame_slot.h — the buffers and events of one frame that an OpenCL device encodes.
//
// A device with its own memory gets device buffers, and pinned memory for the blocks that stays mapped; uploads read
// the frame in place. A device that shares the host's memory works in the host's memory itself, which is mapped for the
// host only while the device does not use it.
//
// The bands of a frame go through the queues one after the other: while one is transferred to the host, the kernel of
// the next runs.
//
// A frame may be compared with the previous one, whose slot keeps its source until then. The expected result decides
// when its blocks are fetched from a device with its own memory:
//   expected to be new   upload ─► encode all ─► download all        and beside it: compare ─► map
//   else                 upload ─► compare ─► encode what changed ─► download what changed
//                                     └► map ──────────────────────────┘ by the host, in look()
// With shared memory it is always the second, and its downloads do nothing.
//
// If the changes are known without comparing, rows of tiles that the slot's device buffer has already, from an older
// frame, are not uploaded.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "completion.h"
#include "ocl/device.h"
#include "shared_source.h"
#include "stages/compare_stage.h"
#include "stages/stage.h"
#include "texcast/encoder.h"
#include "tile_cover.h"

namespace texcast {

// In-order queues: one per direction, so that frames overlap, or a single one for all three if each frame has its own.
struct FrameQueues {
  cl::CommandQueue upload, compute, download;
};

// Shared by the slots of an encoder that compares its frames.
struct FrameComparison {
  FrameComparison(const ocl::Device& device, const FrameFormat& source, const TextureDesc& desc);
  const TileRaster grid;
  const TextureFormat format;
  const TextureLayout layout;
  stages::CompareStage stage;
  // In order, as all queues are. In another queue, maps and what is fetched by them would wait behind the other
  // commands of later frames.
  cl::CommandQueue maps, fetches;
  cl::Buffer all;  // a map in which every tile has changed
};

class FrameSlot {
 public:
  // `bands`: the last cut() of the stage that start() gets; a single one is the whole texture. `completion` is notified
  // of each finished band, and of maps. `comparison`: null if frames are not compared; else it must outlive the slot,
  // and the stage has only_changed. `keep`: the frame is held until let_go(), and picture() returns it.
  FrameSlot(const ocl::Device& device, FrameQueues queues, size_t source_bytes,
            const std::vector<stages::StageBand>& bands, Completion& completion, FrameComparison* comparison,
            bool keep);
  ~FrameSlot();
  FrameSlot(const FrameSlot&) = delete;
  FrameSlot& operator=(const FrameSlot&) = delete;

  // The slot of the previous frame, or null if there is none; then everything is new.
  struct Before {
    const FrameSlot* slot = nullptr;
    bool expect_all = false;             // a guess: everything is new
    std::span<const uint8_t> changed{};  // if it is known without comparing
  };
  // Call it for each frame and each slot, before start(): which tiles differ from the previous frame, one byte per
  // tile; empty: any may.
  void frame_differs(std::span<const uint8_t> changed);
  // 1. Starts all commands. The frame is held until it was read. `shared`: the buffers of frames if the device shares
  //    the host's memory.
  void start(stages::Stage& stage, FrameLease frame, SharedSources* shared, const Before& before);
  bool finished() const;
  // If frames are compared: returns whether changed() is available, and starts fetching what changed. No part of the
  // frame is ready before. Does not block.
  bool look();
  // One byte per tile; empty if frames are not compared.
  std::span<const uint8_t> changed() const { return {changed_, tiles_}; }
  // All blocks are encoded, also those of tiles that did not change.
  bool is_whole() const { return whole_; }
  // If not whole, one byte per tile: 1 if the tile did not change, but its blocks in this slot's memory are invalid.
  // Empty: none is.
  std::span<const uint8_t> lost() const { return lost_; }
  // The whole memory of the blocks. The first ready_bytes() are final, except tiles that did not change: the caller
  // fills these in, once for each band that ready_bands() counts.
  std::span<std::byte> blocks() const { return {blocks_host_, texture_bytes_}; }
  size_t ready_bands();
  size_t ready_bytes() const { return ready_bands_ == 0 ? 0 : bands_[ready_bands_ - 1].cut.ready_bytes; }
  const stages::StageBand& cut(size_t band) const { return bands_[band].cut; }
  // 2. Waits for all bands. The blocks stay valid until recycle().
  void wait();
  // The input frame, or null if it is not kept.
  const FrameView* picture() const { return keep_ ? &picture_ : nullptr; }
  // 3. No other frame is compared with this one any more. Frames that are neither kept nor compared are let go by
  // wait().
  void let_go();
  // 4. Makes the slot ready for the next frame.
  void recycle();

  StageTimes stage_times() const;
  FrameTimes times;        // of the slot's frame
  nanoseconds stage_in{};  // time the host took to copy it

 private:
  struct Band {
    stages::StageBand cut;
    // A list of one, because the calls that wait for events take lists and the frame path must not allocate any.
    std::vector<cl::Event> encoded{1};
    cl::Event first_download, last_download;
    std::array<void*, 3> mapped{};  // with shared memory: a pointer per part
  };

  void start_shared(stages::Stage& stage, SharedSource& source, const Before& before);
  void start_with_transfers(stages::Stage& stage, const Before& before);
  void upload();
  void find_changes(const Before& before);
  void fetch_changed();
  const cl::Buffer& source() const { return shared_source_ != nullptr ? shared_source_->buffer() : source_; }
  void encode(stages::Stage& stage, size_t band, const cl::Buffer& source);
  template <typename Fetch>
  void fetch(Band& band, Fetch&& fetch);

  Completion& completion_;
  const FrameQueues queues_;
  const bool shared_, keep_;
  const size_t source_bytes_, texture_bytes_;
  std::unique_ptr<FrameMemory> own_memory_;  // of blocks_, if memory is shared and mapped in several parts
  cl::Buffer source_;                        // unless memory is shared
  cl::Buffer blocks_pinned_;                 // host side
  cl::Buffer blocks_;                        // the same buffer if memory is shared
  FrameView picture_{};                      // of frame_, if it is kept
  std::byte* blocks_host_ = nullptr;
  FrameLease frame_;
  SharedSource* shared_source_ = nullptr;  // with shared memory, while a frame is pending
  cl::Event first_uploaded_;
  std::vector<cl::Event> uploaded_{1};  // the whole frame
  size_t uploaded_bytes_ = 0;
  std::vector<Band> bands_;
  size_t ready_bands_ = 0;
  bool mapped_ = false;  // with shared memory: the blocks are mapped for the host

  // Only if frames are compared:
  FrameComparison* const comparison_;
  const size_t tiles_;
  cl::Buffer map_;
  std::vector<uint8_t> own_changed_;  // with shared memory; else changed_ is behind the blocks
  uint8_t* changed_ = nullptr;
  std::vector<cl::Event> both_uploaded_{2};
  std::vector<cl::Event> compared_{1};
  cl::Event map_there_;  // null: nothing was compared, and everything is new
  bool whole_ = true;
  bool fetches_later_ = false, fetched_ = false;
  std::vector<TileRectangle> rectangles_;
  std::vector<uint8_t> lost_;
  std::vector<uint8_t> lacks_;  // one byte per tile: source_ is out of date there; unless memory is shared
  size_t downloaded_bytes_ = 0;
};

}  // namespace texcast
