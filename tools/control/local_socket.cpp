#include "local_socket.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/errno_text.h"
#include "base/file_place.h"
#include "texcast/error.h"

namespace texcast::control {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr int kWaitingClients = 16;

[[noreturn]] void cannot_listen(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::failed, fmt::format("cannot listen at '{}' (--control): {}", path, why));
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    throw Error(ErrorKind::usage,
                fmt::format("invalid socket path '{}'; give 1 to {} bytes", path, sizeof address.sun_path - 1));
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Descriptor local_socket(int more_flags) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | more_flags, 0));
  if (!socket.valid()) throw Error(ErrorKind::failed, fmt::format("cannot create a socket: {}", errno_text(errno)));
  return socket;
}

// Returns 0, or the errno of connect().
int try_connect(const Descriptor& socket, const sockaddr_un& address) {
  return connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

// Locks the directory, so that of two programs that start at once the second finds the first one listening. If it
// cannot be locked within 0.5 s it is used without the lock.
Descriptor locked_folder(const std::string& path) {
  Descriptor folder(open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int tries = 0; tries < 50 && folder.valid() && flock(folder.get(), LOCK_EX | LOCK_NB) != 0; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return folder;
}

// Removes a stale socket. Throws if the path cannot be used.
void clear_name(const std::string& path, const sockaddr_un& address) {
  struct stat there {};
  if (lstat(path.c_str(), &there) != 0) return;
  if (!S_ISSOCK(there.st_mode)) cannot_listen(path, "a file of that name exists and is not a socket");
  const int met = try_connect(local_socket(SOCK_NONBLOCK), address);
  if (met == 0 || met == EAGAIN) cannot_listen(path, "another program listens there");
  if (met != ECONNREFUSED) cannot_listen(path, errno_text(met));
  if (unlink(path.c_str()) != 0) cannot_listen(path, errno_text(errno));
}

}  // namespace

ListeningSocket::ListeningSocket(const std::string& path) : path_(path), socket_(local_socket(SOCK_NONBLOCK)) {
  const sockaddr_un address = address_of(path);
  const Descriptor folder = locked_folder(path);
  clear_name(path, address);
  if (bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    cannot_listen(path, errno_text(errno));
  // No client can connect before listen().
  struct stat made {};
  if (chmod(path.c_str(), kOwnerOnly) != 0 || lstat(path.c_str(), &made) != 0 ||
      listen(socket_.get(), kWaitingClients) != 0) {
    const int met = errno;
    unlink(path.c_str());
    cannot_listen(path, errno_text(met));
  }
  device_ = made.st_dev;
  inode_ = made.st_ino;
}

ListeningSocket::~ListeningSocket() {
  struct stat there {};
  if (lstat(path_.c_str(), &there) == 0 && there.st_dev == device_ && there.st_ino == inode_) unlink(path_.c_str());
}

Descriptor connect_to(const std::string& path) {
  const sockaddr_un address = address_of(path);
  Descriptor socket = local_socket(0);
  if (const int met = try_connect(socket, address); met != 0)
    throw Error(ErrorKind::network, fmt::format("no program listens at '{}' ({}); start one with --control {}", path,
                                                errno_text(met), path));
  return socket;
}

}  // namespace texcast::control
