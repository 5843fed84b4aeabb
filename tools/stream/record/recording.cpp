#include "stream/recording.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/file_place.h"
#include "base/log.h"
#include "base/reader_gone.h"
#include "base/ready_time.h"
#include "recording_parts.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kLook = std::chrono::milliseconds(20);  // how often to check whether frames on the disk can go on
constexpr size_t kMostRefusals = 4;  // logged at most: anybody can send streams that the file cannot hold

Wholeness wholeness_of(const PooledFrame& frame) {
  const PlaneLayout plane = texture_layout(frame.desc).planes[0];
  const size_t missing = std::max<size_t>(frame.concealed_blocks, frame.concealed ? 1 : 0);
  return wholeness(missing, static_cast<size_t>(plane.blocks_x) * static_cast<size_t>(plane.blocks_y));
}

}  // namespace

Recording::Recording(media::RecorderSettings settings, WhenFull when_full, LayoutSettings layout)
    : path_(settings.path),
      most_files_(settings.most_files),
      is_pipe_(settings.pipe != nullptr),
      when_full_(when_full),
      space_(settings.most_bytes),
      parts_(make_parts(std::move(settings), std::move(layout))),
      thread_([this](const std::stop_token& stop) { run(stop); },
              [this](const std::exception_ptr& failure) { give_up(failure); }) {
  const std::lock_guard lock(mutex_);
  report_.missing.is_pipe = is_pipe_;
}

Recording::~Recording() {
  try {
    if (const auto report = finish(); report.failure)
      log_error("the recording is incomplete: {}", report.failure->what());
  } catch (const std::exception& error) {
    log_error("the recording is incomplete: {}", error.what());
  }
}

std::unique_ptr<RecordingParts> Recording::make_parts(media::RecorderSettings settings, LayoutSettings layout) {
  if (when_full_ == WhenFull::drop) layout.while_compiling = WhileCompiling::to_disk;
  RecordingParts::Sound sound{.format =
                                  [this] {
                                    const std::lock_guard lock(mutex_);
                                    return sound_format_;
                                  },
                              .take =
                                  [this] {
                                    const std::lock_guard lock(mutex_);
                                    return sound_.take();
                                  }};
  return std::make_unique<RecordingParts>(std::move(settings), std::move(layout), std::move(sound));
}

void Recording::put(const FrameRef& frame, double fps) {
  {
    std::unique_lock lock(mutex_);
    if (when_full_ == WhenFull::wait) changed_.wait(lock, [this] { return waiting_ < kQueueFrames || ended_; });
    if (ended_ || thread_.stop_requested()) return;
    came_next_ = (came_next_ + 1) % kQueueFrames;
    const SteadyTime now = steady_now();
    const nanoseconds span = now - std::exchange(came_[came_next_], now);
    picture_end_ = frame->available == WallTime{} ? WallTime{} : frame->available + frame_period(fps);
    if (!std::exchange(has_begun_, true) && frame->wants_samples) frame->wants_samples->store(true);
    if (waiting_ == kQueueFrames) return count_missing(span, fps);
    if (waiting_ == 0) cause_.queue_empty();
    queue_[(first_ + waiting_++) % kQueueFrames] = {frame, fps};
  }
  changed_.notify_all();
}

void Recording::expect_sound() {
  const std::lock_guard lock(mutex_);
  expects_sound_ = media::takes_sound(path_);
}

void Recording::put_sound(const SoundBlock& block) {
  {
    const std::lock_guard lock(mutex_);
    if (!expects_sound_ || ended_) return;
    if (!sound_format_) {
      sound_format_ = block;
      sound_format_->samples = {};
    }
    const auto frames = static_cast<int64_t>(block.samples.size()) / std::max(1, block.format.channels);
    sound_end_ = block.captured == WallTime{} || block.format.rate <= 0
                     ? WallTime{}
                     : block.captured + nanoseconds(frames * 1'000'000'000 / block.format.rate);
    sound_.put(block);
  }
  changed_.notify_all();
}

void Recording::wait_for_sound(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!expects_sound_ || sound_format_) return;
  changed_.wait_for(lock, stop, kSoundWait, [this] { return sound_format_ || waiting_ >= kQueueFrames / 2; });
}

RecordingReport Recording::finish() {
  thread_.stop();
  const std::lock_guard lock(mutex_);
  RecordingReport report = report_;
  report.failure = std::exchange(report_.failure, std::nullopt);
  return report;
}

// The lock is held. False if it is unknown.
bool Recording::has_all_sound() const {
  if (!sound_format_ || ended_) return true;
  return picture_end_ != WallTime{} && sound_end_ >= picture_end_;
}

RecordingReport Recording::finish_with_sound() {
  {
    std::unique_lock lock(mutex_);
    const bool has_times = picture_end_ != WallTime{} && sound_end_ != WallTime{};
    changed_.wait_for(lock, has_times ? kSoundEnd : kSoundWait, [this] { return has_all_sound(); });
  }
  return finish();
}

uint64_t Recording::dropped() const {
  const std::lock_guard lock(mutex_);
  return report_.missing.total() + undecided_;
}

uint64_t Recording::passed_over() const {
  const std::lock_guard lock(mutex_);
  return report_.passed.total();
}

bool Recording::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

std::optional<std::string> Recording::notice() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notice_, std::nullopt);
}

// The lock is held. `span`: the time in which the latest kQueueFrames frames came.
void Recording::count_missing(nanoseconds span, double fps) {
  const SteadyTime now = steady_now();
  const double rate = fps > 0 ? fps : 60;
  MissingFrames& missing = report_.missing;
  missing.time += frame_period(rate);
  if (const Standstills::Last standstill = standstills_.last(now); is_aftermath(standstill, now)) {
    ++missing.standstill;
    missing.stood_still = std::max(missing.stood_still, standstill.duration);
  } else if (is_burst(kQueueFrames, span, rate)) {
    ++missing.burst;
  } else {
    ++undecided_;
  }
}

void Recording::say(std::string text) {
  log_warning("{}", text);
  const std::lock_guard lock(mutex_);
  notice_ = std::move(text);
}

// After a stop request, the waiting frames are still written.
void Recording::run(const std::stop_token& stop) {
  try {
    media::load_for_recording(path_);  // now, while no frame waits for it
  } catch (const Error&) {             // thrown again when the library is needed
  }
  while (true) {
    const Turn turn = next_turn(stop);
    switch (turn.act) {
      case Act::write:
        if (!std::exchange(waited_for_sound_, true)) wait_for_sound(stop);
        watched([&] { write(turn.job); });
        look_at_space();
        break;
      case Act::pass_over: pass_over(turn.job, turn.why); break;
      case Act::go_on: {
        bool moved = false;
        watched([&] { moved = parts_->go_on(); });
        moved ? look_at_space() : pause(stop);
        break;
      }
      case Act::end: return watched([&] { parts_->close(); });
    }
  }
}

Recording::Turn Recording::next_turn(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    const bool no_more = stop.stop_requested();
    if (std::optional<Turn> turn = turn_of_oldest(no_more)) {
      lock.unlock();
      changed_.notify_all();
      return std::move(*turn);
    }
    if (no_more) return {.act = Act::end};
    if (parts_->waiting() > 0) return {.act = Act::go_on};
    changed_.wait(lock, stop, [this, seen = waiting_] { return waiting_ > seen; });
  }
}

// The lock is held. nullopt: no frame waits, or the decision needs the next frames. `no_more`: none will come.
std::optional<Recording::Turn> Recording::turn_of_oldest(bool no_more) {
  if (waiting_ == 0) return std::nullopt;
  const auto passed = [&](PassedFrames::Why why) { return Turn{.act = Act::pass_over, .job = pop(), .why = why}; };
  const PooledFrame& oldest = *queue_[first_].frame;
  const bool is_of_file = parts_->is_of(oldest.desc);
  if (!is_of_file && wholeness_of(oldest) == Wholeness::hardly) return passed(PassedFrames::Why::not_whole);
  if (!is_of_file && parts_->begun() >= most_files_) return passed(PassedFrames::Why::too_many_files);
  if (parts_->refusal(oldest.desc)) return passed(PassedFrames::Why::cannot_hold);
  switch (is_of_file ? NextFile::begin : judge(waiting_run(no_more), parts_->begun())) {
    case NextFile::begin: return Turn{.act = Act::write, .job = pop()};
    case NextFile::pass_over: return passed(PassedFrames::Why::not_whole);
    case NextFile::wait: break;
  }
  return std::nullopt;
}

// The lock is held.
WaitingRun Recording::waiting_run(bool no_more) const {
  WaitingRun run;
  const TextureDesc& desc = queue_[first_].frame->desc;
  for (; run.frames < waiting_; ++run.frames) {
    const PooledFrame& frame = *queue_[(first_ + run.frames) % kQueueFrames].frame;
    run.is_cut = frame.desc != desc;
    if (run.is_cut) break;
    const Wholeness came = wholeness_of(frame);
    run.whole += came == Wholeness::whole ? 1 : 0;
    run.nearly += came == Wholeness::nearly ? 1 : 0;
  }
  run.is_last = no_more && !run.is_cut;
  return run;
}

// The lock is held.
Recording::Job Recording::pop() {
  Job job = std::move(queue_[first_]);
  first_ = (first_ + 1) % kQueueFrames;
  --waiting_;
  return job;
}

void Recording::pause(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, kLook, [this, seen = waiting_] { return waiting_ > seen; });
}

void Recording::write(const Job& job) { parts_->write(*job.frame, job.fps > 0 ? job.fps : 60); }

// Measures how the thread spends its time in `work`, which is the cause if frames find no room in the queue meanwhile.
template <typename Work>
void Recording::watched(const Work& work) {
  const media::RecorderProgress before = parts_->progress();
  const nanoseconds ready = thread_ready_now();
  work();
  const WritingTime spent = spent_between(before, parts_->progress(), thread_ready_now() - ready);
  const std::lock_guard lock(mutex_);
  cause_.add(spent);
  report_.missing.add(cause_.cause(), std::exchange(undecided_, 0));
}

void Recording::look_at_space() {
  const SteadyTime now = steady_now();
  if (is_pipe_ || !space_.due(now)) return;
  if (auto warning = space_.look(now, parts_->progress().bytes, free_space(path_))) say(std::move(*warning));
}

void Recording::pass_over(const Job& job, PassedFrames::Why why) {
  {
    const std::lock_guard lock(mutex_);
    report_.passed.add(why);
  }
  if (why == PassedFrames::Why::cannot_hold) tell_refusal(job.frame->desc);
  if (why == PassedFrames::Why::too_many_files && !std::exchange(told_of_most_files_, true))
    say(
        fmt::format("the recording has {} files, the limit of --max-files: streams that need another file are not "
                    "recorded",
                    most_files_));
}

void Recording::tell_refusal(const TextureDesc& texture) {
  if (told_refusals_.size() == kMostRefusals || std::ranges::find(told_refusals_, texture) != told_refusals_.end())
    return;
  told_refusals_.push_back(texture);
  const std::string refusal = parts_->refusal(texture).value_or("");
  if (first_refusal_.empty()) first_refusal_ = refusal;
  say(fmt::format("{} (these frames are not recorded)", refusal));
}

// The thread's last action. After a failure the file keeps what it has; waiting frames are not written.
void Recording::give_up(const std::exception_ptr& failure) {
  std::optional<Error> error;
  std::string full;
  bool reader_gone = false;
  if (failure) {
    try {
      parts_->close();
    } catch (const std::exception&) {  // the first failure is the one to report
    }
    try {
      std::rethrow_exception(failure);
    } catch (const media::RecordingFull& limit) {
      say(full = limit.what());
    } catch (const ReaderGone& gone) {
      error = gone;
      reader_gone = true;
    } catch (const Error& met) {
      error = met;
    } catch (const std::exception& other) {
      error = Error(ErrorKind::failed, other.what());
    }
    if (error && !reader_gone) say(fmt::format("the recording has stopped: {}", error->what()));
  }
  parts_->abandon();
  const RecordingParts::Closed& closed = parts_->closed();
  {
    const std::lock_guard lock(mutex_);
    report_.frames = closed.frames;
    report_.bytes = closed.bytes;
    report_.files = closed.files;
    report_.missing.add(cause_.cause(), std::exchange(undecided_, 0));
    report_.failure = std::move(error);
    report_.reader_gone = reader_gone;
    report_.full = std::move(full);
    if (closed.files.empty()) report_.refusal = first_refusal_;
    ended_ = true;
    queue_.fill({});
    waiting_ = 0;
  }
  changed_.notify_all();
}

}  // namespace texcast::stream
