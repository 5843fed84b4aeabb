// device.h — an opened OpenCL device: context, limits, names.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ocl/opencl.h"
#include "texcast/device.h"
#include "texcast/error.h"

namespace texcast::ocl {

class DeviceWork;
class SharedContext;
class UnkeptPrograms;

// Opens the device that `info` (from list_devices()) names. Throws Error{no_device}.
class Device {
 public:
  explicit Device(const DeviceInfo& info);  // in a context of its own
  // Opens devices in a context that those of one platform share, so that memory pinned for one is pinned for all. As
  // long as they or copies of them exist, further calls for the same devices share the context as well, and all
  // programs that were built in it.
  static std::vector<Device> open_together(const std::vector<DeviceInfo>& infos);
  const DeviceInfo& info() const { return info_; }
  const cl::Device& device() const { return device_; }
  const cl::Context& context() const { return context_; }
  // In order, with profiling. Commands of different queues overlap if the device can do so.
  // `has_times`: events have times by the device's clock (profile.h). Commands take longer to submit then.
  cl::CommandQueue make_queue(bool has_times = true) const;
  // Programs that are built on the device from now on, and on copies of this object, are cached only when `list` is
  // told to.
  void keep_later(std::shared_ptr<UnkeptPrograms> list) { unkept_ = std::move(list); }
  const std::shared_ptr<UnkeptPrograms>& unkept() const { return unkept_; }

  // Reports that a frame has passed through the kernels that were built on the device, so its driver does not crash on
  // them. Until this call, or for 30 s, the process counts as waiting for its first frame. Repeated calls cost nothing.
  void proved() const;
  // Reports that the programs that were built on the device, and on copies of this object, give wrong results: removes
  // them from the caches. True if one of them came from a cache, so that compiling it again may help.
  bool distrust() const;
  // For build_program():
  DeviceWork& work() const { return *work_; }
  SharedContext* shared() const { return shared_.get(); }  // null: the context is not shared

 private:
  Device(const DeviceInfo& info, cl::Device device, std::shared_ptr<SharedContext> shared);
  DeviceInfo info_;
  cl::Device device_;
  std::shared_ptr<SharedContext> shared_;
  cl::Context context_;
  std::shared_ptr<DeviceWork> work_;
  std::shared_ptr<UnkeptPrograms> unkept_;
};

// "clEnqueueNDRangeKernel on NVIDIA H200: CL_OUT_OF_RESOURCES (-5)".
Error device_error(const cl::Error& error, const DeviceInfo& info);
const char* error_name(int code);

// Runs `work`, and throws OpenCL's errors as device_error() of that device.
template <typename Work>
void guarded(const Device& device, Work&& work) {
  try {
    work();
  } catch (const cl::Error& error) {
    throw device_error(error, device.info());
  }
}

}  // namespace texcast::ocl
