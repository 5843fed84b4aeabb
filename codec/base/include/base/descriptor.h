// descriptor.h — a file descriptor that its owner closes.
#pragma once

#include <utility>

namespace texcast {

// Movable. Not thread-safe.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}  // negative: none
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Descriptor taken(std::move(other));
    std::swap(fd_, taken.fd_);
    return *this;
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }  // the caller owns the descriptor from now on
  // Returns 0, also if there is no descriptor, or the errno by which the system reports writes that failed. The
  // descriptor is closed either way.
  int close();

 private:
  int fd_ = -1;
};

}  // namespace texcast
