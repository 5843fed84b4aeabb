// upload_buffers.h — memory that any thread fills with blocks and the GPU then reads where it lies.
//
// Example:
//     const auto buffers = presenter.make_upload_buffers(6, bytes);                 // render thread
//     UploadBuffers::Lease lease = buffers->acquire();                              // a worker
//     if (lease) reader.unpack(stored, lease.bytes());
//     presenter.upload({desc, lease.bytes()});                                      // render thread
//     lease = {};                                                                   // any thread; may be reused when
//                                                                                   // the GPU has read it
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace texcast::player {

// A fixed number of buffers of one size. acquire() and leases are thread-safe; made and destroyed on the render thread,
// destroyed before the presenter and after every lease.
class UploadBuffers {
 public:
  // The right to one buffer. Its memory may be read, too (Snappy copies from what it has written), but once it was
  // uploaded it is to be given back: some drivers take the memory away then.
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

  // A free buffer; an empty lease when all are in use.
  Lease acquire();
  size_t count() const { return slots_.size(); }

 protected:
  enum class Use { free, leased, with_gpu };
  struct Slot {
    MutableBytes bytes{};
    Use use = Use::free;
    bool uploaded = false;  // since it was leased: goes to the GPU, not to the free ones, when given back
  };
  std::mutex mutex_;
  std::vector<Slot> slots_;

 private:
  void give_back(size_t slot);
};

// In ordinary memory: where nothing is drawn, and for tests.
std::unique_ptr<UploadBuffers> make_plain_upload_buffers(size_t count, size_t bytes);

}  // namespace texcast::player
