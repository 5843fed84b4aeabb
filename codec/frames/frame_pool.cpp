#include "texcast/frame_pool.h"

#include <algorithm>
#include <cstdlib>

#include "base/misuse.h"
#include "frames/require_frame.h"

namespace texcast {
namespace {

constexpr size_t kPage = 4096;  // alignment that devices which share memory need to read it in place

class HostMemory : public FrameMemory {
 public:
  std::byte* allocate(size_t bytes) override {
    void* block = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
    if (block != nullptr) blocks_.emplace_back(static_cast<std::byte*>(block));
    return static_cast<std::byte*>(block);
  }

 private:
  struct Free {
    void operator()(std::byte* block) const { std::free(block); }
  };
  std::vector<std::unique_ptr<std::byte, Free>> blocks_;
};

}  // namespace

std::unique_ptr<FrameMemory> make_host_memory() { return std::make_unique<HostMemory>(); }

FrameLease::FrameLease(const FrameLease& other) : pool_(other.pool_), index_(other.index_), base_(other.base_) {
  if (pool_) pool_->add_share(index_);
}

FrameLease::~FrameLease() {
  if (pool_) pool_->drop_share(index_);
}

const FramePool& FrameLease::pool() const {
  REQUIRE_USE(pool_ != nullptr, "the lease is empty");
  return *pool_;
}

std::byte* FrameLease::plane(int p) const {
  REQUIRE_USE(p >= 0 && p < plane_count(pool().format().pixel_format), "the pixel format has no such plane");
  return base_ + pool().placement().offset[static_cast<size_t>(p)];
}

FrameView FrameLease::view() const {
  FrameView view{pool().format(), {}};
  for (int p = 0; p < plane_count(view.format.pixel_format); ++p)
    view.planes[static_cast<size_t>(p)] = {plane(p), pool_->placement().stride[static_cast<size_t>(p)]};
  return view;
}

int FrameLease::shares() const {
  const std::lock_guard lock(pool().mutex_);
  return pool_->frames_[index_].shares;
}

std::shared_ptr<FramePool> FramePool::create(const FrameFormat& format, size_t most_frames,
                                             std::unique_ptr<FrameMemory> memory) {
  require_valid(format, __func__);
  REQUIRE_USE(most_frames <= kMostPooledFrames, "a pool has 4096 frames at most");
  REQUIRE_USE(memory != nullptr, "there is no memory to take frames from");
  return std::shared_ptr<FramePool>(new FramePool(format, most_frames, std::move(memory)));
}

FramePool::FramePool(const FrameFormat& format, size_t most_frames, std::unique_ptr<FrameMemory> memory)
    : format_(format), placement_(place_frame(format)), most_frames_(most_frames), memory_(std::move(memory)) {
  frames_.reserve(most_frames);
}

FrameLease FramePool::lend() {
  const std::lock_guard lock(mutex_);
  auto frame = std::find_if(frames_.begin(), frames_.end(), [](const Frame& f) { return f.shares == 0; });
  if (frame == frames_.end()) {
    if (frames_.size() == most_frames_) return {};
    std::byte* base = memory_->allocate(placement_.padded_bytes);
    if (base == nullptr) return {};
    frames_.push_back({base, 0});
    frame = frames_.end() - 1;
  }
  frame->shares = 1;
  return {shared_from_this(), static_cast<size_t>(frame - frames_.begin()), frame->base};
}

FrameLease FramePool::share(const FrameView& view) {
  if (view.format != format_) return {};
  for (int p = 0; p < plane_count(format_.pixel_format); ++p) {
    const auto i = static_cast<size_t>(p);
    if (view.planes[i].stride_bytes != placement_.stride[i]) return {};
    if (view.planes[i].data != view.planes[0].data + placement_.offset[i]) return {};
  }
  const std::lock_guard lock(mutex_);
  const auto frame =
      std::find_if(frames_.begin(), frames_.end(), [&](const Frame& f) { return f.base == view.planes[0].data; });
  if (frame == frames_.end()) return {};
  REQUIRE_USE(frame->shares > 0, "the frame has no shares: it may be overwritten at any moment");
  ++frame->shares;
  return {shared_from_this(), static_cast<size_t>(frame - frames_.begin()), frame->base};
}

size_t FramePool::frames() const {
  const std::lock_guard lock(mutex_);
  return frames_.size();
}

size_t FramePool::lent() const {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(
      std::count_if(frames_.begin(), frames_.end(), [](const Frame& f) { return f.shares > 0; }));
}

void FramePool::add_share(size_t index) {
  const std::lock_guard lock(mutex_);
  ++frames_[index].shares;
}

void FramePool::drop_share(size_t index) {
  const std::lock_guard lock(mutex_);
  --frames_[index].shares;
}

}  // namespace texcast
