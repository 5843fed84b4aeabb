// shared_source.h — frames of a pool as buffers of a device that shares the host's memory: nothing moves.
//
// Between its frames a buffer is mapped for the host, which writes and reads there; for each use it goes to the device
// and back. The host may go on reading meanwhile (a decoder predicts from what it has shown): nobody writes then.
#pragma once

#include <memory>
#include <vector>

#include "ocl/device.h"
#include "texcast/frame_pool.h"

namespace texcast {

class SharedSource {
 public:
  // The frame holds what the host wrote. Its memory must outlive the buffer. `queue`: in order, for going there and
  // back.
  SharedSource(const cl::Context& context, const cl::CommandQueue& queue, const FrameLease& frame, size_t bytes);
  ~SharedSource();
  SharedSource(const SharedSource&) = delete;
  SharedSource& operator=(const SharedSource&) = delete;
  const cl::Buffer& buffer() const { return buffer_; }

  // The device may read after these events. One frame may be under way several times at once.
  const std::vector<cl::Event>& to_device();
  // One use is over. Waits, after the last one, for the host to have the frame back.
  void to_host();

 private:
  cl::CommandQueue queue_;
  size_t bytes_;
  cl::Buffer buffer_;
  void* host_;
  int uses_ = 0;
  std::vector<cl::Event> unmapped_{1};
};

// The buffers of one pool's frames, made when a frame is first seen.
class SharedSources {
 public:
  SharedSources(cl::Context context, cl::CommandQueue queue, size_t bytes)
      : context_(std::move(context)), queue_(std::move(queue)), bytes_(bytes) {}
  SharedSource& of(const FrameLease& frame);

 private:
  cl::Context context_;
  cl::CommandQueue queue_;
  size_t bytes_;
  std::vector<std::unique_ptr<SharedSource>> by_index_;
};

}  // namespace texcast
