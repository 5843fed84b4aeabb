#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>

#include "base/ensure.h"
#include "base/log.h"
#include "encoders.h"
#include "frame_check.h"
#include "frame_intake.h"
#include "frame_slot.h"
#include "pinned_memory.h"
#include "preconditions.h"
#include "ref/encode.h"
#include "texcast/error.h"
#include "tile_copies.h"
#include "tuner/tune.h"

namespace texcast {
namespace {

std::unique_ptr<stages::Stage> make_best_stage(const ocl::Device& device, const stages::StageSettings& best) {
  const stages::StageSettings usual = tuner::choose(device, best, TuneMode::off);
  if (tuner::tuning_of(best) == tuner::tuning_of(usual)) return stages::make_stage(device, usual);
  try {
    return stages::make_stage(device, best);
  } catch (const Error& error) {
    // A remembered variant may stop building. Only if the usual one does not build either is the device unusable.
    log_warning("the remembered kernel variant ({}) does not work any more; using the usual one: {}",
                tuner::describe(tuner::tuning_of(best)), error.what());
    return stages::make_stage(device, usual);
  }
}

// A pool, and its frames as buffers of the device if that shares the host's memory.
struct Intake {
  std::shared_ptr<FramePool> pool;
  SharedSources shared;
};

// For automatic bands: smaller ones gain less than their commands cost (docs/benchmarks.md).
int most_bands(const EncoderSettings& settings, const DeviceInfo& device) {
  if (settings.bands != kBandsAuto) return settings.bands;
  const size_t least = device.is_gpu ? size_t{1} << 19 : size_t{1} << 17;
  return static_cast<int>(std::clamp<size_t>(texture_layout(texture_desc(settings)).total_bytes / least, 1, 4));
}

// If more than that has changed, everything is encoded and fetched, as the saving is less than the host's round trip
// costs (3840x2160 on an H200, half the tiles: 1.2 ms instead of 0.9).
bool is_much(std::span<const uint8_t> changed) {
  const auto tiles =
      static_cast<size_t>(std::count_if(changed.begin(), changed.end(), [](uint8_t t) { return t != 0; }));
  return 4 * tiles > changed.size();
}

// Frames use a ring of slots. There is one more slot than frames in flight: the frame that next() returned last keeps
// its slot until the call after.
class OclEncoder : public Encoder {
 public:
  OclEncoder(const EncoderSettings& settings, const ocl::Device& device, std::shared_ptr<FramePool> pool,
             const stages::StageSettings& form)
      : settings_(settings),
        desc_(::texcast::texture_desc(settings)),
        check_(texture_layout(desc_)),
        device_(device),
        placed_(place_frame(settings.source)),
        queues_{device_.make_queue(), device_.make_queue(), device_.make_queue()},
        lent_{std::move(pool), {device_.context(), queues_.upload, placed_.bytes}},
        copied_{FramePool::create(settings.source,
                                  // the last one taken is compared with the next
                                  static_cast<size_t>(settings.frames_in_flight +
                                                      (settings.compare || settings.keep_pictures ? 1 : 0)),
                                  make_frame_memory(device_)),
                {device_.context(), queues_.upload, placed_.bytes}},
        stage_(make_best_stage(device_, as_encoded(settings, device_, form))) {
    ocl::guarded(device_, [&] {
      if (settings.compare) {
        comparison_ = std::make_unique<FrameComparison>(device_, settings.source, desc_);
        copies_.emplace(desc_, static_cast<size_t>(settings.frames_in_flight) + 1);
      }
      const auto bands = cut_bands();
      for (int i = 0; i <= settings.frames_in_flight; ++i)
        slots_.emplace_back(device_, slot_queues(), placed_.bytes, bands, *completion_, comparison_.get(),
                            settings.keep_pictures);
      bands_ = static_cast<int>(bands.size());
    });
  }

  ~OclEncoder() override { completion_->set({}); }

  void submit(const FrameView& frame, const FrameTimes& times) override {
    require_room(*this);
    require_frame(frame, settings_.source);
    ocl::guarded(device_, [&] {
      look();
      FrameSlot& slot = slot_of(submitted_);
      const SteadyTime start = steady_now();
      TakenFrame taken = take_frame(*lent_.pool, *copied_.pool, frame, device_.info().name);
      check_.take(submitted_, [&](size_t plane, int column, int row, MutableBytes block) {
        ref::encode_block(frame, desc_.format, method_of(settings_), block, settings_.options, {plane, row}, column);
      });
      slot.stage_in = taken.copied ? steady_now() - start : nanoseconds(0);
      slot.times = times;
      const bool has_before = comparison_ && submitted_ > new_from_;
      for (FrameSlot& each : slots_) each.frame_differs(has_before ? frame.changed : std::span<const uint8_t>());
      FrameSlot::Before before;
      if (has_before)
        before = {&slot_of(submitted_ - 1), frame.changed.empty() ? expect_all_ : is_much(frame.changed),
                  frame.changed};
      slot.start(*stage_, std::move(taken.lease), taken.copied ? &copied_.shared : &lent_.shared, before);
      ++submitted_;
      look();  // fetches what is known already
    });
  }

  EncodedFrame next() override {
    require_frames(*this, "Encoder::next");
    EncodedFrame encoded;
    ocl::guarded(device_, [&] {
      look();
      FrameSlot& slot = slot_of(taken_);
      slot.wait();
      complete(slot);
      judge(slot);
      if (taken_ > 0) {
        FrameSlot& before = slot_of(taken_ - 1);
        before.let_go();
        before.recycle();
      }
      slot.times.encoded = wall_now();
      encoded = {{desc_, slot.blocks(), slot.picture()}, slot.times, slot.changed()};
      ++taken_;
      look();
    });
    return encoded;
  }

  bool ready() const override {
    bool is_ready = false;
    if (in_flight() > 0)
      ocl::guarded(device_, [&] {
        look();
        is_ready = slot_of(taken_).finished();
      });
    return is_ready;
  }
  size_t ready_bytes() override {
    if (in_flight() == 0) return 0;
    FrameSlot& slot = slot_of(taken_);
    size_t bytes = 0;
    ocl::guarded(device_, [&] {
      look();
      complete(slot);
      bytes = slot.ready_bytes();
      if (!check_.awaits(taken_)) return;
      if (bytes == slot.blocks().size())
        judge(slot);
      else
        bytes = 0;  // nothing of it is handed out before it is checked
    });
    return bytes;
  }
  EncodedFrame peek() override {
    require_ready_bytes(ready_bytes());
    const FrameSlot& slot = slot_of(taken_);
    return {{desc_, slot.blocks(), slot.picture()}, slot.times, slot.changed()};
  }
  void on_progress(std::function<void()> call) override { completion_->set(std::move(call)); }
  int bands() const override { return bands_; }
  int in_flight() const override { return static_cast<int>(submitted_ - taken_); }
  int capacity() const override { return settings_.frames_in_flight; }
  std::shared_ptr<FramePool> frame_pool() override { return lent_.pool; }
  TextureDesc texture_desc() const override { return desc_; }
  // Computed on request, as profiling calls are not free. The slot keeps its events until its next frame.
  StageTimes last_stage_times() const override {
    StageTimes times;
    if (taken_ > 0) ocl::guarded(device_, [&] { times = slot_of(taken_ - 1).stage_times(); });
    return times;
  }
  std::string device_name() const override { return name_of(device_.info()); }

  // Encodes a black frame, and a second one if frames are compared, as that kernel needs two.
  void warm_up() override {
    require_idle(*this);
    const FrameLease frame = FramePool::create(settings_.source, 1)->lend();
    if (!frame) return;  // submit() will report that there is no memory
    std::memset(frame.data(), 0, placed_.padded_bytes);
    for (int frames = comparison_ ? 2 : 1; frames > 0; --frames) {
      submit(frame.view(), {});
      next();
    }
    // It is not part of the stream: the first frame is not compared with it.
    ocl::guarded(device_, [&] { slot_of(taken_ - 1).let_go(); });
    new_from_ = submitted_;
  }

 private:
  FrameSlot& slot_of(size_t frame) const { return slots_[frame % slots_.size()]; }

  // In order, continues frames that wait for the host to decide what is fetched, on a device with its own memory.
  void look() const {
    if (!comparison_) return;
    for (; looked_at_ < submitted_ && slot_of(looked_at_).look(); ++looked_at_) {
      // Twice in turn: a film at half the frame rate repeats every other frame.
      const bool much = is_much(slot_of(looked_at_).changed());
      expect_all_ = much && was_much_;
      was_much_ = much;
    }
  }

  // Fills in the unchanged tiles of the oldest frame, in the bands that are new since the last call.
  void complete(FrameSlot& slot) {
    const size_t bands = slot.ready_bands();
    if (!copies_ || bands == 0) return;
    if (noted_ == taken_) {
      if (slot.is_whole())
        copies_->next_whole(taken_ % slots_.size(), slot.changed());
      else
        copies_->next(taken_ % slots_.size(), slot.changed(), slot.lost());
      ++noted_;
      complete_bands_ = 0;
    }
    for (; complete_bands_ < bands; ++complete_bands_) {
      const stages::StageBand& band = slot.cut(complete_bands_);
      for (int i = 0; copies_->stale() > 0 && i < band.part_count; ++i) {
        const auto& part = band.parts[static_cast<size_t>(i)];
        copies_->take_over(slot_of(taken_ - 1).blocks().data(), slot.blocks().data(), part.offset, part.bytes);
      }
    }
  }

  // Compares samples of the oldest frame, whose blocks have all arrived.
  void judge(const FrameSlot& slot) {
    device_.proved();
    if (check_.awaits(taken_) && !check_.compare(taken_, slot.blocks())) tell_of_wrong_blocks(device_, desc_.format);
  }

  std::vector<stages::StageBand> cut_bands() {
    const int most = most_bands(settings_, device_.info());
    std::vector<stages::StageBand> bands;
    if (most > 1) bands = stage_->cut(most);
    const size_t bytes = texture_layout(desc_).total_bytes;
    if (bands.size() < 2) bands = {{.parts = {{{0, bytes}}}, .part_count = 1, .ready_bytes = bytes}};
    return bands;
  }

  // With shared memory nothing is transferred, and mapping and unmapping frames goes through the upload queue.
  FrameQueues slot_queues() const {
    if (settings_.queues == QueueLayout::per_direction || device_.info().shares_host_memory) return queues_;
    const cl::CommandQueue queue = device_.make_queue();
    return {queue, queue, queue};
  }

  EncoderSettings settings_;
  TextureDesc desc_;
  FrameCheck check_;
  ocl::Device device_;
  FramePlacement placed_;
  FrameQueues queues_;
  Intake lent_, copied_;
  std::unique_ptr<stages::Stage> stage_;
  const std::shared_ptr<Completion> completion_ = make_completion(device_.info());
  std::unique_ptr<FrameComparison> comparison_;  // null: frames are not compared
  std::optional<TileCopies> copies_;             // only if they are
  // A deque does not move its slots. Mutable, as looking at a frame may continue it, and const members look.
  mutable std::deque<FrameSlot> slots_;
  mutable size_t looked_at_ = 0;     // frames whose map of changed tiles is known
  mutable bool was_much_ = false;    // nearly everything changed in the latest of them
  mutable bool expect_all_ = false;  // guess for the next one
  size_t new_from_ = 0;              // this frame has no previous one
  size_t noted_ = 0;                 // frames, by copies_
  size_t complete_bands_ = 0;        // of the frame that was noted last
  int bands_ = 1;
  size_t submitted_ = 0;
  size_t taken_ = 0;
};

}  // namespace

stages::StageSettings stage_settings(const EncoderSettings& settings) {
  return {.source = settings.source,
          .texture = settings.texture,
          .method = method_of(settings),
          .options = settings.options};
}

stages::StageSettings as_encoded(const EncoderSettings& settings, const ocl::Device& device,
                                 stages::StageSettings form) {
  form.only_changed = settings.compare;
  if (settings.compare && form.form == stages::Form::group) form = tuner::choose(device, form, TuneMode::off);
  return form;
}

int planned_bands(const EncoderSettings& settings, const OclDevices& opened) {
  return opened.devices.empty() ? 1 : most_bands(settings, opened.devices.front().info());
}

std::string name_of(const DeviceInfo& device) { return device.name + " (" + device.platform + ")"; }

OclDevices open_ocl_devices(const EncoderSettings& settings, const std::vector<DeviceInfo>& infos) {
  if (infos.empty()) return {};
  OclDevices opened{ocl::Device::open_together(infos), nullptr};
  const auto own_memory = std::find_if(opened.devices.begin(), opened.devices.end(),
                                       [](const ocl::Device& d) { return !d.info().shares_host_memory; });
  opened.pool =
      FramePool::create(settings.source, most_lent(settings, opened.devices.size()),
                        make_frame_memory(own_memory == opened.devices.end() ? opened.devices.front() : *own_memory));
  return opened;
}

std::vector<std::unique_ptr<Encoder>> make_ocl_encoders(const EncoderSettings& settings, const OclDevices& opened,
                                                        const std::vector<stages::StageSettings>& forms) {
  ENSURE(forms.size() == opened.devices.size());
  std::vector<std::unique_ptr<Encoder>> encoders;
  for (size_t i = 0; i < forms.size(); ++i)
    encoders.push_back(std::make_unique<OclEncoder>(settings, opened.devices[i], opened.pool, forms[i]));
  return encoders;
}

}  // namespace texcast
