#include "frame_slot.h"

#include <utility>

#include "ocl/profile.h"

namespace texcast {

FrameSlot::FrameSlot(const ocl::Device& device, FrameQueues queues, size_t source_bytes, size_t texture_bytes)
    : queues_(std::move(queues)),
      shared_(device.info().shares_host_memory),
      source_bytes_(source_bytes),
      texture_bytes_(texture_bytes),
      blocks_pinned_(device.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, texture_bytes) {
  if (shared_) {
    blocks_ = blocks_pinned_;
    return;
  }
  source_ = cl::Buffer(device.context(), CL_MEM_READ_ONLY, source_bytes);
  blocks_ = cl::Buffer(device.context(), CL_MEM_READ_WRITE, texture_bytes);
  blocks_host_ = static_cast<std::byte*>(
      queues_.download.enqueueMapBuffer(blocks_pinned_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, texture_bytes));
}

FrameSlot::~FrameSlot() {
  try {
    if (blocks_host_ != nullptr) queues_.download.enqueueUnmapMemObject(blocks_pinned_, blocks_host_);
    queues_.upload.finish();
    queues_.compute.finish();
    queues_.download.finish();
  } catch (const cl::Error&) {
    // the device is lost: nothing is left to give back
  }
}

void FrameSlot::start(stages::Stage& stage, FrameLease frame, SharedSources* shared) {
  frame_ = std::move(frame);
  if (shared_)
    start_shared(stage, shared->of(frame_));
  else
    start_with_transfers(stage);
}

void FrameSlot::start_shared(stages::Stage& stage, SharedSource& source) {
  shared_source_ = &source;
  uploaded_ = source.to_device();
  queues_.upload.flush();
  encoded_[0] = stage.enqueue(queues_.compute, source.buffer(), blocks_, uploaded_);
  queues_.compute.flush();
  blocks_host_ = static_cast<std::byte*>(
      queues_.download.enqueueMapBuffer(blocks_, CL_FALSE, CL_MAP_READ, 0, texture_bytes_, &encoded_, &downloaded_));
  queues_.download.flush();
}

void FrameSlot::start_with_transfers(stages::Stage& stage) {
  queues_.upload.enqueueWriteBuffer(source_, CL_FALSE, 0, source_bytes_, frame_.data(), nullptr, &uploaded_[0]);
  queues_.upload.flush();
  encoded_[0] = stage.enqueue(queues_.compute, source_, blocks_, uploaded_);
  queues_.compute.flush();
  queues_.download.enqueueReadBuffer(blocks_, CL_FALSE, 0, texture_bytes_, blocks_host_, &encoded_, &downloaded_);
  queues_.download.flush();
}

bool FrameSlot::finished() const {
  const auto status = downloaded_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
  return status <= CL_COMPLETE;  // negative: it failed, which wait() reports
}

Bytes FrameSlot::wait() {
  downloaded_.wait();
  if (shared_source_ != nullptr) std::exchange(shared_source_, nullptr)->to_host();
  frame_ = {};
  return {blocks_host_, texture_bytes_};
}

void FrameSlot::recycle() {
  if (!shared_ || blocks_host_ == nullptr) return;
  queues_.compute.enqueueUnmapMemObject(blocks_pinned_, blocks_host_);  // before the next kernel writes there
  blocks_host_ = nullptr;
}

StageTimes FrameSlot::stage_times() const {
  return {.stage_in = stage_in,
          .upload = ocl::duration(uploaded_[0]),
          .kernel = ocl::duration(encoded_[0]),
          .download = ocl::duration(downloaded_)};
}

}  // namespace texcast
