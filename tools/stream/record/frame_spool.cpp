#include "stream/frame_spool.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/ensure.h"
#include "base/errno_text.h"
#include "base/file_place.h"
#include "texcast/error.h"

namespace texcast::stream {
namespace {

constexpr int64_t kDiskBlock = 4096;

// File systems without O_TMPFILE have a name for it, for a moment.
Descriptor nameless_file(const std::string& folder) {
  Descriptor file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.valid()) return file;
  std::string name = folder + "/.texcast-XXXXXX";
  file = Descriptor(mkostemp(name.data(), O_CLOEXEC));
  if (file.valid()) unlink(name.c_str());
  return file;
}

}  // namespace

FrameSpool::FrameSpool(std::string file, size_t frame_bytes, int64_t most_bytes)
    : file_(std::move(file)),
      place_bytes_((static_cast<int64_t>(frame_bytes) + kDiskBlock - 1) / kDiskBlock * kDiskBlock),
      most_bytes_(most_bytes),
      oldest_(frame_bytes) {}

bool FrameSpool::open() {
  if (descriptor_.valid() || is_refused_) return descriptor_.valid();
  descriptor_ = nameless_file(folder_of(file_).string());
  is_refused_ = !descriptor_.valid();
  return !is_refused_;
}

bool FrameSpool::has_room() const {
  if ((static_cast<int64_t>(waiting_.size()) + 1) * place_bytes_ > most_bytes_) return false;
  const auto free = free_space(file_);
  return !free || *free >= kLeftFree + place_bytes_;
}

bool FrameSpool::write(Bytes frame, int64_t place) const {
  int64_t at = offset_of(place);
  while (!frame.empty()) {
    const ssize_t written = pwrite(descriptor_.get(), frame.data(), frame.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    frame = frame.subspan(static_cast<size_t>(written));
    at += written;
  }
  return true;
}

bool FrameSpool::push(Bytes frame) {
  ENSURE(frame.size() == oldest_.size());
  if (!has_room() || !open()) return false;
  const bool is_new = free_.empty();
  const int64_t place = is_new ? places_ : free_.back();
  if (!write(frame, place)) return false;
  if (is_new)
    ++places_;
  else
    free_.pop_back();
  waiting_.push_back(place);
  return true;
}

Bytes FrameSpool::pop() {
  ENSURE(!empty());
  const int64_t place = waiting_.front();
  MutableBytes rest = oldest_;
  int64_t at = offset_of(place);
  while (!rest.empty()) {
    const ssize_t taken = pread(descriptor_.get(), rest.data(), rest.size(), at);
    if (taken < 0 && errno == EINTR) continue;
    if (taken <= 0)
      throw Error(ErrorKind::failed, fmt::format("cannot read frames that wait beside '{}': {}", file_,
                                                 taken < 0 ? errno_text(errno) : "the file has become shorter"));
    rest = rest.subspan(static_cast<size_t>(taken));
    at += taken;
  }
  waiting_.pop_front();
  free_.push_back(place);
  fallocate(descriptor_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset_of(place), place_bytes_);
  return oldest_;
}

}  // namespace texcast::stream
