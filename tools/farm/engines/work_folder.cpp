#include "farm/work_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <random>
#include <string_view>
#include <vector>

#include "base/errno_text.h"
#include "base/regular_file.h"
#include "base/whole_io.h"
#include "farm/program.h"
#include "texcast/error.h"

namespace texcast::farm {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestName = 64;
constexpr uint64_t kLogTail = 16 << 10;  // bytes
constexpr std::string_view kProgram = "texcast: ", kBegins = "# begins ", kEnded = "# ended ";

// $task: from the command line of GNU parallel, or from Slurm. The log is appended to, so that a full disk has room for
// the message in the block of the first line.
constexpr const char* kScript = R"(#!/bin/sh
# Written by `texcast farm`: encodes the share of task $1, or of this task of a Slurm array job.
task=${{1:-$SLURM_ARRAY_TASK_ID}}
log={work}/logs/$task
echo "# begins on $(uname -n) as ${{SLURMD_NODENAME:-$PARALLEL_SSHLOGIN}}" >> "$log"
(cd {here} && {command}) >> "$log" 2>&1
status=$?
echo "# ended $status" >> "$log"
exit $status
)";

[[noreturn]] void fail(const std::string& what, const std::string& path, int error) {
  throw Error(ErrorKind::failed, fmt::format("cannot {} '{}': {}", what, path, errno_text(error)));
}

void make_folders(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail("create folder", path, error.value());
}

void write_file(const std::string& path, const std::string& text, mode_t mode) {
  const std::string fresh = path + ".new";
  const Descriptor file(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (!file.valid()) fail("create", path, errno);
  if (const int error = write_all(file.get(), std::as_bytes(std::span(text)))) fail("write", path, error);
  if (rename(fresh.c_str(), path.c_str()) != 0) fail("write", path, errno);
}

Descriptor locked(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.valid()) fail("create", path, errno);
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno != EWOULDBLOCK) return file;  // storage without locks
  throw Error(ErrorKind::usage,
              fmt::format("another process works in '{}'; wait for its end, or give another --work FOLDER",
                          fs::path(path).parent_path().string()));
}

std::string random_name() {
  std::random_device random;
  return fmt::format("texcast-{:08x}{:08x}", random(), random());
}

std::string name_in(const std::string& path) {
  const auto text = read_regular_file(path, kLargestName);
  if (text && text->starts_with("texcast-")) return *text;
  const std::string name = random_name();
  write_file(path, name, 0666);
  return name;
}

// The lines of the last attempt that the end of a log holds.
std::vector<std::string> last_attempt(const std::string& path) {
  const auto file = open_regular_file(path);
  if (!file) return {};
  const uint64_t skipped = file->bytes - std::min(file->bytes, kLogTail);
  std::string text(file->bytes - skipped, '\0');
  const auto read =
      read_all_at(file->descriptor.get(), std::as_writable_bytes(std::span(text)), static_cast<int64_t>(skipped));
  text.resize(read ? *read : 0);
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with(kBegins)) lines.clear();
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

WorkFolder::WorkFolder(const std::string& path) : path_(path) {
  make_folders(file("logs"));
  lock_ = locked(file("lock"));
  name_ = name_in(file("name"));
}

std::string WorkFolder::log(int task) const { return file(fmt::format("logs/{}", task)); }

void WorkFolder::write_script(const std::string& command) const {
  write_file(file("task.sh"),
             fmt::format(kScript, fmt::arg("work", shell_word(path_)),
                         fmt::arg("here", shell_word(fs::current_path().string())), fmt::arg("command", command)),
             0777);
}

std::optional<int> WorkFolder::exit_status(int task) const {
  const auto lines = last_attempt(log(task));
  if (lines.empty() || !lines.back().starts_with(kEnded)) return std::nullopt;
  const std::string number = lines.back().substr(kEnded.size());
  if (number.empty() || number.size() > 3 || number.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stoi(number);
}

std::string WorkFolder::host(int task) const {
  constexpr std::string_view kAs = " as ";
  const auto lines = last_attempt(log(task));
  if (lines.empty() || !lines.front().starts_with(kBegins)) return "";
  const size_t at = lines.front().find(kAs);
  return at == std::string::npos ? "" : lines.front().substr(at + kAs.size());
}

std::string WorkFolder::last_message(int task) const {
  auto lines = last_attempt(log(task));
  std::erase_if(lines, [](const std::string& line) {
    return line.empty() || line.starts_with(kBegins) || line.starts_with(kEnded);
  });
  // At its end `encode --manifest` counts the jobs that failed; the reason stands above.
  if (lines.size() > 1 && lines.back().find(" failed: ") != std::string::npos) lines.pop_back();
  if (lines.empty()) return "";
  return lines.back().starts_with(kProgram) ? lines.back().substr(kProgram.size()) : lines.back();
}

void WorkFolder::remove() {
  std::error_code error;
  fs::remove_all(path_, error);
  if (error) fail("remove folder", path_, error.value());
}

}  // namespace texcast::farm
