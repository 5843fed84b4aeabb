#include "frame_slot.h"

#include "ocl/profile.h"

namespace texcast {
namespace {

std::byte* map(const cl::CommandQueue& queue, const cl::Buffer& buffer, cl_map_flags flags, size_t bytes) {
  return static_cast<std::byte*>(queue.enqueueMapBuffer(buffer, CL_TRUE, flags, 0, bytes));
}

}  // namespace

FrameSlot::FrameSlot(const ocl::Device& device, const FrameQueues& queues, size_t source_bytes, size_t texture_bytes)
    : queues_(queues),
      shared_(device.info().shares_host_memory),
      source_bytes_(source_bytes),
      texture_bytes_(texture_bytes),
      source_pinned_(device.context(), CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, source_bytes),
      blocks_pinned_(device.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, texture_bytes) {
  if (shared_) {
    source_device_ = source_pinned_;
    blocks_device_ = blocks_pinned_;
  } else {
    source_device_ = cl::Buffer(device.context(), CL_MEM_READ_ONLY, source_bytes);
    blocks_device_ = cl::Buffer(device.context(), CL_MEM_READ_WRITE, texture_bytes);
    blocks_host_ = map(queues_.download, blocks_pinned_, CL_MAP_READ | CL_MAP_WRITE, texture_bytes);
  }
  map_source();
}

FrameSlot::~FrameSlot() {
  try {
    if (source_host_ != nullptr) queues_.upload.enqueueUnmapMemObject(source_pinned_, source_host_);
    if (blocks_host_ != nullptr) queues_.download.enqueueUnmapMemObject(blocks_pinned_, blocks_host_);
    queues_.upload.finish();
    queues_.compute.finish();
    queues_.download.finish();
  } catch (const cl::Error&) {
    // the device is lost: nothing is left to give back
  }
}

// Nothing of the frame before is wanted. Where memory is not shared the mapping lasts as long as the slot.
void FrameSlot::map_source() {
  source_host_ =
      map(queues_.upload, source_pinned_, shared_ ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_WRITE, source_bytes_);
}

void FrameSlot::start(stages::Stage& stage) {
  if (shared_)
    queues_.upload.enqueueUnmapMemObject(source_pinned_, source_host_, nullptr, &uploaded_[0]);
  else
    queues_.upload.enqueueWriteBuffer(source_device_, CL_FALSE, 0, source_bytes_, source_host_, nullptr, &uploaded_[0]);
  queues_.upload.flush();
  if (shared_) source_host_ = nullptr;

  encoded_[0] = stage.enqueue(queues_.compute, source_device_, blocks_device_, uploaded_);
  queues_.compute.flush();

  if (shared_)
    blocks_host_ = static_cast<std::byte*>(queues_.download.enqueueMapBuffer(blocks_device_, CL_FALSE, CL_MAP_READ, 0,
                                                                             texture_bytes_, &encoded_, &downloaded_));
  else
    queues_.download.enqueueReadBuffer(blocks_device_, CL_FALSE, 0, texture_bytes_, blocks_host_, &encoded_,
                                       &downloaded_);
  queues_.download.flush();
}

bool FrameSlot::finished() const {
  const auto status = downloaded_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
  return status <= CL_COMPLETE;  // negative: it failed, which wait() reports
}

Bytes FrameSlot::wait() {
  downloaded_.wait();
  return {blocks_host_, texture_bytes_};
}

void FrameSlot::recycle() {
  if (!shared_) return;
  if (blocks_host_ != nullptr) queues_.download.enqueueUnmapMemObject(blocks_pinned_, blocks_host_);
  blocks_host_ = nullptr;
  if (source_host_ == nullptr) map_source();
}

StageTimes FrameSlot::stage_times() const {
  return {.stage_in = stage_in,
          .upload = ocl::duration(uploaded_[0]),
          .kernel = ocl::duration(encoded_[0]),
          .download = ocl::duration(downloaded_)};
}

}  // namespace texcast
