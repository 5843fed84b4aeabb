#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>

#include "stream/v4l2_camera.h"

namespace texcast::stream {
namespace {

class RealSystem final : public V4l2System {
 public:
  int open(const std::string& path) override { return ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC); }
  int control(int fd, unsigned long request, void* argument) override { return ::ioctl(fd, request, argument); }
  std::ptrdiff_t write(int fd, Bytes bytes) override { return ::write(fd, bytes.data(), bytes.size()); }
  bool wait_for_event(int fd, int stop_fd) override {
    std::array<pollfd, 2> fds{
        {{.fd = fd, .events = POLLPRI, .revents = 0}, {.fd = stop_fd, .events = POLLIN, .revents = 0}}};
    while (::poll(fds.data(), fds.size(), -1) < 0) {
    }
    return fds[1].revents == 0;
  }
  void close(int fd) override { ::close(fd); }
};

}  // namespace

V4l2System& real_v4l2_system() {
  static RealSystem system;
  return system;
}

}  // namespace texcast::stream
