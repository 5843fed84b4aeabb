#include "descriptor_input.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/errno_text.h"
#include "base/poll_until.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

constexpr int kPipeBytes = 64 * 1024;  // as much as a pipe holds
constexpr nanoseconds kLookEvery = std::chrono::milliseconds(100);

}  // namespace

void DescriptorInput::FreeContext::operator()(AVIOContext* context) const {
  av_freep(&context->buffer);  // FFmpeg may have replaced it
  avio_context_free(&context);
}

DescriptorInput::DescriptorInput(const InputSpec& spec, std::function<bool()> stopped)
    : fd_(spec.descriptor.value_or(-1)), stopped_(std::move(stopped)) {
  if (!spec.descriptor) {
    // Without O_NONBLOCK the call would wait until somebody writes.
    owned_ = Descriptor(open(spec.shown.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    fd_ = owned_.get();
    if (fd_ < 0) throw Error(ErrorKind::input, fmt::format("cannot open '{}': {}", spec.shown, errno_text(errno)));
  }
  struct stat about = {};
  if (fstat(fd_, &about) != 0)
    throw Error(ErrorKind::input, fmt::format("cannot read '{}': {}", spec.shown, errno_text(errno)));
  if (isatty(fd_) == 1)
    throw Error(ErrorKind::usage,
                fmt::format("'{}' is a terminal: write a video into it, as `ffmpeg -i clip.mp4 -f nut "
                            "- | texcast …`, or name a file",
                            spec.shown));
  can_seek_ = S_ISREG(about.st_mode) && lseek(fd_, 0, SEEK_CUR) >= 0;
  auto* buffer = static_cast<unsigned char*>(av_malloc(kPipeBytes));
  if (buffer == nullptr) throw std::bad_alloc();
  context_.reset(avio_alloc_context(buffer, kPipeBytes, 0, this, read, nullptr, can_seek_ ? seek : nullptr));
  if (!context_) {
    av_free(buffer);
    throw std::bad_alloc();
  }
}

DescriptorInput::~DescriptorInput() = default;

int DescriptorInput::read(void* self, uint8_t* to, int size) {
  return static_cast<DescriptorInput*>(self)->read_some(to, size);
}

int DescriptorInput::read_some(uint8_t* to, int size) {
  for (;;) {
    if (stopped_()) return AVERROR_EXIT;
    std::array<pollfd, 1> waiting = {{{.fd = fd_, .events = POLLIN, .revents = 0}}};
    if (poll_until(waiting, steady_now() + kLookEvery) <= 0) continue;
    const ssize_t count = ::read(fd_, to, static_cast<size_t>(size));
    if (count > 0) {
      bytes_ += count;
      return static_cast<int>(count);
    }
    if (count == 0) return AVERROR_EOF;
    if (errno != EINTR && errno != EAGAIN) return AVERROR(errno);
  }
}

int64_t DescriptorInput::seek(void* self, int64_t offset, int whence) {
  const int fd = static_cast<DescriptorInput*>(self)->fd_;
  if ((whence & AVSEEK_SIZE) != 0) {
    struct stat about = {};
    return fstat(fd, &about) == 0 ? about.st_size : AVERROR(errno);
  }
  const off_t place = lseek(fd, offset, whence & ~AVSEEK_FORCE);
  return place >= 0 ? place : AVERROR(errno);
}

}  // namespace texcast::media
