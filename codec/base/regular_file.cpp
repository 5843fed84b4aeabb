#include "base/regular_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <utility>

#include "base/errno_text.h"
#include "base/whole_io.h"

namespace texcast {
namespace {

bool is_null_device(const struct stat& status) { return S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3); }

// Why the file cannot be read as a regular one; empty if it can.
std::string why_not(const struct stat& status) {
  if (S_ISREG(status.st_mode) || is_null_device(status)) return "";
  const char* what = S_ISDIR(status.st_mode)    ? "a folder"
                     : S_ISFIFO(status.st_mode) ? "a FIFO"
                     : S_ISSOCK(status.st_mode) ? "a socket"
                                                : "a device";
  return fmt::format("it is {}, not a file", what);
}

}  // namespace

// Checked before it is opened, as opening some devices has effects, and afterwards, as the name may have passed to
// another file.
Result<RegularFile> open_regular_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return Failure{errno_text(errno)};
  if (std::string why = why_not(status); !why.empty()) return Failure{std::move(why)};
  RegularFile file{.descriptor = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))};
  if (!file.descriptor.valid() || ::fstat(file.descriptor.get(), &status) != 0) return Failure{errno_text(errno)};
  if (std::string why = why_not(status); !why.empty()) return Failure{std::move(why)};
  file.bytes = is_null_device(status) ? 0 : static_cast<uint64_t>(status.st_size);
  return file;
}

Result<std::string> read_regular_file(const std::string& path, size_t at_most) {
  const auto file = open_regular_file(path);
  if (!file) return file.error();
  if (file->bytes > at_most) return Failure{fmt::format("it has {} bytes, but the limit is {}", file->bytes, at_most)};
  std::string text(static_cast<size_t>(file->bytes), '\0');
  const auto have = read_all_at(file->descriptor.get(), std::as_writable_bytes(std::span(text)), 0);
  if (!have) return have.error();
  text.resize(*have);  // another program may have truncated it meanwhile
  return text;
}

}  // namespace texcast
