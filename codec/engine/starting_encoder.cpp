#include "starting_encoder.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/loop_thread.h"
#include "base/step_back.h"
#include "encoders.h"
#include "preconditions.h"
#include "progress_call.h"
#include "reference_encoder.h"

namespace texcast {
namespace {

// A destructor that waits for the compiler longer than that logs it.
constexpr auto kQuietWait = std::chrono::milliseconds(300);

class StartingEncoder : public Encoder {
 public:
  StartingEncoder(const EncoderSettings& settings, Beginning beginning, BetterEncoder better)
      : beginning_(std::move(beginning)),
        capacity_(settings.frames_in_flight * beginning_.devices),
        desc_(::texcast::texture_desc(settings)),
        better_(std::move(better)) {
    if (beginning_.encoder) {
      encoders_.push_back(std::move(beginning_.encoder));
    } else {
      auto stand_in = std::make_unique<ReferenceEncoder>(settings, beginning_.pool, capacity_);
      stand_in_ = stand_in.get();
      encoders_.push_back(std::move(stand_in));
    }
    thread_.emplace([this](const std::stop_token& stop) { make_better(stop); },
                    [this](const std::exception_ptr& failure) { making_is_over(failure); });
  }

  ~StartingEncoder() override {
    thread_->request_stop();
    drop_stand_in();
    encoders_.clear();  // nothing is encoded any more: the compiler has the processor
    std::unique_lock lock(mutex_);
    if (!over_.wait_for(lock, kQuietWait, [this] { return is_over_; }))
      log_info("waiting for the compiler for {}, which cannot be stopped; its result is cached for the next start",
               beginning_.device_name);
  }

  void submit(const FrameView& frame, const FrameTimes& times) override {
    require_room(*this);
    change_over();
    encoders_.back()->submit(frame, times);
  }

  EncodedFrame next() override {
    require_frames(*this, "Encoder::next");
    change_over();
    drop_emptied();
    while (stands_in() && !stand_in_->wait()) {
      change_over();
      drop_emptied();
    }
    return encoders_.front()->next();
  }

  bool ready() const override { return in_flight() > 0 && oldest().ready(); }
  size_t ready_bytes() override {
    change_over();
    return in_flight() > 0 ? oldest().ready_bytes() : 0;
  }
  EncodedFrame peek() override {
    require_frames(*this, "Encoder::peek");
    return oldest().peek();
  }
  void on_progress(std::function<void()> call) override {
    progress_.set(call);
    for (const auto& encoder : encoders_) encoder->on_progress(call);
    call_ = std::move(call);
  }
  int bands() const override { return stands_in() ? beginning_.bands : encoders_.back()->bands(); }
  int in_flight() const override {
    int all = 0;
    for (const auto& encoder : encoders_) all += encoder->in_flight();
    return all;
  }
  int capacity() const override { return capacity_; }
  int devices() const override { return beginning_.devices; }
  std::shared_ptr<FramePool> frame_pool() override { return beginning_.pool; }
  TextureDesc texture_desc() const override { return desc_; }
  void warm_up() override {
    require_idle(*this);
    encoders_.back()->warm_up();
  }
  StageTimes last_stage_times() const override { return encoders_.front()->last_stage_times(); }
  std::string device_name() const override { return beginning_.device_name; }
  EncoderPreparation preparation() override {
    const std::lock_guard lock(mutex_);
    return {.is_over = !stands_in() || offered_ || failure_, .begun = begun_};
  }
  void compile_at_low_priority() override {
    if (beginning_.compilers_step_back) beginning_.compilers_step_back();
  }

 private:
  // Runs on the thread.
  void make_better(const std::stop_token& stop) {
    // An encoder that was begun is completed even if a stop is requested, as drivers cache what they compile at the
    // first frame too.
    while (auto better = better_(stop)) {
      better->warm_up();
      {
        const std::lock_guard lock(mutex_);
        took_ = steady_now() - begun_;
        offered_.swap(better);  // one that was never taken is destroyed below
      }
      wake();
      step_back();  // the rest is not urgent
    }
  }
  void making_is_over(const std::exception_ptr& failure) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = failure;
    }
    wake();
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    over_.notify_all();
  }
  // Makes a caller that waits for a frame check whether something has changed.
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      if (stand_in_ != nullptr) stand_in_->wake();
    }
    progress_.tell();
  }

  // The following runs on the thread that calls the encoder.
  bool stands_in() const { return stand_in_ != nullptr && encoders_.back().get() == stand_in_; }
  Encoder& oldest() const {
    return **std::find_if(encoders_.begin(), encoders_.end(), [](const auto& e) { return e->in_flight() > 0; });
  }
  void change_over() {
    std::unique_ptr<Encoder> better;
    {
      const std::lock_guard lock(mutex_);
      if (failure_) std::rethrow_exception(failure_);
      better = std::move(offered_);
    }
    if (!better) return;
    better->on_progress(call_);
    if (stands_in()) {
      for (const auto& [frame, times] : stand_in_->give_back()) better->submit(frame.view(), times);
      const size_t frames = stand_in_->encoded();
      log_info("compiled in {:.1f} s{}", in_seconds(took_),
               frames == 0 ? ""
                           : fmt::format(", {} {} encoded by the processor", frames,
                                         frames == 1 ? "frame was" : "frames were"));
    }
    encoders_.push_back(std::move(better));
  }
  // Drops encoders that have returned all their frames, once the last frame is no longer valid. One always stays.
  void drop_emptied() {
    while (encoders_.size() > 1 && encoders_.front()->in_flight() == 0) {
      if (encoders_.front().get() == stand_in_) drop_stand_in();
      encoders_.pop_front();
    }
  }
  void drop_stand_in() {
    const std::lock_guard lock(mutex_);
    stand_in_ = nullptr;
  }

  Beginning beginning_;
  const int capacity_;
  const TextureDesc desc_;
  const BetterEncoder better_;
  const SteadyTime begun_ = steady_now();
  std::deque<std::unique_ptr<Encoder>> encoders_;  // the newest, and older ones that are not empty yet
  std::function<void()> call_;                     // for the next encoder
  ProgressCall progress_;                          // the same, for our own thread

  std::mutex mutex_;  // guards the following
  std::condition_variable over_;
  std::unique_ptr<Encoder> offered_;
  nanoseconds took_{};                    // time until then
  ReferenceEncoder* stand_in_ = nullptr;  // one of encoders_; written only by the thread that calls the encoder
  std::exception_ptr failure_;
  bool is_over_ = false;
  std::optional<LoopThread> thread_;  // last: it uses the members above
};

}  // namespace

std::unique_ptr<Encoder> make_starting_encoder(const EncoderSettings& settings, Beginning beginning,
                                               BetterEncoder better) {
  return std::make_unique<StartingEncoder>(settings, std::move(beginning), std::move(better));
}

}  // namespace texcast
