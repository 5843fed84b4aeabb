// socket_handle.h — a file descriptor that closes itself, errno as text, addresses from the OS and to it. Only for the
// files that talk to the OS.
#pragma once

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "transport/address.h"

// The options with which the kernel cuts and joins trains of datagrams, also where the system's headers are older.
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103  // linux/udp.h, since 4.18
#endif
#ifndef UDP_GRO
#define UDP_GRO 104  // since 5.0
#endif

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

// Of a sockaddr_in or sockaddr_in6; unknown of anything else.
PeerAddress peer_address(const sockaddr_storage& from);
// The same for a socket of this family, and how long it is; 0 where such a socket cannot reach it.
socklen_t socket_address(const PeerAddress& peer, int family, sockaddr_storage& to);

}  // namespace texcast::transport
