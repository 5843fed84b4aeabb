#include "stream/send_pipeline.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/standstills.h"
#include "decode_ahead.h"
#include "outgoing_stream.h"
#include "start_trial.h"
#include "timeline.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kTick = std::chrono::milliseconds(100);
// While paused the picture is sent so often, for receivers that have just come or lost some of it.
constexpr nanoseconds kStillPeriod = std::chrono::milliseconds(200);

class Pipeline {
 public:
  Pipeline(media::FrameSource& source, Encoder& encoder, Destinations& destinations, const SendSettings& settings,
           std::optional<int64_t> limit, const Changeable* changeable, SoundSender* sound, const StartWait& wait)
      : source_(source),
        changeable_(changeable),
        sound_(sound),
        limit_(limit),
        wait_(wait),
        trial_(settings),
        answer_time_(settings.answer_time),
        paced_(destinations.real_time()),
        live_(source.is_live()),
        period_(frame_period(settings.fps)),
        timeline_(period_),
        stream_(encoder, source, destinations, settings, changeable, progress_),
        decoder_(source, progress_) {
    if (steering() == nullptr) return;
    tell_state();
    steering()->wake(&progress_);
  }
  ~Pipeline() {
    if (steering() != nullptr) steering()->over();
    if (done_) done_(Error(ErrorKind::failed, "the stream is over"));
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  SendReport run(const std::atomic<bool>& stop, const std::function<void(const SendReport&)>& on_tick) {
    begin(stop);
    SteadyTime next_tick = steady_now() + kTick;
    while (!stop.load(std::memory_order_relaxed)) {
      const bool moved = stream_.hand_over().step() || obey() || take_decoded();
      if (!moved && finished()) break;
      if (!moved && live_ && stream_.sender().wants_frame() && decoder_.peek() == nullptr) source_.want_frame();
      if (steady_now() >= next_tick) {
        next_tick += kTick;
        on_tick(report());
      }
      if (!moved) progress_.wait_until(std::min(next_due(), next_tick));
    }
    ended_ = steady_now();
    if (sound_ != nullptr) sound_->finish(shown_until_);
    answer_last_requests(stop);
    if (sound_ != nullptr) sound_->stop();  // what is reported of it is final
    return report();
  }

 private:
  Steering* steering() const { return changeable_ != nullptr ? changeable_->steering : nullptr; }

  // Receivers ask for what they miss of the last frame too.
  void answer_last_requests(const std::atomic<bool>& stop) {
    if (!stream_.sender().answers_requests()) return;
    for (const SteadyTime limit = *ended_ + answer_time_;
         steady_now() < limit && !stop.load(std::memory_order_relaxed);)
      progress_.wait_until(std::min(limit, steady_now() + kTick));
  }

  // The clock starts with the first frame that can be encoded at once.
  void begin(const std::atomic<bool>& stop) {
    stream_.encoder().warm_up();
    // What a live source took before then has become old.
    const SteadyTime oldest = steady_now() - period_;
    if (live_ && decoder_.peek() != nullptr && decoder_.ready_at() < oldest) decoder_.release(true);
    while (decoder_.peek() == nullptr && !decoder_.ended() && !stop.load(std::memory_order_relaxed))
      progress_.wait_until(steady_now() + kTick);
    if (paced_ && !live_) wait_for_encoder(stop);
    stream_.encoder().compile_at_low_priority();
    begun_ = steady_now();
    begun_wall_ = wall_now();
  }

  enum class WaitEnd { not_needed, processor_keeps_up, too_long };

  void wait_for_encoder(const std::atomic<bool>& stop) {
    const WaitEnd end = wait_until_ready(stop);
    if (wait_.on_end) wait_.on_end();
    if (end == WaitEnd::processor_keeps_up)
      log_info("the processor keeps up until the kernels are built: the stream begins");
    if (end == WaitEnd::too_long)
      log_warning("not compiled after {:.0f} s: the stream begins all the same, encoded by the processor",
                  in_seconds(wait_.at_most));
    if (!stop.load(std::memory_order_relaxed)) trial_.finish(stream_.encoder());
  }

  WaitEnd wait_until_ready(const std::atomic<bool>& stop) {
    const SteadyTime from = steady_now(), limit = from + wait_.at_most;
    while (!stop.load(std::memory_order_relaxed) && !stream_.is_becoming()) {
      const EncoderPreparation preparation = stream_.encoder().preparation();
      const SteadyTime now = steady_now();
      waited_ = now - from;
      if (preparation.is_over || wait_.at_most <= nanoseconds{}) break;
      if (now >= limit) return WaitEnd::too_long;
      if (processor_keeps_up()) return WaitEnd::processor_keeps_up;
      if (wait_.on_wait) wait_.on_wait(waited_, preparation);
      if (stream_.encoder().in_flight() == 0) obey();
      progress_.wait_until(std::min(limit, now + kTick));
    }
    return WaitEnd::not_needed;
  }

  bool processor_keeps_up() {
    const media::SourceFrame* frame = decoder_.peek();
    return frame != nullptr && trial_.step(stream_.encoder(), frame->view);
  }

  bool input_over() const { return limit_ && frames_in_ >= static_cast<uint64_t>(*limit_); }
  bool finished() {
    return !paused_at_ && (input_over() || decoder_.ended()) && stream_.encoder().in_flight() == 0 &&
           stream_.sender().drained();
  }

  // Submits the decoded frame when it is due, or drops it when it is too late. False when it has to wait.
  bool take_decoded() {
    if (stream_.is_leaving()) return false;
    const media::SourceFrame* frame = input_over() ? nullptr : decoder_.peek();
    if (frame == nullptr) return false;
    if (changeable_ != nullptr && frame->view.format != stream_.source_format()) {
      if (stream_.is_becoming()) return false;  // first what was asked for
      stream_.follow(frame->view.format);
      return true;
    }
    if (paused_at_) return show_still(*frame);
    const SteadyTime now = steady_now();
    FrameTimes times = frame->times;
    times.pts += shift_;
    if (!paced_) {
      times.available = begun_wall_ + times.pts;
    } else if (!live_) {
      // What a change of the stream held up is caught up with, and no fault of the decoder's.
      due_ = timeline_.due(times.pts, catching_up_ ? begun_ : std::max(decoder_.ready_at(), begun_),
                           standstills_.total(now));
      catching_up_ = catching_up_ && now > timeline_.drop_at(due_);
      if (now < due_) return false;
      times.available = wall_now() - (now - due_);
    } else {
      due_ = decoder_.ready_at();
    }
    const bool room = stream_.hand_over().has_room();
    if (!room && (!paced_ || (!live_ && now < timeline_.drop_at(due_)))) return false;
    if (room)
      stream_.encoder().submit(trial_.in_stream(frame->view), times);
    else
      ++dropped_;
    ++frames_in_;
    if (sound_ != nullptr) sound_->on_frame(times.pts, frame->place, times.available);
    shown_until_ = times.available + period_;
    if (steering() != nullptr) steering()->position(frame->place);
    decoder_.release(!room);
    return true;
  }

  // While paused the frame that is next stays, and is sent now and then.
  bool show_still(const media::SourceFrame& frame) {
    const SteadyTime now = steady_now();
    if (now < next_still_ || !stream_.hand_over().has_room()) return false;
    next_still_ = now + kStillPeriod;
    FrameTimes times = frame.times;
    times.pts += shift_ + (now - *paused_at_);
    times.available = wall_now();
    stream_.encoder().submit(trial_.in_stream(frame.view), times);
    if (steering() != nullptr) steering()->position(frame.place);
    return true;
  }

  // When the decoded frame is to be submitted, or dropped. All else sets progress_.
  SteadyTime next_due() {
    if (!paced_ || input_over() || decoder_.peek() == nullptr || stream_.is_leaving()) return SteadyTime::max();
    if (paused_at_) return stream_.hand_over().has_room() ? next_still_ : SteadyTime::max();
    if (live_) return SteadyTime::max();
    return steady_now() < due_ ? due_ : timeline_.drop_at(due_);
  }

  // Whether something was done.
  bool obey() {
    if (!stream_.is_becoming()) return begin_change();
    const std::optional<OutgoingStream::Outcome> outcome = stream_.step();
    if (!outcome) return false;
    if (outcome->wrong && !done_) throw *outcome->wrong;  // a source that cannot be followed
    if (outcome->other_encoder) decoder_.decode_into(stream_.encoder().frame_pool());
    if (outcome->other_destinations && sound_ != nullptr) sound_->go_to(stream_.destinations().resolved());
    if (!outcome->wrong) catching_up_ = true;
    finish_change(outcome->wrong);
    return true;
  }

  bool begin_change() {
    if (steering() == nullptr) return false;
    std::optional<Steering::Asked> asked = steering()->next();
    if (!asked) return false;
    const SendChange& change = asked->change;
    if (!paced_ && (change.paused || !change.add.empty() || !change.remove.empty())) {
      asked->done(Error(ErrorKind::usage, "a stream into captures alone has no pace and no receivers"));
      return true;
    }
    if (change.paused) set_paused(*change.paused);
    const bool differs = stream_.differs(change);
    if (change.seek && differs) {
      asked->done(Error(ErrorKind::usage, "seek and other changes are asked for one after the other"));
    } else if (change.seek) {
      seek(*change.seek, std::move(asked->done));
    } else {
      done_ = std::move(asked->done);
      differs ? stream_.begin(change) : finish_change(std::nullopt);
    }
    return true;
  }

  void finish_change(const std::optional<Error>& wrong) {
    if (!wrong && steering() != nullptr) tell_state();
    if (done_) std::exchange(done_, {})(wrong);
  }

  void set_paused(bool paused) {
    if (paused == paused_at_.has_value()) return;
    if (sound_ != nullptr) sound_->set_paused(paused);
    if (paused) {
      next_still_ = steady_now();
      paused_at_ = next_still_;
      return;
    }
    shift_ += steady_now() - *paused_at_;
    paused_at_.reset();
    if (live_ && decoder_.peek() != nullptr) decoder_.release(true);  // it has become old
  }

  void seek(nanoseconds place, Steering::Done done) {
    if (live_) return done(Error(ErrorKind::usage, "a live input has no places to go to"));
    decoder_.seek(place, [done = std::move(done)](bool went) {
      done(went ? std::nullopt : std::optional(Error(ErrorKind::usage, "this input cannot go to another place")));
    });
    if (decoder_.peek() != nullptr) decoder_.release(true);
    next_still_ = steady_now();
  }

  void tell_state() const {
    SendState state = stream_.state();
    state.paused = paused_at_.has_value();
    steering()->publish(state);
  }

  SendReport report() const {
    return {.waited = waited_,
            .frames_in = frames_in_,
            .dropped = dropped_,
            .slipped = timeline_.slipped(),
            .stood_still = timeline_.stood_still(),
            .seconds = in_seconds(ended_.value_or(steady_now()) - begun_),
            .sent = stream_.sent()};
  }

  media::FrameSource& source_;          // its thread's, but for want_frame()
  const Changeable* changeable_;        // null: the stream stays what it is
  SoundSender* const sound_;            // null: none
  const std::optional<int64_t> limit_;  // of frames of the input
  const StartWait& wait_;
  StartTrial trial_;
  nanoseconds waited_{};
  const nanoseconds answer_time_;
  const bool paced_;
  const bool live_;
  const nanoseconds period_;
  SteadyTime begun_{};  // when the clock of the stream started
  WallTime begun_wall_{};
  std::optional<SteadyTime> ended_{};
  WallTime shown_until_{};  // the end of the last frame
  Timeline timeline_;
  Standstills standstills_;
  SteadyTime due_{};
  bool catching_up_ = false;
  nanoseconds shift_{};  // of the stream's time against the source's: pauses
  std::optional<SteadyTime> paused_at_{};
  SteadyTime next_still_{};
  uint64_t frames_in_ = 0;
  uint64_t dropped_ = 0;
  AutoResetEvent progress_;  // before the threads that set it
  OutgoingStream stream_;
  Steering::Done done_{};  // of what stream_ is asked to become; empty: nobody asked, the source has changed
  DecodeAhead decoder_;
};

}  // namespace

SendReport send_stream(media::FrameSource& source, Encoder& encoder, Destinations& destinations,
                       const SendSettings& settings, const std::atomic<bool>& stop,
                       const std::function<void(const SendReport&)>& on_tick, std::optional<int64_t> frames,
                       const Changeable* changeable, SoundSender* sound, const StartWait& wait) {
  return Pipeline(source, encoder, destinations, settings, frames, changeable, sound, wait).run(stop, on_tick);
}

}  // namespace texcast::stream
