// program.h — builds kernel files.
#pragma once

#include <sys/types.h>

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ocl/device.h"

namespace texcast::ocl {

inline constexpr const char* kLanguageOption = "-cl-std=CL1.2 ";

// Builds a file of cl_kernels, named by its path there ("bc1/range.cl"), with its includes, with kLanguageOption and
// `options` ("-DA=1 …"). Binaries are cached in texcast::cache_folder(), one for each source, options, device and
// driver; one that is damaged or that the driver refuses is built again. PoCL has its own cache, in a folder there
// (docs/caches.md). The environment variable TEXCAST_KERNEL_DIR names a folder from which files are loaded instead of
// the embedded ones; compiler warnings are enabled then. Throws Error{no_device} whose message has the build log with
// file names and lines.
cl::Program build_program(const Device& device, const std::string& path, const std::string& options);

// Compilers that run beside more urgent work. All members may be called on any thread.
class CompilerThreads {
 public:
  // Runs on a thread of its own, and waits for its end. Rethrows exceptions of `compile`.
  void run(const std::function<void()>& compile);
  // Gives present and future compilers low priority. The threads that called run() keep theirs, also for what they do
  // with the program afterwards.
  void step_back();

 private:
  void at_work(bool begins);  // called on the thread

  std::mutex mutex_;
  bool steps_back_ = false;
  std::vector<pid_t> threads_;
};

// Programs that are built and not cached yet (Device::keep_later). Some drivers compile most of a program at its first
// launch, and the cache must get all of it; others take long to return a binary, which the first frame need not wait
// for.
class UnkeptPrograms {
 public:
  void add(std::function<void()> keep);
  void keep();  // caches all of them now, including what drivers compiled at the first launches
  CompilerThreads& compilers() { return compilers_; }  // which build them

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> list_;
  CompilerThreads compilers_;
};

// Whether build_program() would find the program in the cache.
bool is_built(const Device& device, const std::string& path, const std::string& options);

// Logs the line "compiling for DEVICE" once per process; build_program() logs it if no caller did before. It names no
// time but the longest that is usual, because compilers take 2 to 17 s on processors of one age, by the methods and by
// what else runs. `meanwhile`: what works meanwhile, as a clause, or empty.
void tell_of_compiling(const DeviceInfo& device, std::string_view meanwhile);

// For tests that record which kernels a result depends on. `observe` is called with the path, the options and the whole
// text of each program that is requested from build_program() or is_built(), on the requesting thread; and with an
// empty path when kernel_sources_hash() reads every kernel, with their hash as the text. Set it while no other thread
// uses OpenCL.
using ProgramObserver =
    std::function<void(const std::string& path, const std::string& options, const std::string& text)>;
void observe_programs(ProgramObserver observe);

// The text that build_program() compiles, for compilers of devices that are not present.
std::string program_source(const std::string& path);

// The part of an error's message before the build log.
std::string first_line(const std::string& message);

}  // namespace texcast::ocl
