// local_socket.h — a Unix socket with a name in the file system: bound where nobody else listens, and gone at the end.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/descriptor.h"

namespace texcast::control {

// Listens at a path, for its owner alone (mode 0600). A socket there that nobody listens at any more, as one is left
// behind by a program that was killed, is taken over; at the end the path is removed, unless somebody else has taken it
// since.
class ListeningSocket {
 public:
  // Throws Error{failed}: another program listens there, something else has the name, no such folder, the name is too
  // long.
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

// Throws Error{network}: nobody listens there.
Descriptor connect_to(const std::string& path);

}  // namespace texcast::control
