#include "files/pipe_target.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/errno_text.h"
#include "texcast/error.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

// Their muxers go back to write a length or an index before the data.
constexpr std::array<std::string_view, 7> kSeeking = {"mov", "mp4", "m4v", "3gp", "avi", "wmv", "asf"};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

bool is_stdout(const std::string& output) {
  constexpr std::array<std::string_view, 5> kNames = {"-", "pipe:", "pipe:1", "/dev/stdout", "/dev/fd/1"};
  return std::ranges::find(kNames, output) != kNames.end();
}

bool is_pipe(const std::string& output) {
  std::error_code ignored;
  return is_stdout(output) || std::filesystem::is_fifo(output, ignored);
}

std::string output_name(const std::string& output, const std::string& container,
                        const std::vector<std::string>& containers, Accepted accepted) {
  if (!is_pipe(output)) {
    if (container.empty()) return output;
    throw Error(ErrorKind::usage,
                fmt::format("--container is for - and FIFOs: the extension of '{}' chooses the format", output));
  }
  const std::string name = is_stdout(output) ? "stdout" : output;
  const std::string own = std::filesystem::path(name).extension();
  const std::string chosen = lower(!container.empty() ? container : own.size() > 1 ? own.substr(1) : containers[0]);
  if (std::ranges::find(kSeeking, chosen) != kSeeking.end())
    throw Error(ErrorKind::usage, fmt::format("{} cannot be written to a pipe, because its index goes before the data; "
                                              "choose --container {}, or write a file",
                                              chosen, containers[0]));
  if (accepted == Accepted::only && std::ranges::find(containers, chosen) == containers.end())
    throw Error(ErrorKind::usage, fmt::format("'{}' cannot be written to a pipe: choose --container {}", chosen,
                                              joined(containers, ", ")));
  return own == "." + chosen ? name : name + "." + chosen;
}

media::PipePtr open_pipe(const std::string& output, const std::string& name) {
  media::PipeOutput pipe{.descriptor = {}, .name = name};
  if (!is_stdout(output)) {
    pipe.descriptor = Descriptor(open(output.c_str(), O_WRONLY | O_CLOEXEC));
    if (!pipe.descriptor.valid())
      throw Error(ErrorKind::failed, fmt::format("cannot write '{}': {}", output, errno_text(errno)));
    return std::make_shared<const media::PipeOutput>(std::move(pipe));
  }
  if (isatty(STDOUT_FILENO) == 1)
    throw Error(ErrorKind::usage, fmt::format("'{}' is stdout, which is a terminal: pipe it into a program, or name a "
                                              "file",
                                              output));
  std::fflush(stdout);
  pipe.descriptor = Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!pipe.descriptor.valid() || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw Error(ErrorKind::failed, fmt::format("cannot write to stdout: {}", errno_text(errno)));
  return std::make_shared<const media::PipeOutput>(std::move(pipe));
}

void check_pipe(const media::RecorderSettings& settings) {
  if (settings.split.bytes > 0 || settings.split.duration > nanoseconds{} || settings.most_bytes > 0)
    throw Error(ErrorKind::usage, fmt::format("--split and --max-disk are for files, not for '{}'", settings.path));
}

void require_file(const std::string& output, const char* option, const char* advice) {
  if (is_stdout(output))
    throw Error(ErrorKind::usage, fmt::format("{} needs the name of a file, not '{}'; {}", option, output, advice));
}

}  // namespace texcast::cli
