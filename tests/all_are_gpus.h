// all_are_gpus.h — lets the OpenCL devices that exist pretend to be GPUs, for tests of what happens with a GPU.
// Included by one file of a test program, as it defines a function of OpenCL.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <dlfcn.h>

#include <atomic>

namespace texcast::test {

inline std::atomic<bool> all_are_gpus = false;

// While it lives, every device is a GPU.
struct AllAreGpus {
  AllAreGpus() { all_are_gpus = true; }
  ~AllAreGpus() { all_are_gpus = false; }
  AllAreGpus(const AllAreGpus&) = delete;
  AllAreGpus& operator=(const AllAreGpus&) = delete;
};

}  // namespace texcast::test

// Takes precedence over the loader's function, which the library would call.
extern "C" __attribute__((visibility("default"))) cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what,
                                                                         size_t bytes, void* value, size_t* needed) {
  static const auto ask = reinterpret_cast<decltype(&clGetDeviceInfo)>(dlsym(RTLD_NEXT, "clGetDeviceInfo"));
  const cl_int result = ask(device, what, bytes, value, needed);
  if (texcast::test::all_are_gpus && what == CL_DEVICE_TYPE && result == CL_SUCCESS && value != nullptr)
    *static_cast<cl_device_type*>(value) = CL_DEVICE_TYPE_GPU;
  return result;
}
