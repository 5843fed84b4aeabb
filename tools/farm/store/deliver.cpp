// deliver.cpp — deliver() of farm/store.h.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errno_text.h"
#include "base/file_place.h"
#include "base/regular_file.h"
#include "base/whole_io.h"
#include "farm/store.h"
#include "media/new_file.h"
#include "texcast/error.h"

namespace texcast::farm {
namespace {

namespace fs = std::filesystem;

constexpr size_t kCopiedBytes = 1 << 20;

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw Error(ErrorKind::failed, fmt::format("cannot write '{}': {}", path, errno_text(error)));
}

RegularFile opened(const std::string& path) {
  auto file = open_regular_file(path);
  if (!file) throw Error(ErrorKind::input, fmt::format("cannot read '{}': {}", path, file.error().message));
  return std::move(*file);
}

// The bytes at `at`, as many as `piece` has place for, or fewer at the end.
std::span<std::byte> read_piece(const RegularFile& file, std::vector<std::byte>& piece, int64_t at,
                                const std::string& path) {
  const auto bytes = read_all_at(file.descriptor.get(), piece, at);
  if (!bytes) throw Error(ErrorKind::input, fmt::format("cannot read '{}': {}", path, bytes.error().message));
  return std::span(piece).first(*bytes);
}

void copy(const std::string& from, const std::string& to) {
  const RegularFile source = opened(from);
  Descriptor target(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!target.valid()) cannot_write(to, errno);
  std::vector<std::byte> piece(kCopiedBytes);
  for (int64_t at = 0;;) {
    const auto bytes = read_piece(source, piece, at, from);
    if (const int error = write_all(target.get(), bytes)) cannot_write(to, error);
    at += static_cast<int64_t>(bytes.size());
    if (bytes.size() < piece.size()) break;
  }
  if (fsync(target.get()) != 0) cannot_write(to, errno);
  if (const int error = target.close()) cannot_write(to, error);
}

// A name beside the output, for a moment.
class Beside {
 public:
  explicit Beside(const std::string& output) {
    static std::atomic<uint64_t> next = 0;
    path_ = folder_of(output) / fmt::format(".{}.{}-{}.part", fs::path(output).filename().string(), getpid(), next++);
  }
  ~Beside() { unlink(path_.c_str()); }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Under a name that is free. Returns 0 or an errno: EEXIST if it is not.
int name_new(const std::string& stored, const std::string& output) {
  if (link(stored.c_str(), output.c_str()) == 0) return 0;
  if (errno == EEXIST) return EEXIST;
  const Beside whole(output);  // another file system, or one without links
  copy(stored, whole.path());
  if (link(whole.path().c_str(), output.c_str()) == 0) return 0;
  if (errno == EEXIST || fs::exists(fs::symlink_status(output))) return EEXIST;
  return rename(whole.path().c_str(), output.c_str()) == 0 ? 0 : errno;
}

void replace(const std::string& stored, const std::string& output) {
  const Beside whole(output);
  if (link(stored.c_str(), whole.path().c_str()) != 0) copy(stored, whole.path());
  if (rename(whole.path().c_str(), output.c_str()) != 0) cannot_write(output, errno);
}

bool has_content(const std::string& output, const std::string& stored) {
  std::error_code ignored;
  return fs::is_regular_file(output, ignored) && same_content(stored, output);
}

}  // namespace

bool same_content(const std::string& one, const std::string& other) {
  std::error_code ignored;
  if (fs::equivalent(one, other, ignored)) return true;
  const RegularFile a = opened(one), b = opened(other);
  if (a.bytes != b.bytes) return false;
  std::vector<std::byte> of_a(kCopiedBytes), of_b(kCopiedBytes);
  for (int64_t at = 0;;) {
    const auto x = read_piece(a, of_a, at, one), y = read_piece(b, of_b, at, other);
    if (!std::ranges::equal(x, y)) return false;
    if (x.size() < kCopiedBytes) return true;
    at += static_cast<int64_t>(x.size());
  }
}

std::string deliver(const std::string& stored, const std::string& output, IfExists rule) {
  std::error_code error;
  fs::create_directories(folder_of(output), error);
  if (error) throw Error(ErrorKind::failed, fmt::format("cannot make the folder of '{}': {}", output, error.message()));
  if (has_content(output, stored)) return output;
  if (rule == IfExists::overwrite) return replace(stored, output), output;
  return media::under_free_name(output, rule, [&](const std::string& name, size_t) {
    const int failure = name_new(stored, name);
    if (failure == EEXIST) media::throw_name_taken(name);
    if (failure != 0) cannot_write(name, failure);
    return name;
  });
}

}  // namespace texcast::farm
