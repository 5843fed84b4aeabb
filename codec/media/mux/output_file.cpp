#include "media/output_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <new>
#include <system_error>
#include <utility>

#include "base/ensure.h"
#include "base/whole_io.h"
#include "media/files.h"
#include "media/new_file.h"

namespace texcast::media {
namespace {

constexpr int kBufferBytes = 256 << 10;
// How many bytes are reserved at a time: a quarter of the file between these limits, so that a small file reserves
// little.
constexpr int64_t kSmallestStep = 1 << 20, kLargestStep = 64 << 20;
// If nothing can be reserved, a recording is closed while so many bytes are free, as others may write meanwhile.
constexpr int64_t kLeftFree = 4 << 20;

int64_t size_of(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 ? status.st_size : -1;
}

// RLIMIT_FSIZE: the maximum length of files of this process.
int64_t size_limit() {
  rlimit limit{};
  constexpr auto kMost = std::numeric_limits<int64_t>::max();
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur > static_cast<rlim_t>(kMost)) return kMost;
  return static_cast<int64_t>(limit.rlim_cur);
}

// The free space for this user on the file's file system; a large value if it is not known.
int64_t free_room(int descriptor) {
  struct statvfs status {};
  if (fstatvfs(descriptor, &status) != 0 || status.f_blocks == 0) return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(status.f_bavail) * static_cast<int64_t>(status.f_frsize);
}

bool is_regular(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

OutputFile::OutputFile(std::string path, bool replace) : path_(std::move(path)) {
  NewFile file = create_file(path_, replace);
  descriptor_ = std::move(file.descriptor);
  created_ = file.created;
  is_regular_ = can_reserve_ = is_regular(descriptor());
  open_io(lseek(descriptor(), 0, SEEK_CUR) >= 0);
}

OutputFile::OutputFile(const PipeOutput& pipe)
    : path_(pipe.name), descriptor_(fcntl(pipe.descriptor.get(), F_DUPFD_CLOEXEC, 3)) {
  if (!descriptor_.valid()) throw_cannot_write(path_, errno);
  open_io(false);
}

void OutputFile::open_io(bool seeks) {
  auto* buffer = static_cast<uint8_t*>(av_malloc(kBufferBytes));
  if (buffer) io_ = avio_alloc_context(buffer, kBufferBytes, 1, this, nullptr, write_some, seeks ? seek_to : nullptr);
  if (!io_) {
    av_free(buffer);
    throw std::bad_alloc();
  }
}

OutputFile::~OutputFile() { free_io(); }

void OutputFile::free_io() {
  if (!io_) return;
  av_freep(&io_->buffer);
  avio_context_free(&io_);
}

int OutputFile::write_some(void* self, uint8_t* bytes, int count) {
  auto& file = *static_cast<OutputFile*>(self);
  const int error = write_all(file.descriptor(), {reinterpret_cast<std::byte*>(bytes), static_cast<size_t>(count)});
  if (error == 0) return count;
  file.remember(error);
  return AVERROR(error);
}

int64_t OutputFile::seek_to(void* self, int64_t offset, int whence) {
  const auto& file = *static_cast<OutputFile*>(self);
  if ((whence & AVSEEK_SIZE) != 0) return size_of(file.descriptor());
  const off_t at = lseek(file.descriptor(), offset, whence & ~AVSEEK_FORCE);
  return at < 0 ? AVERROR(errno) : at;
}

int OutputFile::keep_room(int64_t bytes) {
  const int64_t wanted = position() + bytes;
  if (is_regular_ && wanted > size_limit()) return EFBIG;  // reserving with KEEP_SIZE does not check the limit
  if (is_regular_ && !can_reserve_) return free_room(descriptor()) < bytes + kLeftFree ? ENOSPC : 0;
  if (!can_reserve_ || wanted <= room_end_) return 0;
  const auto reserve_to = [&](int64_t end) {
    int result = 0;
    do {
      result = fallocate(descriptor(), FALLOC_FL_KEEP_SIZE, room_end_, end - room_end_) == 0 ? 0 : errno;
    } while (result == EINTR);
    if (result == 0) room_end_ = end;
    return result;
  };
  int error = reserve_to(wanted + std::clamp(wanted / 4, kSmallestStep, kLargestStep));
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) error = reserve_to(wanted);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) return error;
  if (error != 0) can_reserve_ = false;  // this file system cannot do that
  return 0;
}

int OutputFile::flush() {
  avio_flush(io_);
  if (io_->error < 0) remember(AVUNERROR(io_->error));
  return error_;
}

std::optional<std::string> OutputFile::place() const {
  struct stat open_one {
  }, named{};
  if (!is_regular_ || fstat(descriptor(), &open_one) != 0) return path_;
  if (open_one.st_nlink == 0) return std::nullopt;
  if (stat(path_.c_str(), &named) == 0 && named.st_ino == open_one.st_ino && named.st_dev == open_one.st_dev)
    return path_;
  std::error_code error;
  const auto place = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor()), error);
  return error ? path_ : place.string();
}

int64_t OutputFile::close(OnClose how) {
  ENSURE(descriptor_.valid());
  flush();
  const int64_t size = is_regular_ ? std::max<int64_t>(0, size_of(descriptor())) : position();
  if (room_end_ > size && ftruncate(descriptor(), size) != 0) remember(errno);
  if (how == OnClose::sync && is_regular_ && fdatasync(descriptor()) != 0) remember(errno);
  free_io();
  if (const int error = descriptor_.close(); error != 0) remember(error);
  if (error_ != 0) throw_cannot_write(path_, error_);
  return size;
}

}  // namespace texcast::media
