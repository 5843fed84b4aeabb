// device_memory.h — memory that host and device share or mirror, and arguments of kernels.
#pragma once

#include <span>

#include "ocl/device.h"

namespace texcast::compact {

// Host memory that a device transfers directly, without a copy by the driver. It is mapped throughout its lifetime.
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

// A table that kernels only read.
template <typename List>
cl::Buffer constant_buffer(const ocl::Device& device, const List& list) {
  // OpenCL's C++ bindings lack const here.
  return {device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, list.size() * sizeof list[0],
          const_cast<void*>(static_cast<const void*>(list.data()))};
}

// Sets all of a kernel's arguments, in their order.
template <typename... Arguments>
void set_arguments(cl::Kernel& kernel, const Arguments&... arguments) {
  cl_uint index = 0;
  (kernel.setArg(index++, arguments), ...);
}

// A list on the device, and a copy of it on the host.
template <typename Value>
class MirroredList {
 public:
  MirroredList(const ocl::Device& device, const cl::CommandQueue& queue, size_t count)
      : count_(count),
        device_(device.context(), CL_MEM_READ_WRITE, count * sizeof(Value)),
        host_(device, queue, count * sizeof(Value)) {}
  const cl::Buffer& device() const { return device_; }
  std::span<Value> host() const { return {static_cast<Value*>(host_.data()), count_}; }
  // Uploads the first `count` values. Host memory must not be changed before the queue has transferred them.
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
