#include <cstring>
#include <deque>
#include <utility>

#include "base/bytes.h"
#include "base/misuse.h"
#include "formats/require_texture.h"
#include "frame_check.h"
#include "frame_slot.h"
#include "ocl/profile.h"
#include "ref/ycocg_repack.h"
#include "stages/repack_stage.h"
#include "stages/transcode_stage.h"
#include "transcoders.h"

namespace texcast {
namespace {

// The buffers and events of one texture. A device with its own memory gets device buffers, and pinned memory that stays
// mapped. One that shares the host's memory works in the host's memory itself, which is mapped for the host only while
// the device does not use it.
class TextureSlot {
 public:
  TextureSlot(const ocl::Device& device, const FrameQueues& queues, size_t from_bytes, size_t to_bytes);
  ~TextureSlot();
  TextureSlot(const TextureSlot&) = delete;
  TextureSlot& operator=(const TextureSlot&) = delete;

  void start(stages::Stage& stage, Bytes blocks);
  bool finished() const { return done_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE; }
  Bytes wait();    // the blocks stay valid until recycle()
  void recycle();  // makes the slot ready for the next texture
  StageTimes stage_times() const;

 private:
  std::byte* map(const cl::CommandQueue& queue, const cl::Buffer& buffer, cl_map_flags flags, size_t bytes) {
    return static_cast<std::byte*>(queue.enqueueMapBuffer(buffer, CL_TRUE, flags, 0, bytes));
  }

  const FrameQueues queues_;
  const bool shared_;
  const size_t from_bytes_, to_bytes_;
  cl::Buffer from_pinned_, to_pinned_;  // host side
  cl::Buffer from_, to_;                // the same buffers if memory is shared
  std::byte* from_host_ = nullptr;      // mapped
  std::byte* to_host_ = nullptr;
  nanoseconds stage_in_{};
  // Lists of one, because the calls that wait for events take lists and the frame path must not allocate any.
  std::vector<cl::Event> uploaded_{1}, repacked_{1};
  cl::Event first_kernel_;
  cl::Event done_;
};

TextureSlot::TextureSlot(const ocl::Device& device, const FrameQueues& queues, size_t from_bytes, size_t to_bytes)
    : queues_(queues),
      shared_(device.info().shares_host_memory),
      from_bytes_(from_bytes),
      to_bytes_(to_bytes),
      from_pinned_(device.context(), CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, from_bytes),
      to_pinned_(device.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, to_bytes),
      from_(shared_ ? from_pinned_ : cl::Buffer(device.context(), CL_MEM_READ_ONLY, from_bytes)),
      to_(shared_ ? to_pinned_ : cl::Buffer(device.context(), CL_MEM_READ_WRITE, to_bytes)) {
  from_host_ = map(queues_.upload, from_pinned_, CL_MAP_READ | CL_MAP_WRITE, from_bytes_);
  if (!shared_) to_host_ = map(queues_.download, to_pinned_, CL_MAP_READ | CL_MAP_WRITE, to_bytes_);
}

TextureSlot::~TextureSlot() {
  try {
    queues_.upload.finish();
    queues_.compute.finish();
    queues_.download.finish();
    if (from_host_ != nullptr) queues_.upload.enqueueUnmapMemObject(from_pinned_, from_host_);
    if (to_host_ != nullptr) queues_.download.enqueueUnmapMemObject(to_pinned_, to_host_);
    queues_.upload.finish();
    queues_.download.finish();
  } catch (const cl::Error&) {
    // the device is lost, and there is nothing to release
  }
}

void TextureSlot::start(stages::Stage& stage, Bytes blocks) {
  const SteadyTime begun = steady_now();
  std::memcpy(from_host_, blocks.data(), from_bytes_);
  stage_in_ = steady_now() - begun;
  if (shared_)
    queues_.upload.enqueueUnmapMemObject(from_pinned_, std::exchange(from_host_, nullptr), nullptr, &uploaded_[0]);
  else
    queues_.upload.enqueueWriteBuffer(from_, CL_FALSE, 0, from_bytes_, from_host_, nullptr, &uploaded_[0]);
  queues_.upload.flush();
  repacked_[0] = stage.enqueue(queues_.compute, from_, to_, uploaded_);
  first_kernel_ = stage.first_command();
  queues_.compute.flush();
  if (shared_)
    to_host_ = static_cast<std::byte*>(
        queues_.download.enqueueMapBuffer(to_, CL_FALSE, CL_MAP_READ, 0, to_bytes_, &repacked_, &done_));
  else
    queues_.download.enqueueReadBuffer(to_, CL_FALSE, 0, to_bytes_, to_host_, &repacked_, &done_);
  queues_.download.flush();
}

Bytes TextureSlot::wait() {
  done_.wait();
  if (shared_) from_host_ = map(queues_.upload, from_pinned_, CL_MAP_WRITE_INVALIDATE_REGION, from_bytes_);
  return {to_host_, to_bytes_};
}

void TextureSlot::recycle() {
  // Before the next kernel writes there.
  if (shared_) queues_.compute.enqueueUnmapMemObject(to_pinned_, std::exchange(to_host_, nullptr));
}

StageTimes TextureSlot::stage_times() const {
  return {.stage_in = stage_in_,
          .upload = ocl::duration(uploaded_[0]),
          .kernel = ocl::duration(first_kernel_, repacked_[0]),
          .download = ocl::duration(done_)};
}

std::unique_ptr<stages::Stage> transcoding_stage(const ocl::Device& device, const TranscoderSettings& settings) {
  const TextureDesc& from = settings.from;
  const Method method = method_for(settings.to, settings.quality);
  if (is_planar_ycocg(from.format))
    return stages::make_repack_stage(
        device, {.from = from.format, .width = from.width, .height = from.height, .method = method});
  return stages::make_transcode_stage(device, {.from = from, .to = settings.to, .method = method});
}

// Textures use a ring of slots. There is one more slot than textures in flight: the texture that next() returned last
// keeps its slot until the call after.
class OclTranscoder : public Transcoder {
 public:
  OclTranscoder(const TranscoderSettings& settings, const DeviceInfo& info)
      : settings_(settings), desc_(::texcast::texture_desc(settings)), check_(texture_layout(desc_)), device_(info) {
    ocl::guarded(device_, [&] {
      const FrameQueues queues{device_.make_queue(), device_.make_queue(), device_.make_queue()};
      stage_ = transcoding_stage(device_, settings);
      for (int i = 0; i <= settings.frames_in_flight; ++i)
        slots_.emplace_back(device_, queues, texture_layout(settings.from).total_bytes,
                            texture_layout(desc_).total_bytes);
    });
  }

  void submit(const TextureView& texture) override {
    REQUIRE_USE(in_flight() < capacity(), "as many textures as fit are in flight: next() makes room");
    REQUIRE_USE(texture.desc == settings_.from, "the texture differs from TranscoderSettings::from");
    require_whole(texture, "Transcoder::submit");
    // The output of other transcoders is only displayed, for a moment.
    if (is_planar_ycocg(settings_.from.format))
      check_.take(submitted_, [&](size_t, int column, int row, MutableBytes block) {
        ref::repack_ycocg_block(texture, method_for(settings_.to, settings_.quality), block, column, row);
      });
    ocl::guarded(device_, [&] { slots_[submitted_ % slots_.size()].start(*stage_, texture.blocks); });
    ++submitted_;
  }

  TextureView next() override {
    REQUIRE_USE(in_flight() > 0, "no texture is in flight");
    TextureView texture{desc_, {}};
    ocl::guarded(device_, [&] {
      if (taken_ > 0) slots_[(taken_ - 1) % slots_.size()].recycle();
      texture.blocks = slots_[taken_ % slots_.size()].wait();
      device_.proved();
    });
    if (check_.awaits(taken_) && !check_.compare(taken_, texture.blocks)) tell_of_wrong_blocks(device_, desc_.format);
    ++taken_;
    return texture;
  }

  bool ready() const override { return in_flight() > 0 && slots_[taken_ % slots_.size()].finished(); }
  int in_flight() const override { return static_cast<int>(submitted_ - taken_); }
  int capacity() const override { return settings_.frames_in_flight; }
  TextureDesc texture_desc() const override { return desc_; }
  StageTimes last_stage_times() const override {
    StageTimes times;
    if (taken_ > 0) ocl::guarded(device_, [&] { times = slots_[(taken_ - 1) % slots_.size()].stage_times(); });
    return times;
  }
  std::string device_name() const override { return device_.info().name + " (" + device_.info().platform + ")"; }

 private:
  TranscoderSettings settings_;
  TextureDesc desc_;
  FrameCheck check_;
  ocl::Device device_;
  std::unique_ptr<stages::Stage> stage_;
  std::deque<TextureSlot> slots_;  // a deque does not move its slots
  size_t submitted_ = 0;
  size_t taken_ = 0;
};

}  // namespace

std::unique_ptr<Transcoder> make_ocl_transcoder(const TranscoderSettings& settings, const DeviceInfo& device) {
  return std::make_unique<OclTranscoder>(settings, device);
}

}  // namespace texcast
