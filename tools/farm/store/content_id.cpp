#include "farm/content_id.h"

#include <fmt/core.h>
#include <nettle/sha2.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <vector>

#include "base/errno_text.h"
#include "base/regular_file.h"
#include "base/whole_io.h"
#include "texcast/error.h"

namespace texcast::farm {
namespace {

constexpr size_t kHashedBytes = 1 << 20;
constexpr int64_t kSamples = 256;
constexpr size_t kSampleBytes = 64 << 10;

// Nettle's, which uses the SHA instructions of a processor that has them.
class Sha256 {
 public:
  Sha256() { sha256_init(&state_); }
  void update(const void* bytes, size_t count) {
    sha256_update(&state_, count, static_cast<const unsigned char*>(bytes));
  }
  // Lower-case digits. The last call.
  std::string hex() {
    std::array<unsigned char, SHA256_DIGEST_SIZE> hash{};
    sha256_digest(&state_, hash.size(), hash.data());
    std::string digits;
    for (const unsigned char byte : hash) digits += fmt::format("{:02x}", byte);
    return digits;
  }

 private:
  sha256_ctx state_{};
};

[[noreturn]] void cannot_read(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("cannot read '{}': {}", path, why));
}

// Fewer bytes than `piece` has at the end of the file.
size_t read_at(const RegularFile& file, const std::string& path, std::span<std::byte> piece, int64_t at) {
  const auto read = read_all_at(file.descriptor.get(), piece, at);
  if (!read) cannot_read(path, read.error().message);
  return *read;
}

}  // namespace

ContentId& ContentId::add(std::string_view name, std::string_view value) {
  fields_ += fmt::format("{}:{}{}:{}", name.size(), name, value.size(), value);
  return *this;
}

std::string ContentId::hex() const {
  Sha256 hash;
  hash.update(fields_.data(), fields_.size());
  return hash.hex();
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

void FileHashes::know(const std::string& path, const KnownFile& file) {
  const FileStamp stamp = stamp_of(path);
  if (stamp.bytes != file.bytes || stamp.changed_s != file.changed_s || stamp.changed_ns != file.changed_ns) return;
  const std::lock_guard lock(mutex_);
  known_.emplace(stamp, file.hash);
}

std::optional<KnownFile> FileHashes::known(const std::string& path) {
  const FileStamp stamp = stamp_of(path);
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(stamp);
  if (found == known_.end()) return std::nullopt;
  return KnownFile{
      .hash = found->second, .bytes = stamp.bytes, .changed_s = stamp.changed_s, .changed_ns = stamp.changed_ns};
}

std::string FileHashes::hash(const std::string& path) {
  const FileStamp stamp = stamp_of(path);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(stamp); found != known_.end()) return found->second;
  }
  const auto file = open_regular_file(path);
  if (!file) cannot_read(path, file.error().message);
  Sha256 hash;
  std::vector<std::byte> piece(kHashedBytes);
  for (int64_t at = 0;;) {
    if (stop_ != nullptr && stop_->load())
      throw Error(ErrorKind::failed, fmt::format("stopped while reading '{}'", path));
    const size_t read = read_at(*file, path, piece, at);
    hash.update(piece.data(), read);
    at += static_cast<int64_t>(read);
    if (read < piece.size()) break;
  }
  if (stamp_of(path) != stamp) cannot_read(path, "it changes while it is read; begin again when it is complete");
  std::string hex = hash.hex();
  const std::lock_guard lock(mutex_);
  return known_.emplace(stamp, std::move(hex)).first->second;
}

std::string sample_hash(const std::string& path) {
  const int64_t bytes = stamp_of(path).bytes;
  const auto file = open_regular_file(path);
  if (!file) cannot_read(path, file.error().message);
  Sha256 hash;
  const std::string size = fmt::format("{} bytes:", bytes);
  hash.update(size.data(), size.size());
  std::vector<std::byte> piece(kSampleBytes);
  const int64_t last = std::max<int64_t>(bytes - static_cast<int64_t>(kSampleBytes), 0);
  const int64_t samples = std::min(kSamples, bytes / static_cast<int64_t>(kSampleBytes) + 1);
  for (int64_t n = 0; n < samples; ++n)
    hash.update(piece.data(), read_at(*file, path, piece, n + 1 < samples ? last / (samples - 1) * n : last));
  return hash.hex();
}

}  // namespace texcast::farm
