// frame_pool.h — memory for frames that an encoder's device reads in place, so that submit() copies nothing.
//
// Example:
//     if (const auto pool = encoder->frame_pool())
//       if (FrameLease frame = pool->lend()) {   // else: use any other memory, which is copied
//         draw(frame.plane(0), pool->placement().stride[0]);
//         encoder->submit(frame.view(), times);  // takes a share of its own until the device has read the frame
//       }                                        // our share ends here; lent again once all shares have ended
//
// A frame that is being read must not be written: to write into a frame again (instead of lending another one), first
// check that shares() is 1, the caller's own.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "texcast/export.h"
#include "texcast/frame.h"

namespace texcast {

class FramePool;

// A share in a frame of a pool; keeps the pool alive. Several threads may copy and drop shares of one frame; a single
// FrameLease is not thread-safe.
class TEXCAST_API FrameLease {
 public:
  FrameLease() = default;
  FrameLease(const FrameLease& other);
  FrameLease(FrameLease&& other) noexcept : pool_(std::move(other.pool_)), index_(other.index_), base_(other.base_) {}
  FrameLease& operator=(FrameLease other) noexcept {
    pool_.swap(other.pool_);
    std::swap(index_, other.index_);
    std::swap(base_, other.base_);
    return *this;
  }
  ~FrameLease();

  explicit operator bool() const { return pool_ != nullptr; }
  // The following must not be called on an empty lease (else misuse).
  std::byte* data() const { return base_; }  // place_frame(…).padded_bytes of them; null for an empty lease
  std::byte* plane(int p) const;             // 0..plane_count - 1 (else misuse)
  FrameView view() const;
  size_t index() const { return index_; }  // of the frame in its pool, from 0
  int shares() const;                      // including this one

 private:
  friend class FramePool;
  FrameLease(std::shared_ptr<FramePool> pool, size_t index, std::byte* base)
      : pool_(std::move(pool)), index_(index), base_(base) {}
  const FramePool& pool() const;
  std::shared_ptr<FramePool> pool_;
  size_t index_ = 0;
  std::byte* base_ = nullptr;
};

// The source of a pool's memory, called under the pool's lock. The destructor frees all of it.
class TEXCAST_API FrameMemory {
 public:
  virtual ~FrameMemory() = default;
  // Page-aligned; null if there is no more memory.
  virtual std::byte* allocate(size_t bytes) = 0;
};
TEXCAST_API std::unique_ptr<FrameMemory> make_host_memory();

inline constexpr size_t kMostPooledFrames = 4096;

// Thread-safe; never blocks. Grows on demand, up to `most_frames`.
class TEXCAST_API FramePool : public std::enable_shared_from_this<FramePool> {
 public:
  // `most_frames` is up to kMostPooledFrames, the format must exist, and `memory` must not be null (else misuse).
  static std::shared_ptr<FramePool> create(const FrameFormat& format, size_t most_frames,
                                           std::unique_ptr<FrameMemory> memory = make_host_memory());
  const FrameFormat& format() const { return format_; }
  const FramePlacement& placement() const { return placement_; }
  size_t most_frames() const { return most_frames_; }

  // Returns a frame without shares, with its previous contents; empty if `most_frames` are lent or memory is short.
  FrameLease lend();
  // Returns another share in the frame that `view` shows; empty if it is not of this pool or not laid out as
  // placement(). Misuse if the frame has no shares.
  FrameLease share(const FrameView& view);
  size_t frames() const;  // created so far
  size_t lent() const;    // of these, those with shares

 private:
  friend class FrameLease;
  struct Frame {
    std::byte* base = nullptr;
    int shares = 0;
  };
  FramePool(const FrameFormat& format, size_t most_frames, std::unique_ptr<FrameMemory> memory);
  void add_share(size_t index);
  void drop_share(size_t index);

  const FrameFormat format_;
  const FramePlacement placement_;
  const size_t most_frames_;
  mutable std::mutex mutex_;
  std::unique_ptr<FrameMemory> memory_;
  std::vector<Frame> frames_;  // never more than were reserved at the start
};

}  // namespace texcast
