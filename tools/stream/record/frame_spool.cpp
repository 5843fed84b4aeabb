#include "stream/frame_spool.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "base/ensure.h"
#include "base/file_place.h"
#include "base/whole_io.h"
#include "texcast/error.h"

namespace texcast::stream {
namespace {

constexpr int64_t kDiskBlock = 4096;

// On file systems without O_TMPFILE the file has a name for a moment.
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

bool FrameSpool::push(Bytes frame) {
  ENSURE(frame.size() == oldest_.size());
  if (!has_room() || !open()) return false;
  const bool is_new = free_.empty();
  const int64_t place = is_new ? places_ : free_.back();
  if (write_all_at(descriptor_.get(), frame, offset_of(place)) != 0) return false;
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
  const auto taken = read_all_at(descriptor_.get(), oldest_, offset_of(place));
  if (!taken || *taken < oldest_.size())
    throw Error(ErrorKind::failed, fmt::format("cannot read spooled frames beside '{}': {}", file_,
                                               taken ? "the file was truncated" : taken.error().message));
  waiting_.pop_front();
  free_.push_back(place);
  fallocate(descriptor_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset_of(place), place_bytes_);
  return oldest_;
}

}  // namespace texcast::stream
