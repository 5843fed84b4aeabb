#include "device_memory.h"

namespace texcast::compact {

PinnedBytes::PinnedBytes(const ocl::Device& device, const cl::CommandQueue& queue, size_t bytes)
    : queue_(queue),
      buffer_(device.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes),
      host_(queue_.enqueueMapBuffer(buffer_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes)) {}

PinnedBytes::~PinnedBytes() {
  try {
    queue_.enqueueUnmapMemObject(buffer_, host_);
    queue_.finish();
  } catch (const cl::Error&) {
    // the device is lost: there is nothing to unmap
  }
}

}  // namespace texcast::compact
