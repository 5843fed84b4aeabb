// kernel_calls.h — runs kernels of coded streams on lists of the host, for tests of single kernels.
#pragma once

#include <array>
#include <type_traits>

#include "check.h"
#include "ocl/program.h"

namespace check {

// Kernels of one file, compiled with CHANNEL=1.
class KernelCalls {
 public:
  explicit KernelCalls(const char* file)
      : queue_(device().make_queue()), program_(texcast::ocl::build_program(device(), file, "-DCHANNEL=1")) {}

  // Runs a kernel, and waits. Its arguments are copies of `lists`, which are read back unless they are constant, and
  // integers; then local memory if there is any.
  template <typename... Lists>
  void run(const char* name, const cl::NDRange& global, const cl::NDRange& local, size_t local_bytes, Lists&... lists) {
    cl::Kernel kernel(program_, name);
    std::array<cl::Buffer, sizeof...(lists)> buffers{copy_of(lists)...};
    cl_uint at = 0;
    (set(kernel, at, buffers, lists), ...);
    if (local_bytes > 0) kernel.setArg(at, cl::Local(local_bytes));
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, global, local);
    at = 0;
    (read(buffers[at++], lists), ...);
  }

 private:
  template <typename List>
  static cl::Buffer copy_of(const List& list) {
    return {device().context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, list.size() * sizeof list[0],
            const_cast<void*>(static_cast<const void*>(list.data()))};
  }
  static cl::Buffer copy_of(const cl_int&) { return {}; }
  template <typename Buffers, typename List>
  static void set(cl::Kernel& kernel, cl_uint& at, const Buffers& buffers, const List& list) {
    if constexpr (std::is_integral_v<List>)
      kernel.setArg(at, list);
    else
      kernel.setArg(at, buffers[at]);
    ++at;
  }
  template <typename List>
  void read(const cl::Buffer& buffer, List& list) {
    if constexpr (!std::is_integral_v<std::remove_const_t<List>> && !std::is_const_v<List>)
      queue_.enqueueReadBuffer(buffer, CL_TRUE, 0, list.size() * sizeof list[0], list.data());
  }
  cl::CommandQueue queue_;
  cl::Program program_;
};

}  // namespace check
