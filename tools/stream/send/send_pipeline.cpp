#include "stream/send_pipeline.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/standstills.h"
#include "decode_ahead.h"
#include "format_variant.h"
#include "start_rehearsal.h"
#include "start_trial.h"
#include "stream/send_engine.h"
#include "timeline.h"
#include "unsent_frames.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kTick = std::chrono::milliseconds(100);
// After that, a stream whose encoder is ready begins before the kernels of its coder are built, if the CPU keeps up.
constexpr nanoseconds kWaitForCoder = std::chrono::seconds(2);
// While paused, the picture is sent this often, for receivers that have just joined or have lost some of it.
constexpr nanoseconds kStillPeriod = std::chrono::milliseconds(200);

// The pauses of a stream. Time stamps go on during a pause.
class Pause {
 public:
  bool is_on() const { return since_.has_value(); }
  void begin(SteadyTime now) { since_ = next_still_ = now; }
  void end(SteadyTime now) {
    shift_ += now - *since_;
    since_.reset();
  }
  // The stream's time minus the source's.
  nanoseconds shift(SteadyTime now) const { return shift_ + (since_ ? now - *since_ : nanoseconds{}); }
  // When the picture is sent again.
  SteadyTime next_still() const { return next_still_; }
  void set_next_still(SteadyTime time) { next_still_ = time; }

 private:
  nanoseconds shift_{};
  std::optional<SteadyTime> since_{};
  SteadyTime next_still_{};
};

class Pipeline {
 public:
  Pipeline(media::FrameSource& source, Encoder& encoder, Destinations& destinations, const SendSettings& settings,
           std::optional<int64_t> limit, const Changeable* changeable, SoundSender* sound, const StartWait& wait,
           std::span<const VariantPlan> variants)
      : source_(source),
        changeable_(changeable),
        sound_(sound),
        limit_(limit),
        wait_(wait),
        trial_(settings, unsent_),
        answer_time_(settings.answer_time),
        paced_(destinations.real_time()),
        live_(source.is_live()),
        timeline_(frame_period(settings.fps)),
        source_format_(source.format()),
        engine_(encoder, destinations, settings, progress_, changeable),
        decoder_(source, progress_) {
    for (const VariantPlan& variant : variants) variants_.emplace_back(variant, progress_);
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
      const bool moved = engine_.step() || step_variants() || obey() || take_decoded();
      if (!moved && finished()) break;
      if (!moved && live_ && wants_frame() && decoder_.peek() == nullptr) source_.want_frame();
      if (steady_now() >= next_tick) {
        next_tick += kTick;
        on_tick(report());
      }
      if (!moved) progress_.wait_until(std::min(next_due(), next_tick));
    }
    ended_ = steady_now();
    if (sound_ != nullptr) sound_->finish(shown_until_);
    answer_last_requests(stop);
    if (sound_ != nullptr) sound_->stop();  // then its figures are final
    return report();
  }

 private:
  Steering* steering() const { return changeable_ != nullptr ? changeable_->steering : nullptr; }

  // Receivers send NACKs for the last frame too.
  void answer_last_requests(const std::atomic<bool>& stop) {
    if (!engine_.answers_requests()) return;
    for (const SteadyTime limit = *ended_ + answer_time_;
         steady_now() < limit && !stop.load(std::memory_order_relaxed);)
      progress_.wait_until(std::min(limit, steady_now() + kTick));
  }

  // The clock starts with the first frame that can be encoded at once. That of a file is encoded and coded before.
  void begin(const std::atomic<bool>& stop) {
    engine_.encoder().warm_up();
    // A frame that a live source captured before that is old by now.
    const SteadyTime oldest = steady_now() - timeline_.frame_time();
    if (live_ && decoder_.peek() != nullptr && decoder_.ready_at() < oldest) decoder_.release(true);
    while (decoder_.peek() == nullptr && !decoder_.ended() && !stop.load(std::memory_order_relaxed))
      progress_.wait_until(steady_now() + kTick);
    if (paced_ && !live_) {
      wait_for_encoder(stop);
      if (wait_.at_most > nanoseconds{} && !stop.load(std::memory_order_relaxed)) encode_ahead();
    }
    engine_.encoder().compile_at_low_priority();
    begun_.steady = steady_now();
    begun_.wall = wall_now();
  }

  // The first frame takes much longer than the others: all of it is new, and nothing of it may be left out.
  void encode_ahead() {
    const media::SourceFrame* frame = input_over() ? nullptr : decoder_.peek();
    if (frame == nullptr || pause_.is_on() || engine_.is_changing() || frame->view.format != source_format_ ||
        !engine_.destinations().has_audience())
      return;
    engine_.encoder().submit(unsent_.in_stream(frame->view), frame->times);
    ahead_ = engine_.encoder().next();
    engine_.code_ahead(*ahead_);
    while (!engine_.is_idle()) progress_.wait_until(steady_now() + kTick);
  }

  enum class WaitEnd { not_needed, processor_keeps_up, too_long };

  void wait_for_encoder(const std::atomic<bool>& stop) {
    const WaitEnd end = wait_until_ready(stop);
    // The coder may still read the last frame that the encoder gave out. Some drivers compile in a first launch, which
    // cannot be stopped.
    while (!rehearsal_.is_idle()) progress_.wait_until(steady_now() + kTick);
    if (wait_.on_end) wait_.on_end();
    if (end == WaitEnd::processor_keeps_up)
      log_info("the processor keeps up until the kernels are built: the stream begins");
    if (end == WaitEnd::too_long)
      log_warning("the kernels are not built after {:.0f} s: the stream begins, encoded by the processor",
                  in_seconds(wait_.at_most));
    if (!stop.load(std::memory_order_relaxed)) trial_.finish(engine_.encoder());
  }

  WaitEnd wait_until_ready(const std::atomic<bool>& stop) {
    const SteadyTime from = steady_now(), limit = from + wait_.at_most;
    while (!stop.load(std::memory_order_relaxed) && !engine_.is_changing()) {
      const SteadyTime now = steady_now();
      waited_ = now - from;
      if (wait_.at_most <= nanoseconds{}) break;
      const media::SourceFrame* frame = decoder_.peek();
      const bool is_built = engine_.encoder().preparation().is_over;
      if (is_built && (frame == nullptr || rehearsal_.step(frame->view))) break;
      if (now >= limit) return WaitEnd::too_long;
      const bool waits_for_coder = is_built && rehearsal_.waits();
      if (frame != nullptr && (!is_built || (waits_for_coder && waited_ > kWaitForCoder)) &&
          trial_.step(engine_.encoder(), frame->view))
        return WaitEnd::processor_keeps_up;
      if (wait_.on_wait && (!is_built || waits_for_coder)) wait_.on_wait(waited_);
      if (engine_.encoder().in_flight() == 0 && rehearsal_.is_idle()) obey();
      progress_.wait_until(std::min(limit, now + kTick));
    }
    return WaitEnd::not_needed;
  }

  bool input_over() const { return limit_ && frames_in_ >= static_cast<uint64_t>(*limit_); }
  bool finished() {
    return !pause_.is_on() && (input_over() || decoder_.ended()) && engine_.is_drained() &&
           std::ranges::all_of(variants_, &FormatVariant::is_drained);
  }

  bool step_variants() {
    bool moved = false;
    for (FormatVariant& variant : variants_) moved = variant.step() || moved;
    return moved;
  }
  // The viewers of all formats, to whom the sound goes.
  std::vector<std::shared_ptr<web::Stream>> viewers() const {
    auto all = engine_.destinations().web_streams();
    for (const FormatVariant& variant : variants_) std::ranges::move(variant.viewers(), std::back_inserter(all));
    return all;
  }
  bool wants_frame() const {
    return engine_.wants_frame() || std::ranges::any_of(variants_, &FormatVariant::wants_frame);
  }

  // Submits the decoded frame when it is due, or drops it when it is too late. False when it has to wait.
  bool take_decoded() {
    if (engine_.is_draining()) return false;
    const media::SourceFrame* frame = input_over() ? nullptr : decoder_.peek();
    if (frame == nullptr) return false;
    if (changeable_ != nullptr && frame->view.format != source_format_) {
      if (engine_.is_changing()) return false;  // the change under way comes first
      source_format_ = frame->view.format;
      engine_.follow(source_format_);
      return true;
    }
    if (pause_.is_on()) return show_still(*frame);
    const SteadyTime now = steady_now();
    FrameTimes times = frame->times;
    times.pts += pause_.shift(now);
    if (!paced_) {
      times.available = begun_.wall + times.pts;
    } else if (!live_) {
      // Frames that a change of the stream has delayed are caught up with; they do not count as late.
      due_ = timeline_.due(times.pts, catching_up_ ? begun_.steady : std::max(decoder_.ready_at(), begun_.steady),
                           standstills_.total(now));
      catching_up_ = catching_up_ && now > timeline_.drop_at(due_);
      if (now < due_) return false;
      times.available = wall_now() - (now - due_);
    } else {
      due_ = decoder_.ready_at();
    }
    const bool is_watched = ahead_ || engine_.destinations().has_audience();
    const bool room = ahead_ || (is_watched && engine_.has_room());
    if (is_watched && !room && (!paced_ || (!live_ && now < timeline_.drop_at(due_)))) return false;
    if (ahead_)
      send_ahead(times);
    else if (room)
      engine_.encoder().submit(unsent_.in_stream(frame->view), times);
    else
      ++(is_watched ? dropped_ : unwatched_);
    for (FormatVariant& variant : variants_) variant.submit(frame->view, times);
    ++frames_in_;
    if (sound_ != nullptr) sound_->on_frame(times.pts, frame->place, times.available);
    shown_until_ = times.available + timeline_.frame_time();
    if (steering() != nullptr) steering()->position(frame->place);
    decoder_.release(!room);
    return true;
  }

  void send_ahead(FrameTimes times) {
    times.encoded = times.available;
    ahead_->times = times;
    engine_.start(*ahead_);
    ahead_.reset();
  }

  // During a pause the next frame stays, and is sent every kStillPeriod, or when a receiver asks for it.
  bool show_still(const media::SourceFrame& frame) {
    const SteadyTime now = steady_now();
    if ((now < pause_.next_still() && !wants_frame()) || !engine_.has_room()) return false;
    pause_.set_next_still(now + kStillPeriod);
    FrameTimes times = frame.times;
    times.pts += pause_.shift(now);
    times.available = wall_now();
    if (engine_.destinations().has_audience()) engine_.encoder().submit(unsent_.in_stream(frame.view), times);
    for (FormatVariant& variant : variants_) variant.submit(frame.view, times);
    if (steering() != nullptr) steering()->position(frame.place);
    return true;
  }

  // When the decoded frame must be submitted or dropped. Every other event sets progress_.
  SteadyTime next_due() {
    if (!paced_ || input_over() || decoder_.peek() == nullptr || engine_.is_draining()) return SteadyTime::max();
    if (pause_.is_on()) return engine_.has_room() ? pause_.next_still() : SteadyTime::max();
    if (live_) return SteadyTime::max();
    return steady_now() < due_ ? due_ : timeline_.drop_at(due_);
  }

  // Starts and continues changes of the stream. False: there was nothing to do.
  bool obey() {
    if (!engine_.is_changing()) return begin_change();
    const std::optional<SendEngine::Outcome> outcome = engine_.step_change();
    if (!outcome) return false;
    if (outcome->error && !done_) throw *outcome->error;  // the source's new format cannot be encoded
    if (outcome->is_encoder_changed) decoder_.decode_into(engine_.encoder().frame_pool());
    if (outcome->are_destinations_changed && sound_ != nullptr)
      sound_->go_to(engine_.destinations().resolved(), viewers());
    if (!outcome->error) catching_up_ = true;
    finish_change(outcome->error);
    return true;
  }

  bool begin_change() {
    if (steering() == nullptr) return false;
    std::optional<Steering::Request> request = steering()->next();
    if (!request) return false;
    const SendChange& change = request->change;
    if (!paced_ && (change.paused || !change.add.empty() || !change.remove.empty())) {
      request->done(Error(ErrorKind::usage, "a stream into captures alone has no pace and no receivers"));
      return true;
    }
    if (change.paused) set_paused(*change.paused);
    const bool differs = engine_.differs(change);
    if (change.seek && differs) {
      request->done(Error(ErrorKind::usage, "seek and other changes are asked for one after the other"));
    } else if (change.seek) {
      seek(*change.seek, std::move(request->done));
    } else {
      done_ = std::move(request->done);
      differs ? engine_.begin_change(change, source_format_) : finish_change(std::nullopt);
    }
    return true;
  }

  void finish_change(const std::optional<Error>& error) {
    if (!error && steering() != nullptr) tell_state();
    if (done_) std::exchange(done_, {})(error);
  }

  void set_paused(bool paused) {
    if (paused == pause_.is_on()) return;
    if (sound_ != nullptr) sound_->set_paused(paused);
    if (paused) {
      pause_.begin(steady_now());
      return;
    }
    pause_.end(steady_now());
    if (live_ && decoder_.peek() != nullptr) decoder_.release(true);  // it is old by now
  }

  void seek(nanoseconds place, Steering::Done done) {
    if (live_) return done(Error(ErrorKind::usage, "a live input has no places to go to"));
    decoder_.seek(place, [done = std::move(done)](bool went) {
      done(went ? std::nullopt : std::optional(Error(ErrorKind::usage, "this input cannot go to another place")));
    });
    if (decoder_.peek() != nullptr) decoder_.release(true);
    pause_.set_next_still(steady_now());
  }

  void tell_state() const {
    SendState state = engine_.state();
    state.paused = pause_.is_on();
    steering()->publish(state);
  }

  SendReport report() const {
    return {.begun = begun_.steady,
            .waited = waited_,
            .frames_in = frames_in_,
            .dropped = dropped_,
            .unwatched = unwatched_,
            .slipped = timeline_.slipped(),
            .stood_still = timeline_.stood_still(),
            .seconds = in_seconds(ended_.value_or(steady_now()) - begun_.steady),
            .sent = engine_.sent()};
  }

  media::FrameSource& source_;          // used by decoder_'s thread, except want_frame()
  const Changeable* changeable_;        // nullptr: the stream never changes
  SoundSender* const sound_;            // nullptr: no sound
  const std::optional<int64_t> limit_;  // number of frames of the input
  const StartWait& wait_;
  UnsentFrames unsent_;
  StartTrial trial_;
  nanoseconds waited_{};
  const nanoseconds answer_time_;
  const bool paced_;
  const bool live_;
  struct {
    SteadyTime steady{};
    WallTime wall{};
  } begun_{};  // start of the stream's clock
  std::optional<SteadyTime> ended_{};
  WallTime shown_until_{};  // end of the last frame
  Timeline timeline_;
  Standstills standstills_;
  SteadyTime due_{};
  bool catching_up_ = false;
  Pause pause_;
  uint64_t frames_in_ = 0;
  uint64_t dropped_ = 0;
  uint64_t unwatched_ = 0;
  FrameFormat source_format_;
  AutoResetEvent progress_;  // before the threads that set it
  SendEngine engine_;
  StartRehearsal rehearsal_{engine_, unsent_};
  std::optional<EncodedFrame> ahead_;  // the first frame, if it is encoded and coded and has not left
  std::deque<FormatVariant> variants_;
  Steering::Done done_{};  // of the change under way; empty: the source required it
  DecodeAhead decoder_;
};

}  // namespace

SendReport send_stream(media::FrameSource& source, Encoder& encoder, Destinations& destinations,
                       const SendSettings& settings, const std::atomic<bool>& stop,
                       const std::function<void(const SendReport&)>& on_tick, std::optional<int64_t> frames,
                       const Changeable* changeable, SoundSender* sound, const StartWait& wait,
                       std::span<const VariantPlan> variants) {
  // Before the first frame is decoded. Destinations ignores the pointer if the stream does not carry it.
  source.on_cursor([&destinations, variants](const Cursor& cursor, WallTime at) {
    destinations.show_cursor(cursor, at);
    for (const VariantPlan& variant : variants) variant.destinations.show_cursor(cursor, at);
  });
  return Pipeline(source, encoder, destinations, settings, frames, changeable, sound, wait, variants)
      .run(stop, on_tick);
}

}  // namespace texcast::stream
