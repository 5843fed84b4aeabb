// descriptor.h — a file descriptor that is closed with its owner.
#pragma once

#include <utility>

namespace texcast {

// Moves. Not thread-safe.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}  // below 0: none
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Descriptor taken(std::move(other));
    std::swap(fd_, taken.fd_);
    return *this;
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }  // it is the caller's from now on
  // 0, also where there is none, or the errno with which the system tells of writes that have failed. It is closed
  // either way.
  int close();

 private:
  int fd_ = -1;
};

}  // namespace texcast
