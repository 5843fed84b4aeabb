#include "ocl/program.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/ensure.h"
#include "binary_cache.h"
#include "embedded.h"
#include "ocl/cache.h"

namespace texcast::ocl {
namespace {

// Where kernels are read from while they are being worked on; empty for everyone else.
std::string kernel_folder() {
  const char* folder = std::getenv("TEXCAST_KERNEL_DIR");
  return folder != nullptr ? folder : "";
}

std::string text_of(const std::string& file) {
  if (const std::string folder = kernel_folder(); !folder.empty()) {
    std::ifstream in(folder + "/" + file);
    if (!in) throw Error(ErrorKind::no_device, "TEXCAST_KERNEL_DIR has no " + file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  for (const EmbeddedFile& embedded : embedded_files())
    if (embedded.name == file) return embedded.text;
  ENSURE(false);
}

struct Source {
  std::string text;
  std::vector<std::pair<std::string, unsigned>> starts;  // file, line of `text` before its first one
};

Source join(const std::vector<std::string>& files) {
  Source source;
  unsigned lines = 0;
  for (const std::string& file : files) {
    const std::string part = "#line 1 \"" + file + "\"\n" + text_of(file) + "\n";
    source.starts.emplace_back(file, lines + 1);
    source.text += part;
    lines += static_cast<unsigned>(std::count(part.begin(), part.end(), '\n'));
  }
  return source;
}

// Takes "<kernel>:812:" (NVIDIA) or "input.cl:812:" (Oclgrind) off the log's beginning and gives the line; 0 where
// something else stands there. By hand, because <regex> takes longer to compile than the rest of the module.
unsigned take_place(std::string_view& log) {
  for (const std::string_view name : {"<kernel>:", "input.cl:"}) {
    if (!log.starts_with(name)) continue;
    unsigned line = 0;
    const char* end = log.data() + log.size();
    const auto [after, error] = std::from_chars(log.data() + name.size(), end, line);
    if (error != std::errc() || after == end || *after != ':') continue;
    log.remove_prefix(static_cast<size_t>(after + 1 - log.data()));
    return line;
  }
  return 0;
}

// Those two compilers pass over #line and count through the whole text: give their messages the file and its own line.
std::string with_file_names(std::string_view log, const Source& source) {
  std::string named;
  while (!log.empty()) {
    const unsigned line = take_place(log);
    if (line == 0) {
      named += log.front();
      log.remove_prefix(1);
      continue;
    }
    const auto* file = &source.starts.front();
    for (const auto& start : source.starts)
      if (start.second < line) file = &start;
    named += file->first + ":" + std::to_string(line - file->second) + ":";
  }
  return named;
}

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

}  // namespace

uint64_t kernel_sources_hash() {
  std::string all;
  for (const EmbeddedFile& file : embedded_files()) try {
      all += text_of(file.name) + "\n";
    } catch (const Error&) {
      // TEXCAST_KERNEL_DIR has other files: whoever needs this one is told so
    }
  return cache_hash(all);
}

std::string program_source(const std::vector<std::string>& files) { return join(files).text; }

std::string first_line(const std::string& message) { return message.substr(0, message.find('\n')); }

cl::Program build_program(const Device& device, const std::vector<std::string>& files, const std::string& options) {
  // Some drivers write their compiler's warnings to the program's stderr. They are for who works on the kernels.
  const std::string all_options = kLanguageOption + std::string(kernel_folder().empty() ? "-w " : "") + options;
  const Source source = join(files);
  const DeviceInfo& info = device.info();
  const std::string key = device_key(info) + all_options + "\n" + source.text;
  if (auto program = from_binary(device, key, all_options)) return *program;

  cl::Program program(device.context(), source.text);
  try {
    program.build({device.device()}, all_options.c_str());
  } catch (const cl::Error&) {
    std::string log = "no build log";
    try {
      log = with_file_names(program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device.device()), source);
    } catch (const cl::Error&) {
    }
    throw Error(ErrorKind::no_device, "the kernels do not build on " + info.name + " (" + all_options + "):\n" + log);
  }
  try {
    // One for each device of the context, of which only ours is built.
    const auto devices = program.getInfo<CL_PROGRAM_DEVICES>();
    const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
    for (size_t i = 0; i < std::min(devices.size(), binaries.size()); ++i)
      if (devices[i]() == device.device()() && !binaries[i].empty()) store_cached_binary(key, binaries[i]);
  } catch (const cl::Error&) {
    // no binary to be had (Oclgrind): the next start compiles again
  }
  return program;
}

}  // namespace texcast::ocl
