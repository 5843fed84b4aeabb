// device_queue.h — the command queue of a backend, and allocation of memory on its device.
#pragma once

#include <cstddef>

#include "ocl/device.h"
#include "stage.h"

namespace texcast::compact {

// Not thread-safe. OpenCL's errors are thrown as cl::Error, which ocl::guarded() converts to Error.
class DeviceQueue {
 public:
  // `has_times`: stages are measured.
  explicit DeviceQueue(const ocl::Device& device, bool has_times = true)
      : device_(device), queue_(device.make_queue(has_times)), has_times_(has_times) {}
  // Waits for all commands, as some drivers crash if their memory is released earlier.
  ~DeviceQueue();
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;

  const ocl::Device& device() const { return device_; }
  const cl::CommandQueue& commands() const { return queue_; }
  // The event of the next command of a stage; nullptr if stages are not measured.
  cl::Event* event(Stage& stage) const { return has_times_ ? stage.next() : nullptr; }
  cl::Buffer memory(size_t bytes) const { return {device_.context(), CL_MEM_READ_WRITE, bytes}; }

  // Starts a work-item for each of `items`, rounded up to groups; kernels ignore the excess ones.
  void launch(const cl::Kernel& kernel, size_t items, Stage& stage, size_t group = kUsualGroup) const;
  // The same for each of `count` components, whose number is the second coordinate of an item.
  void launch_components(const cl::Kernel& kernel, size_t items, size_t count, Stage& stage) const;
  // Starts `groups` work-groups of `group` items.
  void launch_groups(const cl::Kernel& kernel, size_t groups, size_t group, Stage& stage) const;
  void upload(const cl::Buffer& to, size_t at, size_t bytes, const void* from, Stage& stage) const {
    queue_.enqueueWriteBuffer(to, CL_FALSE, at, bytes, from, nullptr, event(stage));
  }
  void download(const cl::Buffer& from, size_t at, size_t bytes, void* to, Stage& stage) const {
    queue_.enqueueReadBuffer(from, CL_FALSE, at, bytes, to, nullptr, event(stage));
  }
  void clear(const cl::Buffer& memory, size_t bytes, Stage& stage) const {
    queue_.enqueueFillBuffer(memory, cl_uint{0}, 0, bytes, nullptr, event(stage));
  }

  // Submits all commands so far.
  void send();
  // Waits for the submitted commands.
  void wait() const;
  // Waits for a submitted command.
  void wait(const cl::Event& event) const;
  // An event that completes when all commands so far are done.
  cl::Event marker() const;
  // The same for those that the latest send() submitted.
  const cl::Event& sent() const { return sent_; }
  // The commands from now on wait for an event of another queue, whose commands have been submitted.
  void wait_on_device(const cl::Event& event) const;

 private:
  static constexpr size_t kUsualGroup = 64;
  const ocl::Device device_;
  const cl::CommandQueue queue_;
  const bool has_times_;
  cl::Event sent_;  // clFinish() of Rusticl (Mesa 22.3) does not wait for commands that were flushed before it
};

}  // namespace texcast::compact
