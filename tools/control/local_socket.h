// local_socket.h — a Unix socket with a path in the file system, which is removed at the end.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/descriptor.h"

namespace texcast::control {

// Listens at a path, for its owner only (mode 0600). A stale socket at that path, as a killed program leaves it, is
// replaced. The destructor removes the path, unless another program has replaced it.
class ListeningSocket {
 public:
  // Throws Error{failed} if another program listens there, another file has that name, or the directory does not exist;
  // Error{usage} if the path is too long.
  explicit ListeningSocket(const std::string& path);
  ~ListeningSocket();
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;
  int fd() const { return socket_.get(); }

 private:
  std::string path_;
  Descriptor socket_;
  dev_t device_{};
  ino_t inode_{};
};

// Throws Error{network} if no program listens there.
Descriptor connect_to(const std::string& path);

}  // namespace texcast::control
