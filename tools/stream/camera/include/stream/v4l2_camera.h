// v4l2_camera.h — a camera by the kernel module v4l2loopback, for programs that take only /dev/videoN.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "stream/camera.h"

namespace texcast::stream {

// The system calls on the device, which a test replaces.
class V4l2System {
 public:
  virtual ~V4l2System() = default;
  // As open(), ioctl() and write(): negative results, with errno, are failures.
  virtual int open(const std::string& path) = 0;
  virtual int control(int fd, unsigned long request, void* argument) = 0;
  virtual std::ptrdiff_t write(int fd, Bytes bytes) = 0;
  // Waits until the device has an event or `stop_fd` is readable; false: the latter.
  virtual bool wait_for_event(int fd, int stop_fd) = 0;
  virtual void close(int fd) = 0;
};
V4l2System& real_v4l2_system();

// `path`: /dev/videoN of v4l2loopback. `system` must outlive it. Throws Error{input} if it is not there, or not a
// device to which pictures can be written, with what to do.
std::unique_ptr<Camera> make_v4l2_camera(const std::string& path, V4l2System& system = real_v4l2_system());

}  // namespace texcast::stream
