#include "reference_encoder.h"

#include <sys/resource.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "base/workers.h"
#include "encoders.h"
#include "frame_intake.h"
#include "preconditions.h"
#include "ref/encode.h"

namespace texcast {
namespace {

// Of the calling thread and those that it makes; Linux has it for each thread. A third of the share that others get:
// with a compiler on one of two processors half of the frames come, and it takes as long as if it were alone.
void step_back() {
  constexpr int kNice = 5;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

}  // namespace

ReferenceEncoder::ReferenceEncoder(const EncoderSettings& settings)
    : ReferenceEncoder(settings, FramePool::create(settings.source, most_lent(settings, 1)), settings.frames_in_flight,
                       false) {}

ReferenceEncoder::ReferenceEncoder(const EncoderSettings& settings, std::shared_ptr<FramePool> pool, int capacity)
    : ReferenceEncoder(settings, std::move(pool), capacity, true) {}

ReferenceEncoder::ReferenceEncoder(const EncoderSettings& settings, std::shared_ptr<FramePool> pool, int capacity,
                                   bool stands_in)
    : settings_(settings),
      desc_(::texcast::texture_desc(settings)),
      capacity_(capacity),
      stands_in_(stands_in),
      lent_(std::move(pool)),
      copied_(FramePool::create(settings.source, static_cast<size_t>(capacity))),
      slots_(static_cast<size_t>(capacity) + 1),
      thread_([this](const std::stop_token& stop) { run(stop); },
              [this](const std::exception_ptr&) {
                const std::lock_guard lock(mutex_);
                ended_ = true;
                changed_.notify_all();
              }) {}

void ReferenceEncoder::submit(const FrameView& frame, const FrameTimes& times) {
  require_room(*this);
  require_frame(frame, settings_.source);
  const SteadyTime start = steady_now();
  Slot& slot = slot_of(submitted_);
  TakenFrame taken = take_frame(*lent_, *copied_, frame, device_name());
  slot.stages = {.stage_in = taken.copied ? steady_now() - start : nanoseconds(0)};
  slot.frame = std::move(taken.lease);
  slot.times = times;
  slot.blocks.resize(texture_layout(desc_).total_bytes);
  {
    const std::lock_guard lock(mutex_);
    ++submitted_;
  }
  changed_.notify_all();
}

bool ReferenceEncoder::wait() {
  require_frames(*this, "Encoder::next");
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return taken_ < encoded_ || woken_ || ended_; });
  woken_ = false;
  if (taken_ < encoded_) return true;
  lock.unlock();
  thread_.rethrow_failure();
  return false;
}

void ReferenceEncoder::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

EncodedFrame ReferenceEncoder::next() {
  while (!wait()) continue;
  const Slot& slot = slot_of(taken_++);
  last_stages_ = slot.stages;
  return {{desc_, slot.blocks}, slot.times};
}

bool ReferenceEncoder::ready() const {
  const std::lock_guard lock(mutex_);
  return taken_ < encoded_;
}

size_t ReferenceEncoder::ready_bytes() { return ready() ? texture_layout(desc_).total_bytes : 0; }

EncodedFrame ReferenceEncoder::peek() {
  require_ready_bytes(ready_bytes());
  const Slot& slot = slot_of(taken_);
  return {{desc_, slot.blocks}, slot.times};
}

int ReferenceEncoder::in_flight() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(submitted_ - taken_);
}

size_t ReferenceEncoder::encoded() const {
  const std::lock_guard lock(mutex_);
  return encoded_;
}

std::vector<ReferenceEncoder::GivenBack> ReferenceEncoder::give_back() {
  std::unique_lock lock(mutex_);
  held_ = true;
  abandon_.request_stop();
  changed_.wait(lock, [this] { return !at_work_; });
  std::vector<GivenBack> frames;
  for (size_t frame = encoded_; frame < submitted_; ++frame)
    frames.push_back({std::move(slot_of(frame).frame), slot_of(frame).times});
  submitted_ = encoded_;
  abandon_ = std::stop_source();
  held_ = false;
  return frames;
}

void ReferenceEncoder::run(const std::stop_token& stop) {
  std::optional<Workers> workers(std::in_place);
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return encoded_ < submitted_ && !held_; };
  while (changed_.wait(lock, stop, has_work) && !stop.stop_requested()) {
    Slot& slot = slot_of(encoded_);
    at_work_ = true;
    const std::stop_token abandoned = abandon_.get_token();
    const std::stop_callback with_us(stop, [source = abandon_]() mutable { source.request_stop(); });
    lock.unlock();
    const bool whole = encode(slot, *workers, abandoned);
    lock.lock();
    at_work_ = false;
    if (whole) ++encoded_;
    changed_.notify_all();
    if (!whole) continue;
    const bool first = encoded_ == 1;
    lock.unlock();
    progress_.tell();
    if (first && stands_in_) {
      step_back();
      workers.emplace();
    }
    lock.lock();
  }
}

// False where it was told to stop.
bool ReferenceEncoder::encode(Slot& slot, Workers& workers, const std::stop_token& stop) {
  const SteadyTime start = steady_now();
  const FrameView frame = slot.frame.view();
  const int rows = ref::block_rows(settings_.texture, frame.format.width, frame.format.height);
  workers.parallel_for(static_cast<size_t>(rows), [&](size_t row) {
    if (stop.stop_requested()) return;
    ref::encode_row(frame, settings_.texture, method_of(settings_), slot.blocks, settings_.options,
                    static_cast<int>(row));
  });
  if (stop.stop_requested()) return false;
  slot.stages.kernel = steady_now() - start;
  slot.times.encoded = wall_now();
  slot.frame = {};
  return true;
}

std::unique_ptr<Encoder> make_reference_encoder(const EncoderSettings& settings) {
  return std::make_unique<ReferenceEncoder>(settings);
}

}  // namespace texcast
