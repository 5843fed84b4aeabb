#include "stream/send_pipeline.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/ensure.h"
#include "base/loop_thread.h"
#include "live/hand_over.h"
#include "live/texture_sender.h"
#include "timeline.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kTick = std::chrono::milliseconds(100);
// How long receivers may ask for packets of the last frame: several round trips of a LAN.
constexpr nanoseconds kAnswerTime = std::chrono::milliseconds(100);

// A frame source on its own thread, one frame ahead of who encodes.
// All calls from one thread.
class DecodeAhead {
 public:
  // Sets `progress` when a frame is there and at the end. Both must outlive this. Starts decoding at once.
  DecodeAhead(media::FrameSource& source, AutoResetEvent& progress);
  ~DecodeAhead() = default;  // waits for the frame being decoded

  // The next frame, once it is decoded; the same one until release(). Throws what the source threw.
  const media::SourceFrame* peek();
  SteadyTime ready_at() const { return ready_at_; }  // of the frame that peek() showed: when it was decoded
  void release();                                    // its memory may be reused: the next one is decoded
  bool ended();

 private:
  enum class State { decoding, ready, ended };
  void run(const std::stop_token& stop);
  media::FrameSource& source_;
  AutoResetEvent& progress_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  State state_ = State::decoding;
  std::optional<media::SourceFrame> frame_;
  SteadyTime ready_at_{};
  LoopThread thread_;  // last: it uses the above
};

DecodeAhead::DecodeAhead(media::FrameSource& source, AutoResetEvent& progress)
    : source_(source),
      progress_(progress),
      thread_([this](const std::stop_token& stop) { run(stop); },
              [this](const std::exception_ptr&) {
                {
                  const std::lock_guard lock(mutex_);
                  state_ = State::ended;
                }
                progress_.set();
              }) {}

void DecodeAhead::run(const std::stop_token& stop) {
  while (auto frame = source_.next()) {
    std::unique_lock lock(mutex_);
    frame_ = std::move(frame);
    ready_at_ = steady_now();
    state_ = State::ready;
    lock.unlock();
    progress_.set();
    lock.lock();
    if (!changed_.wait(lock, stop, [this] { return state_ == State::decoding; })) return;
  }
}

const media::SourceFrame* DecodeAhead::peek() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::ended) thread_.rethrow_failure();
  return state_ == State::ready ? &*frame_ : nullptr;
}

void DecodeAhead::release() {
  {
    const std::lock_guard lock(mutex_);
    ENSURE(state_ == State::ready);
    state_ = State::decoding;
  }
  changed_.notify_all();
}

bool DecodeAhead::ended() {
  const std::lock_guard lock(mutex_);
  return state_ == State::ended;
}

class Pipeline {
 public:
  Pipeline(media::FrameSource& source, Encoder& encoder, Destinations& destinations, const SendSettings& settings,
           std::optional<int64_t> limit)
      : encoder_(encoder),
        limit_(limit),
        paced_(destinations.real_time()),
        live_(source.is_live()),
        period_(frame_period(settings.fps)),
        timeline_(period_),
        sender_(make_texture_sender(destinations, settings, encoder.texture_desc(), progress_)),
        hand_over_(encoder, *sender_, destinations.real_time()),
        decoder_(source, progress_) {
    encoder_.on_progress([this] { progress_.set(); });
  }
  ~Pipeline() { encoder_.on_progress({}); }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  SendReport run(const std::atomic<bool>& stop, const std::function<void(const SendReport&)>& on_tick) {
    begin(stop);
    SteadyTime next_tick = steady_now() + kTick;
    while (!stop.load(std::memory_order_relaxed)) {
      const bool moved = hand_over_.step() || take_decoded();
      if (!moved && finished()) break;
      if (steady_now() >= next_tick) {
        next_tick += kTick;
        on_tick(report());
      }
      if (!moved) progress_.wait_until(std::min(next_due(), next_tick));
    }
    ended_ = steady_now();
    answer_last_requests(stop);
    return report();
  }

 private:
  // Receivers ask for what they miss of the last frame too.
  void answer_last_requests(const std::atomic<bool>& stop) {
    if (!sender_->answers_requests()) return;
    for (const SteadyTime limit = *ended_ + kAnswerTime; steady_now() < limit && !stop.load(std::memory_order_relaxed);)
      progress_.wait_until(std::min(limit, steady_now() + kTick));
  }

  // The clock starts with the first frame that can be encoded at once.
  void begin(const std::atomic<bool>& stop) {
    encoder_.warm_up();
    // What a live source took before then has become old.
    const SteadyTime oldest = steady_now() - period_;
    if (live_ && decoder_.peek() != nullptr && decoder_.ready_at() < oldest) decoder_.release();
    while (decoder_.peek() == nullptr && !decoder_.ended() && !stop.load(std::memory_order_relaxed))
      progress_.wait_until(steady_now() + kTick);
    begun_ = steady_now();
    begun_wall_ = wall_now();
  }

  bool input_over() const { return limit_ && frames_in_ >= static_cast<uint64_t>(*limit_); }
  bool finished() { return (input_over() || decoder_.ended()) && encoder_.in_flight() == 0 && sender_->drained(); }

  // Submits the decoded frame when it is due, or drops it when it is too late. False when it has to wait.
  bool take_decoded() {
    const media::SourceFrame* frame = input_over() ? nullptr : decoder_.peek();
    if (frame == nullptr) return false;
    const SteadyTime now = steady_now();
    FrameTimes times = frame->times;
    if (!paced_) {
      times.available = begun_wall_ + times.pts;
    } else if (!live_) {
      due_ = timeline_.due(times.pts, std::max(decoder_.ready_at(), begun_));
      if (now < due_) return false;
      times.available = wall_now() - (now - due_);
    } else {
      due_ = decoder_.ready_at();
    }
    const bool room = hand_over_.has_room();
    if (!room && (!paced_ || (!live_ && now < timeline_.drop_at(due_)))) return false;
    if (room)
      encoder_.submit(frame->view, times);
    else
      ++dropped_;
    ++frames_in_;
    decoder_.release();
    return true;
  }

  // When the decoded frame is to be submitted, or dropped. All else sets progress_.
  SteadyTime next_due() {
    if (!paced_ || live_ || input_over() || decoder_.peek() == nullptr) return SteadyTime::max();
    return steady_now() < due_ ? due_ : timeline_.drop_at(due_);
  }

  SendReport report() const {
    return {.frames_in = frames_in_,
            .dropped = dropped_,
            .slipped = timeline_.slipped(),
            .seconds = in_seconds(ended_.value_or(steady_now()) - begun_),
            .sent = sender_->status()};
  }

  Encoder& encoder_;
  const std::optional<int64_t> limit_;  // of frames of the input
  const bool paced_;
  const bool live_;
  const nanoseconds period_;
  SteadyTime begun_{};  // when the clock of the stream started
  WallTime begun_wall_{};
  std::optional<SteadyTime> ended_{};
  Timeline timeline_;
  SteadyTime due_{};
  uint64_t frames_in_ = 0;
  uint64_t dropped_ = 0;
  AutoResetEvent progress_;  // before the two threads that set it
  std::unique_ptr<TextureSender> sender_;
  HandOver hand_over_;
  DecodeAhead decoder_;
};

}  // namespace

SendReport send_stream(media::FrameSource& source, Encoder& encoder, Destinations& destinations,
                       const SendSettings& settings, const std::atomic<bool>& stop,
                       const std::function<void(const SendReport&)>& on_tick, std::optional<int64_t> frames) {
  return Pipeline(source, encoder, destinations, settings, frames).run(stop, on_tick);
}

}  // namespace texcast::stream
