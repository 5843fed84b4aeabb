#include "lost_device.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include <atomic>

namespace {
std::atomic<bool> are_lost = false;
}

// In place of the function of the same name of libOpenCL, as a program's symbols come before those of its libraries.
extern "C" __attribute__((visibility("default"))) cl_int clEnqueueNDRangeKernel(
    cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset, const size_t* global,
    const size_t* local, cl_uint events, const cl_event* wait_for, cl_event* event) {
  static const auto real =
      reinterpret_cast<decltype(&clEnqueueNDRangeKernel)>(dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel"));
  if (are_lost) return CL_OUT_OF_RESOURCES;
  return real(queue, kernel, dimensions, offset, global, local, events, wait_for, event);
}

namespace texcast::test {

LostDevices::LostDevices() { are_lost = true; }
LostDevices::~LostDevices() { are_lost = false; }

}  // namespace texcast::test
