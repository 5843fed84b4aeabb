// program.h — a kernel file to a built program.
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

// Builds a file of cl_kernels, named by its path there ("bc1/range.cl"), with all that it includes, with
// kLanguageOption and `options` ("-DA=1 …"). Built binaries are kept in texcast::cache_folder(), one for each source,
// options, device and driver; a binary that is damaged or that the driver refuses is built anew. PoCL keeps its own, in
// a folder there (docs/caches.md). TEXCAST_KERNEL_DIR in the environment loads the files from there instead of those
// built in, and lets the compiler warn. Throws Error{no_device} whose message has the build log with file names and
// lines.
cl::Program build_program(const Device& device, const std::string& path, const std::string& options);

// Compilers at work beside something more urgent. All calls on any thread.
class CompilerThreads {
 public:
  // On a thread of its own, for whose end it waits. Throws what `compile` throws.
  void run(const std::function<void()>& compile);
  // Those at work, and those to come, have low priority. The threads that called run() do not, nor what they make
  // afterwards with the program.
  void step_back();

 private:
  void at_work(bool begins);  // on the thread

  std::mutex mutex_;
  bool steps_back_ = false;
  std::vector<pid_t> threads_;
};

// Programs that are built and not in the cache yet (Device::keep_later): some drivers compile most of a program at its
// first launch, and what is in the cache is to be whole; others take their time for a binary, which the first frame
// need not wait for.
class UnkeptPrograms {
 public:
  void add(std::function<void()> keep);
  void keep();  // all of them, now; drivers then have all that they compiled for the first launches, too
  CompilerThreads& compilers() { return compilers_; }  // which build them

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> list_;
  CompilerThreads compilers_;
};

// Whether build_program() would find the program built.
bool is_built(const Device& device, const std::string& path, const std::string& options);

// The line "compiling for DEVICE", once a process: build_program() says it where nobody has before. `about_s` seconds
// on an idle machine; `meanwhile`: what goes on, as one clause, or empty.
void tell_of_compiling(const DeviceInfo& device, int about_s, std::string_view meanwhile);

// For tests that record which kernels a result depends on: `observe` is called with the path, the options and the whole
// text of each program that build_program() or is_built() is asked for, from the thread that asks, and with an empty
// path where kernel_sources_hash() reads every kernel, with their hash as the text. Set it while no other thread uses
// OpenCL.
using ProgramObserver =
    std::function<void(const std::string& path, const std::string& options, const std::string& text)>;
void observe_programs(ProgramObserver observe);

// The text that build_program compiles, for compilers whose devices are not here.
std::string program_source(const std::string& path);

// Of an error's message: what comes before the build log.
std::string first_line(const std::string& message);

}  // namespace texcast::ocl
