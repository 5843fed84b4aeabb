#include "ocl/program.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/step_back.h"
#include "binary_cache.h"
#include "device_work.h"
#include "driver_variables.h"
#include "kernel_caches.h"
#include "kernel_source.h"
#include "ocl/cache.h"
#include "shared_context.h"

namespace texcast::ocl {
namespace {

std::optional<cl::Program> from_binary(const Device& device, const std::string& key, const std::string& options) {
  const auto binary = load_cached_binary(key);
  if (!binary) return std::nullopt;
  try {
    cl::Program program(device.context(), {device.device()}, {*binary});
    program.build(options.c_str());
    return program;
  } catch (const cl::Error&) {
    return std::nullopt;  // after an update of its own parts, a driver may refuse what it wrote itself
  }
}

// Everything that a program is built from and cached by.
struct BuildKey {
  KernelSource source;
  std::string options;  // including kLanguageOption
  std::string text;
  std::string hash;  // content_hash() of the text

  // Some drivers write their compiler's warnings to the program's stderr. Only developers of kernels need them.
  BuildKey(const DeviceInfo& info, const std::string& path, const std::string& own_options)
      : source(path),
        options(kLanguageOption + std::string(kernel_folder().empty() ? "-w " : "") + own_options),
        text(device_key(info) + options + "\n" + source.text()),
        hash(content_hash(keeps_programs(info) ? text + pocl_settings() : text)) {
    tell_observer(path, options, source.text());
  }
};

void keep(const cl::Program& program, const cl::Device& device, const DeviceInfo& info, const std::string& key) {
  if (keeps_programs(info)) return KernelCaches::of_process().seal();
  try {
    // The program has one for each device of the context, of which only ours is built.
    const auto devices = program.getInfo<CL_PROGRAM_DEVICES>();
    const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
    for (size_t i = 0; i < std::min(devices.size(), binaries.size()); ++i)
      if (devices[i]() == device() && !binaries[i].empty()) store_cached_binary(key, binaries[i]);
  } catch (const cl::Error&) {
    // the driver returns no binary (Oclgrind): the next start compiles again
  }
}

// With Device::keep_later other threads need the processor, so the compiler runs on a thread that can get a low
// priority.
void build(cl::Program& program, const Device& device, const std::string& options) {
  const auto compile = [&] { program.build({device.device()}, options.c_str()); };
  device.unkept() ? device.unkept()->compilers().run(compile) : compile();
}

// By another object that shares the device's context.
std::optional<cl::Program> built_before(const Device& device, const std::string& hash) {
  const auto built = device.shared() != nullptr ? device.shared()->find(hash, device.device()) : std::nullopt;
  if (!built) return std::nullopt;
  device.work().uses(hash);
  if (built->from_cache) device.work().came_from_cache();
  return built->program;
}

cl::Program share(const Device& device, const std::string& hash, const BuiltProgram& built) {
  if (device.shared() != nullptr) device.shared()->add(hash, device.device(), built);
  return built.program;
}

}  // namespace

void CompilerThreads::run(const std::function<void()>& compile) {
  std::exception_ptr failure;
  std::thread([&] {
    at_work(true);
    try {
      compile();
    } catch (...) {
      failure = std::current_exception();
    }
    at_work(false);
  }).join();
  if (failure) std::rethrow_exception(failure);
}

void CompilerThreads::at_work(bool begins) {
  const std::lock_guard lock(mutex_);
  if (!begins) {
    std::erase(threads_, gettid());
    return;
  }
  threads_.push_back(gettid());
  if (steps_back_) texcast::step_back();
}

void CompilerThreads::step_back() {
  const std::lock_guard lock(mutex_);
  steps_back_ = true;
  for (const pid_t thread : threads_) texcast::step_back(thread);
}

void UnkeptPrograms::add(std::function<void()> keep) {
  const std::lock_guard lock(mutex_);
  list_.push_back(std::move(keep));
}

void UnkeptPrograms::keep() {
  std::vector<std::function<void()>> list;
  {
    const std::lock_guard lock(mutex_);
    list.swap(list_);
  }
  for (const auto& keep : list) keep();
}

std::string first_line(const std::string& message) { return message.substr(0, message.find('\n')); }

void tell_of_compiling(const DeviceInfo& device, std::string_view meanwhile) {
  static std::atomic<bool> said = false;
  if (said.exchange(true)) return;
  log_info("compiling for {}, {} ({}){}{}", device.name,
           cache_folder().path.empty() ? "at every start, as no cache folder is writable" : "once",
           device.is_gpu ? "may take some seconds" : "may take up to half a minute", meanwhile.empty() ? "" : "; ",
           meanwhile);
}

bool is_built(const Device& device, const std::string& path, const std::string& options) {
  const BuildKey key(device.info(), path, options);
  if (device.shared() != nullptr && device.shared()->find(key.hash, device.device())) return true;
  if (!keeps_programs(device.info())) return load_cached_binary(key.text).has_value();
  DriverCache* const cache = KernelCaches::of_process().driver_cache(device.info());
  return cache != nullptr && cache->has(key.hash);
}

cl::Program build_program(const Device& device, const std::string& path, const std::string& options) {
  const DeviceInfo& info = device.info();
  const BuildKey key(info, path, options);
  const std::string& all_options = key.options;
  if (auto program = built_before(device, key.hash)) return *program;
  device.work().begins(key.hash);
  if (!keeps_programs(info))
    if (auto program = from_binary(device, key.text, all_options)) {
      device.work().came_from_cache();
      return share(device, key.hash, {*program, true});
    }
  DriverCache* const cache = KernelCaches::of_process().driver_cache(info);
  const auto before = cache != nullptr ? cache->begin(key.hash) : DriverCache::Before{};
  if (before.is_there)
    device.work().came_from_cache();
  else
    tell_of_compiling(info, "");

  cl::Program program(device.context(), key.source.text());
  try {
    build(program, device, all_options);
  } catch (const cl::Error&) {
    std::string log = "no build log";
    try {
      log = key.source.with_file_names(program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device.device()));
    } catch (const cl::Error&) {
    }
    throw Error(ErrorKind::no_device, "cannot build the kernels for " + info.name + " (" + all_options + "):\n" + log);
  }
  if (cache != nullptr) cache->end(key.hash, before);
  share(device, key.hash, {program, before.is_there});
  if (before.is_there) return program;
  const auto keep_it = [program, device = device.device(), info, text = key.text] {
    keep(program, device, info, text);
  };
  if (device.unkept())
    device.unkept()->add(keep_it);
  else
    keep_it();
  return program;
}

}  // namespace texcast::ocl
