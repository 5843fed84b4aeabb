// shared_source.h — frames of a pool as buffers of a device that shares the host's memory, without copying.
//
// While it is not used, a buffer is mapped for the host, which writes and reads it; for each use it is handed to the
// device and back. The host may go on reading meanwhile (a decoder predicts from frames that it has output), as nobody
// writes then.
#pragma once

#include <memory>
#include <vector>

#include "ocl/device.h"
#include "texcast/frame_pool.h"

namespace texcast {

class SharedSource {
 public:
  // The frame holds what the host wrote. Its memory must outlive the buffer. `queue`: in order; it hands the buffer
  // over and back.
  SharedSource(const cl::Context& context, const cl::CommandQueue& queue, const FrameLease& frame, size_t bytes);
  ~SharedSource();
  SharedSource(const SharedSource&) = delete;
  SharedSource& operator=(const SharedSource&) = delete;
  const cl::Buffer& buffer() const { return buffer_; }

  // The device may read after these events. A frame may be used several times at once.
  const std::vector<cl::Event>& to_device();
  // Ends one use. After the last one, waits for the host to have the frame back.
  void to_host();

 private:
  cl::CommandQueue queue_;
  size_t bytes_;
  cl::Buffer buffer_;
  void* host_;
  int uses_ = 0;
  std::vector<cl::Event> unmapped_{1};
};

// The buffers of a pool's frames, created when a frame is first used.
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
