#include "pinned_memory.h"

#include <vector>

namespace texcast {
namespace {

// Memory that stays mapped as long as it lives. It has its own queue, as mapping blocks and must not wait for pending
// frames.
class PinnedMemory : public FrameMemory {
 public:
  explicit PinnedMemory(const ocl::Device& device) : context_(device.context()), queue_(device.make_queue()) {}
  ~PinnedMemory() override {
    try {
      for (const Block& block : blocks_) queue_.enqueueUnmapMemObject(block.buffer, block.host);
      queue_.finish();
    } catch (const cl::Error&) {
      // the device is lost, and there is nothing to release
    }
  }

  std::byte* allocate(size_t bytes) override {
    try {
      cl::Buffer buffer(context_, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes);
      void* host = queue_.enqueueMapBuffer(buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes);
      blocks_.push_back({buffer, host});
      return static_cast<std::byte*>(host);
    } catch (const cl::Error&) {
      return nullptr;
    }
  }

 private:
  struct Block {
    cl::Buffer buffer;
    void* host;
  };
  cl::Context context_;
  cl::CommandQueue queue_;
  std::vector<Block> blocks_;
};

}  // namespace

std::unique_ptr<FrameMemory> make_frame_memory(const ocl::Device& device) {
  if (device.info().shares_host_memory) return make_host_memory();
  return std::make_unique<PinnedMemory>(device);
}

}  // namespace texcast
