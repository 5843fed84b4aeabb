// socket_handle.h — a file descriptor that closes itself, and errno as text. Only for the files that talk to the OS.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace texcast::transport {

class SocketHandle {
 public:
  explicit SocketHandle(int fd = -1) : fd_(fd) {}
  ~SocketHandle() {
    if (fd_ >= 0) ::close(fd_);
  }
  SocketHandle(SocketHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  SocketHandle& operator=(SocketHandle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

inline std::string errno_text(int error) { return std::generic_category().message(error); }

}  // namespace texcast::transport
