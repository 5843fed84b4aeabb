#include "frame_slot.h"

#include <utility>

#include "ocl/profile.h"

namespace texcast {

FrameSlot::FrameSlot(const ocl::Device& device, FrameQueues queues, size_t source_bytes,
                     const std::vector<stages::StageBand>& bands, Completion& completion)
    : completion_(completion),
      queues_(std::move(queues)),
      shared_(device.info().shares_host_memory),
      source_bytes_(source_bytes),
      texture_bytes_(bands.back().ready_bytes) {
  bands_.resize(bands.size());
  for (size_t i = 0; i < bands.size(); ++i) bands_[i].cut = bands[i];
  if (shared_ && bands.size() > 1) {
    // Pieces of a buffer are mapped beside each other for sure only over memory of the host's own.
    own_memory_ = make_host_memory();
    blocks_host_ = own_memory_->allocate(texture_bytes_);
    if (blocks_host_ == nullptr) throw cl::Error(CL_OUT_OF_HOST_MEMORY, "memory for blocks");
    blocks_pinned_ =
        cl::Buffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, texture_bytes_, blocks_host_);
  } else {
    blocks_pinned_ = cl::Buffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, texture_bytes_);
  }
  if (shared_) {
    blocks_ = blocks_pinned_;
    return;
  }
  source_ = cl::Buffer(device.context(), CL_MEM_READ_ONLY, source_bytes);
  blocks_ = cl::Buffer(device.context(), CL_MEM_READ_WRITE, texture_bytes_);
  blocks_host_ = static_cast<std::byte*>(
      queues_.download.enqueueMapBuffer(blocks_pinned_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, texture_bytes_));
}

FrameSlot::~FrameSlot() {
  try {
    if (shared_) {
      queues_.download.finish();  // the maps of a frame under way, before other queues unmap
      recycle();
    } else {
      queues_.download.enqueueUnmapMemObject(blocks_pinned_, blocks_host_);
    }
    queues_.upload.finish();
    queues_.compute.finish();
    queues_.download.finish();
  } catch (const cl::Error&) {
    // the device is lost: nothing is left to give back
  }
}

void FrameSlot::start(stages::Stage& stage, FrameLease frame, SharedSources* shared) {
  frame_ = std::move(frame);
  ready_bands_ = 0;
  if (shared_)
    start_shared(stage, shared->of(frame_));
  else
    start_with_transfers(stage);
}

void FrameSlot::start_shared(stages::Stage& stage, SharedSource& source) {
  shared_source_ = &source;
  uploaded_ = source.to_device();
  queues_.upload.flush();
  mapped_ = true;
  for (size_t i = 0; i < bands_.size(); ++i) {
    encode(stage, i, source.buffer());
    Band& band = bands_[i];
    size_t next = 0;
    fetch(band, [&](size_t offset, size_t bytes, const std::vector<cl::Event>* after, cl::Event* done) {
      band.mapped[next++] =
          queues_.download.enqueueMapBuffer(blocks_, CL_FALSE, CL_MAP_READ, offset, bytes, after, done);
    });
  }
  if (!own_memory_) blocks_host_ = static_cast<std::byte*>(bands_[0].mapped[0]);
}

void FrameSlot::start_with_transfers(stages::Stage& stage) {
  queues_.upload.enqueueWriteBuffer(source_, CL_FALSE, 0, source_bytes_, frame_.data(), nullptr, &uploaded_[0]);
  queues_.upload.flush();
  for (size_t i = 0; i < bands_.size(); ++i) {
    encode(stage, i, source_);
    fetch(bands_[i], [&](size_t offset, size_t bytes, const std::vector<cl::Event>* after, cl::Event* done) {
      queues_.download.enqueueReadBuffer(blocks_, CL_FALSE, offset, bytes, blocks_host_ + offset, after, done);
    });
  }
}

void FrameSlot::encode(stages::Stage& stage, size_t band, const cl::Buffer& source) {
  static const std::vector<cl::Event> kAtOnce;
  bands_[band].encoded[0] =
      bands_.size() == 1 ? stage.enqueue(queues_.compute, source, blocks_, uploaded_)
                         : stage.enqueue_band(band, queues_.compute, source, blocks_, band == 0 ? uploaded_ : kAtOnce);
  queues_.compute.flush();
}

// The band's parts to the host, once it is encoded: fetch(offset, bytes, list of events to wait for, event).
template <typename Fetch>
void FrameSlot::fetch(Band& band, Fetch&& fetch) {
  for (int i = 0; i < band.cut.part_count; ++i) {
    const auto [offset, bytes] = band.cut.parts[static_cast<size_t>(i)];
    fetch(offset, bytes, &band.encoded, &band.last_download);
    if (i == 0) band.first_download = band.last_download;
  }
  queues_.download.flush();
  completion_.call_after(band.last_download);
}

bool FrameSlot::finished() const {
  const auto status = bands_.back().last_download.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
  return status <= CL_COMPLETE;  // negative: it failed, which wait() reports
}

size_t FrameSlot::ready_bytes() {
  for (; ready_bands_ < bands_.size(); ++ready_bands_) {
    const cl::Event& there = bands_[ready_bands_].last_download;
    if (there.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE) break;
    there.wait();  // returns at once; it is what makes the memory ours
  }
  return ready_bands_ == 0 ? 0 : bands_[ready_bands_ - 1].cut.ready_bytes;
}

Bytes FrameSlot::wait() {
  for (const Band& band : bands_) band.last_download.wait();
  ready_bands_ = bands_.size();
  if (shared_source_ != nullptr) std::exchange(shared_source_, nullptr)->to_host();
  frame_ = {};
  return blocks();
}

void FrameSlot::recycle() {
  if (!shared_ || !std::exchange(mapped_, false)) return;
  for (const Band& band : bands_)  // before the next kernel writes there
    for (int i = 0; i < band.cut.part_count; ++i)
      queues_.compute.enqueueUnmapMemObject(blocks_pinned_, band.mapped[static_cast<size_t>(i)]);
}

StageTimes FrameSlot::stage_times() const {
  StageTimes spent{.stage_in = stage_in, .upload = ocl::duration(uploaded_[0])};
  for (const Band& band : bands_) {
    spent.kernel += ocl::duration(band.encoded[0]);
    spent.download += ocl::duration(band.first_download, band.last_download);
  }
  return spent;
}

}  // namespace texcast
