// block_pool.h — reusable memory for received frames, which the session fills and several threads share afterwards
// (display and recorder).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/mutex.h"
#include "formats/row_changes.h"
#include "texcast/format.h"
#include "texcast/frame_times.h"
#include "transport/frame_store.h"

namespace texcast::stream {

struct PooledFrame {
  TextureDesc desc;
  FrameTimes times;
  WallTime available{};     // sender's clock, also for captures, whose `times` lack it
  SteadyTime arrived{};     // complete, or its missing packets given up
  bool new_stream = false;  // the first frame of another sender or description
  uint64_t number = 0;
  bool concealed = false;
  uint32_t concealed_blocks = 0;  // blocks that never arrived and are the previous frame's
  MutableBytes blocks;            // a part of the pool's memory
  uint64_t id = 0;                // unique within the stream's receiver; 0: not known yet
  bool is_lossy = false;          // of a lossy coded stream
  bool has_transform = false;     // of one with transform coding
  // For such a stream, if the whole frame is right: its payloads, each preceded by its length as LE32, and the id of
  // its reference frame. Empty: not available.
  std::vector<std::byte> payloads;
  uint64_t needs_id = 0;
  // If has_transform: set it to get the samples of one of the next right frames of the stream. nullptr: there are none.
  std::shared_ptr<std::atomic<bool>> wants_samples;
  std::vector<uint8_t> samples;         // all planes of compact::SamplePlanes; empty: they were not wanted
  std::atomic<size_t> ready_bytes = 0;  // this many of `blocks` are final; fewer than all while the frame is arriving
  TextureView view() const { return {desc, blocks}; }
  // Its differences from other frames of its sequence; unknown until they are set. Valid while a share is held.
  RowChanges changes() const { return {sequence_, number_in_sequence_, changed_in_}; }
  // The number of the picture of that sequence that `blocks` contained before this frame; 0: none.
  uint64_t held(uint64_t sequence) const { return sequence == held_sequence_ ? held_number_ : 0; }
  void tell_changes(const RowChanges& changes) {
    sequence_ = changes.sequence;
    number_in_sequence_ = changes.number;
    changed_in_.assign(changes.changed_in.begin(), changes.changed_in.end());
  }

 private:
  friend class BlockPool;
  uint64_t sequence_ = 0, number_in_sequence_ = 0;
  uint64_t held_sequence_ = 0, held_number_ = 0;
  std::vector<uint64_t> changed_in_;
};

class BlockPool;

// A share in a frame; releasing the last one frees its memory. May be copied and released on any thread. Only the
// receiving thread (or the one that called acquire()) writes to a frame: completely before it gives out shares; for a
// frame that is still arriving, blocks beyond ready_bytes and memory outside view() also afterwards, until the frame is
// complete.
class FrameRef {
 public:
  FrameRef() = default;
  FrameRef(const FrameRef& other);
  FrameRef(FrameRef&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), index_(other.index_), frame_(other.frame_) {}
  FrameRef& operator=(FrameRef other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(index_, other.index_);
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~FrameRef();
  explicit operator bool() const { return pool_ != nullptr; }
  PooledFrame& operator*() const;
  PooledFrame* operator->() const { return &**this; }

 private:
  friend class BlockPool;
  FrameRef(BlockPool* pool, size_t index, PooledFrame* frame) : pool_(pool), index_(index), frame_(frame) {}
  BlockPool* pool_ = nullptr;
  size_t index_ = 0;
  PooledFrame* frame_ = nullptr;
};

// Lends at most `most_frames` and `most_bytes` at a time, to the session and to callers of acquire(). A frame is free
// once the session has returned it and no FrameRef is left. Thread-safe. Allocates only until the largest number of
// frames is in use, or if the frame size changes. Must outlive every FrameRef, and the session.
class BlockPool final : public transport::FrameStore {
 public:
  explicit BlockPool(size_t most_frames, size_t most_bytes = SIZE_MAX)
      : most_frames_(most_frames), most_bytes_(most_bytes) {}
  // A free frame with room for `bytes`, content undefined; an empty FrameRef if all are in use.
  FrameRef acquire(size_t bytes);
  // A share in a frame that the session has on loan (ReceivedFrame::memory).
  FrameRef share(size_t place);

  std::optional<transport::LentMemory> lend(size_t bytes) override;
  void take_back(size_t place) override { drop_share(place); }

 private:
  friend class FrameRef;
  struct Slot {
    std::unique_ptr<PooledFrame> frame{};
    size_t bytes = 0;  // of memory
    int shares = 0;    // FrameRefs and the session's loan
  };
  std::optional<transport::LentMemory> take(size_t bytes);
  void add_share(size_t index);
  void drop_share(size_t index);
  const size_t most_frames_;
  const size_t most_bytes_;
  Mutex mutex_;
  transport::HeapFrameStore memory_;
  std::vector<Slot> slots_;  // indexed by the memory's place
};

}  // namespace texcast::stream
