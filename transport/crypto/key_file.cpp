#include "transport/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/descriptor.h"
#include "base/ensure.h"
#include "base/errno_text.h"
#include "base/log.h"
#include "texcast/error.h"

namespace texcast::transport {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("no passphrase from the key file {}: {}", path, why));
}

void warn_if_others_read(const std::string& path, int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || (status.st_mode & (S_IRGRP | S_IROTH)) == 0) return;
  log_warning("others on this machine can read the passphrase: chmod 600 {}", path);
}

}  // namespace

Passphrase::Passphrase(std::string_view text) {
  ENSURE(text.size() <= kLongest);
  std::ranges::copy(text, text_->bytes.begin());
  text_->size = text.size();
}

Passphrase read_key_file(const std::string& path) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) fail(path, errno_text(errno));
  warn_if_others_read(path, file.get());

  // Byte order mark, line, CR and LF: no more of the file is read.
  Secret<std::array<char, kByteOrderMark.size() + Passphrase::kLongest + 2>> memory;
  size_t used = 0;
  std::string_view line;
  bool ended = false;
  while (!ended && used < memory->size()) {
    const ssize_t got = ::read(file.get(), memory->data() + used, memory->size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, errno_text(errno));
    used += static_cast<size_t>(got);
    const char* newline = std::find(memory->data(), memory->data() + used, '\n');
    line = {memory->data(), newline};
    ended = got == 0 || newline != memory->data() + used;
  }
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) fail(path, "its first line is empty; write the passphrase there");
  if (!ended || line.size() > Passphrase::kLongest)
    fail(path, fmt::format("its first line has more than {} bytes", Passphrase::kLongest));
  return Passphrase(line);
}

std::shared_ptr<const WireKeys> load_keys(const std::string& path) {
  return WireKeys::derive(read_key_file(path).view());
}

}  // namespace texcast::transport
