// upload_buffers.h — memory that any thread may fill with blocks, and that the GPU then reads without a copy.
//
// Example:
//     const auto buffers = presenter.make_upload_buffers(6, bytes);                 // render thread
//     UploadBuffers::Lease lease = buffers->acquire();                              // a worker
//     if (lease) reader.unpack(stored, lease.bytes());
//     presenter.upload({desc, lease.bytes()});                                      // render thread
//     lease = {};                                                                   // any thread; the buffer is free
//                                                                                   // again when the GPU has read it
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace texcast::player {

// A fixed number of buffers of one size; owns their memory. acquire() and leases may be used on any thread. It must be
// created and destroyed on the render thread: after the last lease was given back, before the presenter is destroyed.
class UploadBuffers {
 public:
  // The right to use one buffer, until it is destroyed or assigned to. Its memory may be read too (Snappy copies from
  // its earlier output), but not after it was uploaded: without persistent mapping the address is invalid then.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept
        : buffers_(std::exchange(other.buffers_, nullptr)), slot_(other.slot_), bytes_(other.bytes_) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(buffers_, other.buffers_);
      std::swap(slot_, other.slot_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Lease() {
      if (buffers_ != nullptr) buffers_->give_back(slot_);
    }
    explicit operator bool() const { return buffers_ != nullptr; }
    MutableBytes bytes() const { return bytes_; }

   private:
    friend class UploadBuffers;
    Lease(UploadBuffers* buffers, size_t slot, MutableBytes bytes) : buffers_(buffers), slot_(slot), bytes_(bytes) {}
    UploadBuffers* buffers_ = nullptr;
    size_t slot_ = 0;
    MutableBytes bytes_;
  };

  explicit UploadBuffers(size_t count) : slots_(count) {}
  UploadBuffers(const UploadBuffers&) = delete;
  UploadBuffers& operator=(const UploadBuffers&) = delete;
  virtual ~UploadBuffers() = default;

  // Returns a free buffer, or an empty lease if all are in use.
  Lease acquire();
  size_t count() const { return slots_.size(); }

 protected:
  enum class Use { free, leased, with_gpu };
  struct Slot {
    MutableBytes bytes{};
    Use use = Use::free;
    bool uploaded = false;  // since it was leased: when it is given back, the GPU may still be reading it
  };
  std::mutex mutex_;
  std::vector<Slot> slots_;

 private:
  void give_back(size_t slot);
};

// Buffers in ordinary memory, for kind none and for tests.
std::unique_ptr<UploadBuffers> make_plain_upload_buffers(size_t count, size_t bytes);

}  // namespace texcast::player
