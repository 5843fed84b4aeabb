#include "transport/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/ensure.h"
#include "base/log.h"
#include "texcast/error.h"

namespace texcast::transport {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

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
  const auto reason = [] { return std::generic_category().message(errno); };
  const OpenFile file(path);
  if (file.fd() < 0) fail(path, reason());
  warn_if_others_read(path, file.fd());

  // The mark, the line, CR and LF. No more of the file is read than that.
  Secret<std::array<char, kByteOrderMark.size() + Passphrase::kLongest + 2>> memory;
  size_t used = 0;
  std::string_view line;
  bool ended = false;
  while (!ended && used < memory->size()) {
    const ssize_t got = ::read(file.fd(), memory->data() + used, memory->size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, reason());
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
