#include "ocl/program.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/log.h"
#include "binary_cache.h"
#include "kernel_source.h"
#include "ocl/cache.h"

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
    return std::nullopt;  // a driver may refuse what it wrote itself, after an update of its own parts
  }
}

// What a program is built and remembered by.
struct BuildKey {
  KernelSource source;
  std::string options;  // all of them
  std::string text;

  // Some drivers write their compiler's warnings to the program's stderr. They are for who works on the kernels.
  BuildKey(const DeviceInfo& info, const std::string& path, const std::string& own_options)
      : source(path),
        options(kLanguageOption + std::string(kernel_folder().empty() ? "-w " : "") + own_options),
        text(device_key(info) + options + "\n" + source.text()) {}
};

}  // namespace

std::string first_line(const std::string& message) { return message.substr(0, message.find('\n')); }

void tell_of_compiling(const DeviceInfo& device, int about_s, std::string_view meanwhile) {
  static std::atomic<bool> said = false;
  if (said.exchange(true)) return;
  log_info("compiling for {}, {} ({}){}{}", device.name,
           cache_folder().path.empty() ? "at every start, as no folder for a cache can be written" : "once",
           about_s > 0 ? fmt::format("about {} s", about_s) : "may take some seconds", meanwhile.empty() ? "" : "; ",
           meanwhile);
}

bool is_built(const Device& device, const std::string& path, const std::string& options) {
  return load_cached_binary(BuildKey(device.info(), path, options).text).has_value();
}

cl::Program build_program(const Device& device, const std::string& path, const std::string& options) {
  const DeviceInfo& info = device.info();
  const BuildKey key(info, path, options);
  const std::string& all_options = key.options;
  if (auto program = from_binary(device, key.text, all_options)) return *program;
  tell_of_compiling(info, 0, "");

  cl::Program program(device.context(), key.source.text());
  try {
    program.build({device.device()}, all_options.c_str());
  } catch (const cl::Error&) {
    std::string log = "no build log";
    try {
      log = key.source.with_file_names(program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device.device()));
    } catch (const cl::Error&) {
    }
    throw Error(ErrorKind::no_device, "the kernels do not build on " + info.name + " (" + all_options + "):\n" + log);
  }
  try {
    // One for each device of the context, of which only ours is built.
    const auto devices = program.getInfo<CL_PROGRAM_DEVICES>();
    const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
    for (size_t i = 0; i < std::min(devices.size(), binaries.size()); ++i)
      if (devices[i]() == device.device()() && !binaries[i].empty()) store_cached_binary(key.text, binaries[i]);
  } catch (const cl::Error&) {
    // no binary to be had (Oclgrind): the next start compiles again
  }
  return program;
}

}  // namespace texcast::ocl
