#include "player/upload_buffers.h"

namespace texcast::player {
namespace {

class PlainUploadBuffers final : public UploadBuffers {
 public:
  PlainUploadBuffers(size_t count, size_t bytes) : UploadBuffers(count), memory_(count) {
    for (size_t i = 0; i < count; ++i) {
      memory_[i].reset(new std::byte[bytes]);  // not cleared, as it is written before it is read
      slots_[i].bytes = {memory_[i].get(), bytes};
    }
  }

 private:
  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

}  // namespace

UploadBuffers::Lease UploadBuffers::acquire() {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].use != Use::free) continue;
    slots_[i].use = Use::leased;
    return Lease(this, i, slots_[i].bytes);
  }
  return {};
}

void UploadBuffers::give_back(size_t slot) {
  const std::lock_guard lock(mutex_);
  slots_[slot].use = std::exchange(slots_[slot].uploaded, false) ? Use::with_gpu : Use::free;
}

std::unique_ptr<UploadBuffers> make_plain_upload_buffers(size_t count, size_t bytes) {
  return std::make_unique<PlainUploadBuffers>(count, bytes);
}

}  // namespace texcast::player
