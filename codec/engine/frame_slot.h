// frame_slot.h — the buffers and events of one frame on its way through an OpenCL device.
//
// A device with memory of its own gets device buffers, and pinned memory for the blocks that stays mapped; uploads
// read the frame from where it lies. A device that shares the host's memory works in the host's memory itself, mapped
// for the host only while the device is not at it.
//
// Bands of a frame go through the queues one after the other: while one is on its way to the host, the next one's
// kernel runs.
//
// A frame may be compared with the one before, whose slot keeps its source until then. What is known of the two decides
// when its blocks are fetched from a device with memory of its own:
//   expected to be new   upload ─► encode all ─► download all        and beside it: compare ─► map
//   else                 upload ─► compare ─► encode what changed ─► download what changed
//                                     └► map ──────────────────────────┘ by the host, when it looks
// Where memory is shared it is always the second, and the third step of it does nothing.
//
// Where it is known without comparing what changed, rows of tiles that the slot's device buffer has already are not
// uploaded: it holds an older frame.
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

// In-order queues, one for each direction, so that frames overlap; or one for all three, where each frame has its own.
struct FrameQueues {
  cl::CommandQueue upload, compute, download;
};

// What the slots of an encoder that compares its frames have in common.
struct FrameComparison {
  FrameComparison(const ocl::Device& device, const FrameFormat& source, const TextureDesc& desc);
  const TileRaster grid;
  const TextureFormat format;
  const TextureLayout layout;
  stages::CompareStage stage;
  // In order, as all queues are. Maps and what is fetched by them would wait for later frames behind these frames'
  // other commands.
  cl::CommandQueue maps, fetches;
  cl::Buffer all;  // a map in which every tile has changed
};

class FrameSlot {
 public:
  // `bands`: the last cut() of the stage that start() gets; one is the whole texture in one piece. `completion` is told
  // of each band that is there, and of maps. `comparison`: null where frames are not compared; else it outlives the
  // slot, and the stage is one with only_changed. `keep`: the frame stays until let_go(), and picture() is there.
  FrameSlot(const ocl::Device& device, FrameQueues queues, size_t source_bytes,
            const std::vector<stages::StageBand>& bands, Completion& completion, FrameComparison* comparison,
            bool keep);
  ~FrameSlot();
  FrameSlot(const FrameSlot&) = delete;
  FrameSlot& operator=(const FrameSlot&) = delete;

  // What a frame is compared with: the slot of the one before, null where there is none and everything is new.
  struct Before {
    const FrameSlot* slot = nullptr;
    bool expect_all = false;             // to be new: a guess
    std::span<const uint8_t> changed{};  // where it is known without comparing
  };
  // Of each frame, for each slot, before start(): which tiles differ from the frame before, a byte a tile; empty: any.
  void frame_differs(std::span<const uint8_t> changed);
  // 1. Everything starts, and the frame is kept until it has been read. `shared`: its buffers, where the device shares
  //    the host's memory.
  void start(stages::Stage& stage, FrameLease frame, SharedSources* shared, const Before& before);
  bool finished() const;
  // Of frames that are compared: whether changed() is there, and fetching what changed has begun. Before that nothing
  // of the frame is ready. Does not wait.
  bool look();
  // A byte a tile; of frames that are not compared empty.
  std::span<const uint8_t> changed() const { return {changed_, tiles_}; }
  // All blocks are made anew, also those of tiles that did not change.
  bool is_whole() const { return whole_; }
  // Else a byte a tile: 1 where the blocks are none of this frame's though the tile did not change. Empty: nowhere.
  std::span<const uint8_t> lost() const { return lost_; }
  // All memory of the blocks, of which so many at its beginning are final, but for tiles that did not change: these are
  // the caller's to see to, once for each band of which ready_bands() tells.
  std::span<std::byte> blocks() const { return {blocks_host_, texture_bytes_}; }
  size_t ready_bands();
  size_t ready_bytes() const { return ready_bands_ == 0 ? 0 : bands_[ready_bands_ - 1].cut.ready_bytes; }
  const stages::StageBand& cut(size_t band) const { return bands_[band].cut; }
  // 2. Waits for all bands; the blocks stay valid until recycle().
  void wait();
  // The frame as it came; null where it is not kept.
  const FrameView* picture() const { return keep_ ? &picture_ : nullptr; }
  // 3. No other frame is compared with this one any more. Others are let go by wait(), unless they are kept.
  void let_go();
  // 4. Ready for the next frame.
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
  std::unique_ptr<FrameMemory> own_memory_;  // of blocks_, where memory is shared and mapped in several pieces
  cl::Buffer source_;                        // where memory is not shared
  cl::Buffer blocks_pinned_;                 // host side
  cl::Buffer blocks_;                        // the same buffer where memory is shared
  FrameView picture_{};                      // of frame_, where it is kept
  std::byte* blocks_host_ = nullptr;
  FrameLease frame_;
  SharedSource* shared_source_ = nullptr;  // where memory is shared and a frame is under way
  cl::Event first_uploaded_;
  std::vector<cl::Event> uploaded_{1};  // all of the frame
  size_t uploaded_bytes_ = 0;
  std::vector<Band> bands_;
  size_t ready_bands_ = 0;
  bool mapped_ = false;  // where memory is shared: the host has the blocks

  // Where frames are compared:
  FrameComparison* const comparison_;
  const size_t tiles_;
  cl::Buffer map_;
  std::vector<uint8_t> own_changed_;  // where memory is shared; else changed_ is behind the blocks
  uint8_t* changed_ = nullptr;
  std::vector<cl::Event> both_uploaded_{2};
  std::vector<cl::Event> compared_{1};
  cl::Event map_there_;  // null: nothing was compared, and everything is new
  bool whole_ = true;
  bool fetches_later_ = false, fetched_ = false;
  std::vector<TileRectangle> rectangles_;
  std::vector<uint8_t> lost_;
  std::vector<uint8_t> lacks_;  // a byte a tile of source_, where memory is not shared
  size_t downloaded_bytes_ = 0;
};

}  // namespace texcast
