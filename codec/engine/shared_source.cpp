#include "shared_source.h"

#include "base/ensure.h"

namespace texcast {
namespace {

// Not invalidating, as a decoder may still predict from the frame.
constexpr cl_map_flags kForHost = CL_MAP_READ | CL_MAP_WRITE;

}  // namespace

SharedSource::SharedSource(const cl::Context& context, const cl::CommandQueue& queue, const FrameLease& frame,
                           size_t bytes)
    : queue_(queue),
      bytes_(bytes),
      buffer_(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, frame.data()),
      host_(queue.enqueueMapBuffer(buffer_, CL_TRUE, kForHost, 0, bytes)) {
  ENSURE(host_ == frame.data());  // OpenCL 1.2, clEnqueueMapBuffer: derived from host_ptr
}

SharedSource::~SharedSource() {
  if (uses_ > 0) return;  // the device has it: not mapped
  try {
    queue_.enqueueUnmapMemObject(buffer_, host_);  // PoCL never frees a mapped buffer
    queue_.finish();
  } catch (const cl::Error&) {
    // the device is lost, and there is nothing to release
  }
}

const std::vector<cl::Event>& SharedSource::to_device() {
  if (uses_++ == 0) queue_.enqueueUnmapMemObject(buffer_, host_, nullptr, &unmapped_[0]);
  return unmapped_;
}

void SharedSource::to_host() {
  if (--uses_ == 0) host_ = queue_.enqueueMapBuffer(buffer_, CL_TRUE, kForHost, 0, bytes_);
}

SharedSource& SharedSources::of(const FrameLease& frame) {
  if (frame.index() >= by_index_.size()) by_index_.resize(frame.index() + 1);
  auto& source = by_index_[frame.index()];
  if (!source) source = std::make_unique<SharedSource>(context_, queue_, frame, bytes_);
  return *source;
}

}  // namespace texcast
