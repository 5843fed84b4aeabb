// content_id.h — hashes of files, and of all that decides the bytes of an output (SHA-256, FIPS 180-4).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace texcast::farm {

// The hash of a list of named texts. The same names and values in the same order give the same 64 hex digits; their
// lengths are hashed with them, so that no two lists share the hashed bytes. Not thread-safe; may be copied to go on in
// two ways.
class ContentId {
 public:
  ContentId& add(std::string_view name, std::string_view value);
  std::string hex() const;

 private:
  std::string fields_;
};

// Which version of a file was read: it changes with the file.
struct FileStamp {
  uint64_t device = 0, number = 0;  // inode
  int64_t bytes = 0;
  int64_t changed_s = 0, changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
  bool operator<(const FileStamp& other) const {
    return std::tie(device, number, bytes, changed_s, changed_ns) <
           std::tie(other.device, other.number, other.bytes, other.changed_s, other.changed_ns);
  }
};
// Throws Error{input} if the path is not a regular file.
FileStamp stamp_of(const std::string& path);

// A file's hash, and what its stamp said when it was made, on this machine or another.
struct KnownFile {
  std::string hash;  // 64 hex digits
  int64_t bytes = 0;
  int64_t changed_s = 0, changed_ns = 0;
  bool operator==(const KnownFile&) const = default;
};

// The hash of the size and of at most 256 pieces of 64 KiB, at even distances: 64 hex digits. Tells files apart that
// were not made to have the same, without reading all of a film. Throws Error{input} if the file cannot be read.
std::string sample_hash(const std::string& path);

// Hashes of files' contents. A file that has not changed is read once. Thread-safe.
class FileHashes {
 public:
  // `stop`: set it to end early, from any thread; null: never. It must outlive the object.
  explicit FileHashes(const std::atomic<bool>* stop = nullptr) : stop_(stop) {}
  // 64 hex digits. Throws Error{input} if the file cannot be read or changes meanwhile, Error{failed} after `stop`.
  std::string hash(const std::string& path);

  // hash() does not read the file if its size and time are those of `file`. Throws as stamp_of().
  void know(const std::string& path, const KnownFile& file);
  // Nothing if hash() would read the file. Throws as stamp_of().
  std::optional<KnownFile> known(const std::string& path);

 private:
  const std::atomic<bool>* const stop_;
  std::mutex mutex_;
  std::map<FileStamp, std::string> known_;
};

}  // namespace texcast::farm
