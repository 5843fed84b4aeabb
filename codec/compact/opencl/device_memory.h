// device_memory.h — lists between host and device, and what kernels are called with.
#pragma once

#include <span>

#include "ocl/device.h"

namespace texcast::compact {

// Host memory that a device transfers from and to without the driver's own copy. Mapped for as long as it lives.
class PinnedBytes {
 public:
  PinnedBytes(const ocl::Device& device, const cl::CommandQueue& queue, size_t bytes);
  ~PinnedBytes();
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  void* data() const { return host_; }

 private:
  cl::CommandQueue queue_;
  cl::Buffer buffer_;
  void* host_ = nullptr;
};

// A table that kernels read alone.
template <typename List>
cl::Buffer constant_buffer(const ocl::Device& device, const List& list) {
  // OpenCL's bindings have no const here.
  return {device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, list.size() * sizeof list[0],
          const_cast<void*>(static_cast<const void*>(list.data()))};
}

// All of a kernel's arguments, in their order.
template <typename... Arguments>
void set_arguments(cl::Kernel& kernel, const Arguments&... arguments) {
  cl_uint index = 0;
  (kernel.setArg(index++, arguments), ...);
}

// A list on the device and its likeness on the host.
template <typename Value>
class MirroredList {
 public:
  MirroredList(const ocl::Device& device, const cl::CommandQueue& queue, size_t count)
      : count_(count),
        device_(device.context(), CL_MEM_READ_WRITE, count * sizeof(Value)),
        host_(device, queue, count * sizeof(Value)) {}
  const cl::Buffer& device() const { return device_; }
  std::span<Value> host() const { return {static_cast<Value*>(host_.data()), count_}; }
  // The first of them. Host memory is not to be touched before the queue is there.
  void upload(const cl::CommandQueue& queue, size_t count, cl::Event* done = nullptr) const {
    if (count > 0) queue.enqueueWriteBuffer(device_, CL_FALSE, 0, count * sizeof(Value), host_.data(), nullptr, done);
  }
  void download(const cl::CommandQueue& queue, size_t count, cl::Event* done = nullptr) const {
    if (count > 0) queue.enqueueReadBuffer(device_, CL_FALSE, 0, count * sizeof(Value), host_.data(), nullptr, done);
  }

 private:
  size_t count_;
  cl::Buffer device_;
  PinnedBytes host_;
};

}  // namespace texcast::compact
