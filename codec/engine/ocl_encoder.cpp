#include <algorithm>
#include <cstring>
#include <deque>

#include "base/ensure.h"
#include "base/log.h"
#include "encoders.h"
#include "frame_slot.h"
#include "pinned_memory.h"
#include "texcast/error.h"
#include "tuner/tune.h"

namespace texcast {
namespace {

// Rows of each plane to their place; one copy a plane where source and place have the same stride.
void copy_frame(const FrameView& frame, const FrameLease& to, const FramePlacement& placed) {
  for (int p = 0; p < plane_count(frame.format.pixel_format); ++p) {
    const auto plane = static_cast<size_t>(p);
    const PlaneView& view = frame.planes[plane];
    const auto row_bytes = static_cast<size_t>(plane_row_bytes(frame.format, p));
    const auto rows = static_cast<size_t>(plane_rows(frame.format, p));
    const auto stride = static_cast<size_t>(placed.stride[plane]);
    std::byte* out = to.plane(p);
    if (view.stride_bytes == placed.stride[plane]) {
      std::memcpy(out, view.data, stride * (rows - 1) + row_bytes);
      continue;
    }
    for (size_t row = 0; row < rows; ++row)
      std::memcpy(out + row * stride, view.data + static_cast<std::ptrdiff_t>(row) * view.stride_bytes, row_bytes);
  }
}

std::unique_ptr<stages::Stage> make_best_stage(const ocl::Device& device, const stages::StageSettings& settings,
                                               std::optional<TuneMode> tune) {
  const stages::StageSettings usual = tuner::choose(device, settings, TuneMode::off);
  const stages::StageSettings best = tuner::choose(device, settings, tune ? *tune : default_tune_mode());
  if (tuner::tuning_of(best) == tuner::tuning_of(usual)) return stages::make_stage(device, usual);
  try {
    return stages::make_stage(device, best);
  } catch (const Error& error) {
    // A remembered form need not build for ever; the usual one is what the device is judged by.
    log_warning("{} does not work any more, the usual form is taken: {}", tuner::describe(tuner::tuning_of(best)),
                error.what());
    return stages::make_stage(device, usual);
  }
}

// What encoder.h promises. A decoder of H.264 or HEVC wants 16 reference frames at most, and one or two a thread.
size_t most_lent(const EncoderSettings& settings, size_t devices) {
  constexpr size_t kMostFrames = 64, kMostBytes = size_t{1} << 30;
  const size_t least = devices * static_cast<size_t>(settings.frames_in_flight) + 8;
  return std::max(least, std::min(kMostFrames, kMostBytes / place_frame(settings.source).padded_bytes));
}

// A pool, and its frames as the device's buffers where the device shares the host's memory.
struct Intake {
  std::shared_ptr<FramePool> pool;
  SharedSources shared;
};

// Bands below these gain less than their commands cost (docs/benchmarks.md).
int best_bands(const DeviceInfo& device, const TextureDesc& desc) {
  const size_t least = device.is_gpu ? size_t{1} << 19 : size_t{1} << 17;
  return static_cast<int>(std::clamp<size_t>(texture_layout(desc).total_bytes / least, 1, 4));
}

// Frames go round a ring of slots. One slot more than frames in flight: the frame that next() gave out last keeps its
// slot until the call after.
class OclEncoder : public Encoder {
 public:
  OclEncoder(const EncoderSettings& settings, const ocl::Device& device, std::shared_ptr<FramePool> pool)
      : settings_(settings),
        desc_(::texcast::texture_desc(settings)),
        device_(device),
        placed_(place_frame(settings.source)),
        queues_{device_.make_queue(), device_.make_queue(), device_.make_queue()},
        lent_{std::move(pool), {device_.context(), queues_.upload, placed_.bytes}},
        copied_{FramePool::create(settings.source, static_cast<size_t>(settings.frames_in_flight),
                                  make_frame_memory(device_)),
                {device_.context(), queues_.upload, placed_.bytes}},
        stage_(make_best_stage(device_,
                               {.source = settings.source,
                                .texture = settings.texture,
                                .method = method_of(settings),
                                .options = settings.options},
                               settings.tune)) {
    ocl::guarded(device_, [&] {
      const auto bands = cut_bands();
      for (int i = 0; i <= settings.frames_in_flight; ++i)
        slots_.emplace_back(device_, slot_queues(), placed_.bytes, bands, *completion_);
      bands_ = static_cast<int>(bands.size());
    });
  }

  ~OclEncoder() override { completion_->set({}); }

  void submit(const FrameView& frame, const FrameTimes& times) override {
    ENSURE(in_flight() < capacity());
    ENSURE(frame.format == settings_.source);
    ocl::guarded(device_, [&] {
      FrameSlot& slot = slots_[submitted_ % slots_.size()];
      const SteadyTime start = steady_now();
      Intake* from = &lent_;
      FrameLease lease = lent_.pool->share(frame);
      if (!lease) {
        from = &copied_;
        lease = copied_.pool->lend();
        if (!lease) throw no_memory();
        copy_frame(frame, lease, placed_);
      }
      slot.stage_in = from == &copied_ ? steady_now() - start : nanoseconds(0);
      slot.times = times;
      slot.start(*stage_, std::move(lease), &from->shared);
      ++submitted_;
    });
  }

  EncodedFrame next() override {
    ENSURE(in_flight() > 0);
    EncodedFrame encoded;
    ocl::guarded(device_, [&] {
      if (taken_ > 0) slots_[(taken_ - 1) % slots_.size()].recycle();
      FrameSlot& slot = slots_[taken_ % slots_.size()];
      encoded.texture = {desc_, slot.wait()};
      slot.times.encoded = wall_now();
      encoded.times = slot.times;
      ++taken_;
    });
    return encoded;
  }

  bool ready() const override { return in_flight() > 0 && slots_[taken_ % slots_.size()].finished(); }
  size_t ready_bytes() override {
    size_t bytes = 0;
    if (in_flight() > 0) ocl::guarded(device_, [&] { bytes = slots_[taken_ % slots_.size()].ready_bytes(); });
    return bytes;
  }
  EncodedFrame peek() override {
    ENSURE(ready_bytes() > 0);
    const FrameSlot& slot = slots_[taken_ % slots_.size()];
    return {{desc_, slot.blocks()}, slot.times};
  }
  void on_progress(std::function<void()> call) override { completion_->set(std::move(call)); }
  int bands() const override { return bands_; }
  int in_flight() const override { return static_cast<int>(submitted_ - taken_); }
  int capacity() const override { return settings_.frames_in_flight; }
  std::shared_ptr<FramePool> frame_pool() override { return lent_.pool; }
  TextureDesc texture_desc() const override { return desc_; }
  // Looked up when asked for: profiling calls are not free, and the slot keeps its events until the next frame in it.
  StageTimes last_stage_times() const override {
    StageTimes times;
    if (taken_ > 0) ocl::guarded(device_, [&] { times = slots_[(taken_ - 1) % slots_.size()].stage_times(); });
    return times;
  }
  std::string device_name() const override { return device_.info().name + " (" + device_.info().platform + ")"; }

 private:
  std::vector<stages::StageBand> cut_bands() {
    const int most = settings_.bands == kBandsAuto ? best_bands(device_.info(), desc_) : settings_.bands;
    std::vector<stages::StageBand> bands;
    if (most > 1) bands = stage_->cut(most);
    const size_t bytes = texture_layout(desc_).total_bytes;
    if (bands.size() < 2) bands = {{.parts = {{{0, bytes}}}, .part_count = 1, .ready_bytes = bytes}};
    return bands;
  }

  // Where memory is shared, nothing moves, and the frames' buffers go to and fro in the upload queue.
  FrameQueues slot_queues() const {
    if (settings_.queues == QueueLayout::per_direction || device_.info().shares_host_memory) return queues_;
    const cl::CommandQueue queue = device_.make_queue();
    return {queue, queue, queue};
  }

  Error no_memory() const {
    return Error(ErrorKind::no_device, "no memory for frames of " + std::to_string(placed_.padded_bytes) +
                                           " bytes on " + device_.info().name +
                                           ": lower the number in flight, or let more memory be pinned (ulimit -l)");
  }

  EncoderSettings settings_;
  TextureDesc desc_;
  ocl::Device device_;
  FramePlacement placed_;
  FrameQueues queues_;
  Intake lent_, copied_;
  std::unique_ptr<stages::Stage> stage_;
  const std::shared_ptr<Completion> completion_ = make_completion(device_.info());
  std::deque<FrameSlot> slots_;  // a deque: slots do not move
  int bands_ = 1;
  size_t submitted_ = 0;
  size_t taken_ = 0;
};

}  // namespace

std::vector<std::unique_ptr<Encoder>> make_ocl_encoders(const EncoderSettings& settings,
                                                        const std::vector<DeviceInfo>& infos) {
  if (infos.empty()) return {};
  const auto devices = ocl::Device::open_together(infos);
  const auto own_memory =
      std::find_if(devices.begin(), devices.end(), [](const ocl::Device& d) { return !d.info().shares_host_memory; });
  const auto pool = FramePool::create(settings.source, most_lent(settings, devices.size()),
                                      make_frame_memory(own_memory == devices.end() ? devices.front() : *own_memory));
  std::vector<std::unique_ptr<Encoder>> encoders;
  for (const ocl::Device& device : devices) encoders.push_back(std::make_unique<OclEncoder>(settings, device, pool));
  return encoders;
}

}  // namespace texcast
