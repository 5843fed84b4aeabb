#include "base/whole_io.h"

#include <unistd.h>

#include <cerrno>

#include "base/errno_text.h"

namespace texcast {
namespace {

// `write_some(bytes)` returns what write() would.
template <typename WriteSome>
int write_by(const WriteSome& write_some, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write_some(bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return EIO;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

int write_all(int descriptor, Bytes bytes) {
  return write_by([=](Bytes rest) { return ::write(descriptor, rest.data(), rest.size()); }, bytes);
}

int write_all_at(int descriptor, Bytes bytes, int64_t offset) {
  const auto write_some = [&](Bytes rest) {
    const auto done = static_cast<int64_t>(bytes.size() - rest.size());
    return ::pwrite(descriptor, rest.data(), rest.size(), offset + done);
  };
  return write_by(write_some, bytes);
}

Result<size_t> read_all_at(int descriptor, MutableBytes bytes, int64_t offset) {
  size_t have = 0;
  while (have < bytes.size()) {
    const MutableBytes rest = bytes.subspan(have);
    const ssize_t got = ::pread(descriptor, rest.data(), rest.size(), offset + static_cast<int64_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failure{errno_text(errno)};
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  return have;
}

}  // namespace texcast
