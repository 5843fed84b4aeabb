#include "farm/content_id.h"

#include <fmt/core.h>
#include <sodium.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <vector>

#include "base/ensure.h"
#include "base/errno_text.h"
#include "base/regular_file.h"
#include "base/whole_io.h"
#include "texcast/error.h"

namespace texcast::farm {
namespace {

using State = crypto_hash_sha256_state;
constexpr size_t kHashedBytes = 1 << 20;

void begin(State& state) {
  static const int ready = sodium_init();  // selects the fastest implementation for this processor
  ENSURE(ready >= 0);
  crypto_hash_sha256_init(&state);
}

void update(State& state, std::string_view bytes) {
  crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::string hex_of(State state) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256_final(&state, hash.data());
  std::array<char, 2 * crypto_hash_sha256_BYTES + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
  return hex.data();
}

[[noreturn]] void cannot_read(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("cannot read '{}': {}", path, why));
}

}  // namespace

ContentId& ContentId::add(std::string_view name, std::string_view value) {
  fields_ += fmt::format("{}:{}{}:{}", name.size(), name, value.size(), value);
  return *this;
}

std::string ContentId::hex() const {
  State state;
  begin(state);
  update(state, fields_);
  return hex_of(state);
}

FileStamp stamp_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) cannot_read(path, errno_text(errno));
  if (!S_ISREG(status.st_mode)) cannot_read(path, "it is not a regular file");
  return {.device = status.st_dev,
          .number = status.st_ino,
          .bytes = status.st_size,
          .changed_s = status.st_mtim.tv_sec,
          .changed_ns = status.st_mtim.tv_nsec};
}

std::string FileHashes::hash(const std::string& path) {
  const FileStamp stamp = stamp_of(path);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(stamp); found != known_.end()) return found->second;
  }
  const auto file = open_regular_file(path);
  if (!file) cannot_read(path, file.error().message);
  State state;
  begin(state);
  std::vector<std::byte> piece(kHashedBytes);
  for (int64_t at = 0;;) {
    if (stop_ != nullptr && stop_->load())
      throw Error(ErrorKind::failed, fmt::format("stopped while reading '{}'", path));
    const auto read = read_all_at(file->descriptor.get(), piece, at);
    if (!read) cannot_read(path, read.error().message);
    update(state, {reinterpret_cast<const char*>(piece.data()), *read});
    at += static_cast<int64_t>(*read);
    if (*read < piece.size()) break;
  }
  if (stamp_of(path) != stamp) cannot_read(path, "it changes while it is read; begin again when it is complete");
  std::string hex = hex_of(state);
  const std::lock_guard lock(mutex_);
  return known_.emplace(stamp, std::move(hex)).first->second;
}

}  // namespace texcast::farm
