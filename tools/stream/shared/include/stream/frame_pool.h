// frame_pool.h — frames that several threads hold at once (the screen and the recording), copied from the network
// once and reused.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/frame_times.h"
#include "texcast/format.h"

namespace texcast::stream {

struct PooledFrame {
  TextureDesc desc;
  FrameTimes times;
  SteadyTime arrived{};     // whole, or the rest given up
  bool new_stream = false;  // the first of another sender or of another description
  uint64_t number = 0;
  bool concealed = false;
  uint32_t concealed_blocks = 0;  // never arrived: of the frame before
  std::vector<std::byte> blocks;
  uint64_t id = 0;                      // of no other frame of the stream's receiver
  std::atomic<size_t> ready_bytes = 0;  // so many of `blocks` are final; less than all while the frame is coming
  TextureView view() const { return {desc, blocks}; }
};

class FramePool;

// A share in a frame: the last one gone makes it free again. May be copied and dropped on any thread; only the
// thread that acquired it writes to it, before it hands out shares; behind ready_bytes and to what is no part of
// view(), afterwards too, until the frame is whole.
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
  friend class FramePool;
  FrameRef(FramePool* pool, size_t index, PooledFrame* frame) : pool_(pool), index_(index), frame_(frame) {}
  FramePool* pool_ = nullptr;
  size_t index_ = 0;
  PooledFrame* frame_ = nullptr;
};

// Thread-safe. Allocates only until the frames in use have reached their most, or when the frame size changes.
// Must outlive every FrameRef.
class FramePool {
 public:
  explicit FramePool(size_t most_frames) : most_frames_(most_frames) {}
  // A free frame with room for `bytes`; an empty FrameRef when all are in use.
  FrameRef acquire(size_t bytes);

 private:
  friend class FrameRef;
  struct Slot {
    std::unique_ptr<PooledFrame> frame;
    int shares = 0;
  };
  void add_share(size_t index);
  void drop_share(size_t index);
  const size_t most_frames_;
  std::mutex mutex_;
  std::vector<Slot> slots_;
};

}  // namespace texcast::stream
