#include "stream/recording.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/file_place.h"
#include "base/log.h"

namespace texcast::stream {
Recording::Recording(media::RecorderSettings settings, WhenFull when_full, LayoutSettings layout)
    : claim_(std::move(settings.claim)),
      settings_(std::move(settings)),
      layout_(std::move(layout)),
      when_full_(when_full),
      space_(settings_.most_bytes),
      thread_([this](const std::stop_token& stop) { run(stop); },
              [this](const std::exception_ptr& failure) { give_up(failure); }) {}

Recording::~Recording() {
  try {
    if (const auto report = finish(); report.failure)
      log_error("the recording is not complete: {}", report.failure->what());
  } catch (const std::exception& error) {
    log_error("the recording is not complete: {}", error.what());
  }
}

void Recording::put(const FrameRef& frame, double fps) {
  {
    std::unique_lock lock(mutex_);
    if (when_full_ == WhenFull::wait) changed_.wait(lock, [this] { return waiting_ < kQueueFrames || ended_; });
    if (ended_ || thread_.stop_requested()) return;
    picture_end_ = frame->available == WallTime{} ? WallTime{} : frame->available + frame_period(fps);
    if (waiting_ == kQueueFrames) return count_missing(fps);
    if (waiting_ == 0) cause_.queue_empty(progress_.disk, progress_.work);
    queue_[(first_ + waiting_++) % kQueueFrames] = {frame, fps};
  }
  changed_.notify_all();
}

void Recording::expect_sound() {
  const std::lock_guard lock(mutex_);
  expects_sound_ = media::takes_sound(settings_.path);
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

// With the first frame in the queue.
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

// With the lock. False where nobody can tell.
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
  return report_.missing.total();
}

bool Recording::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

std::optional<std::string> Recording::notice() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notice_, std::nullopt);
}

// With the lock.
void Recording::count_missing(double fps) {
  const SteadyTime now = steady_now();
  const Standstills::Last standstill = standstills_.last(now);
  MissingFrames& missing = report_.missing;
  const nanoseconds writing_for = writing_since_ ? now - *writing_since_ : nanoseconds{};
  switch (cause_.cause(now, progress_.disk, progress_.work, writing_for, standstill)) {
    case MissingFrames::Cause::disk: ++missing.disk; break;
    case MissingFrames::Cause::processor: ++missing.processor; break;
    case MissingFrames::Cause::standstill:
      ++missing.standstill;
      missing.stood_still = std::max(missing.stood_still, standstill.duration);
      break;
  }
  missing.time += nanoseconds(std::llround(1e9 / (fps > 0 ? fps : 60)));
}

void Recording::say(std::string text) {
  log_warning("{}", text);
  const std::lock_guard lock(mutex_);
  notice_ = std::move(text);
}

// What waits is written, also when it is told to stop.
void Recording::run(const std::stop_token& stop) {
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return waiting_ > 0; })) break;
      if (!part_ && !told_of_sound_) {
        lock.unlock();
        wait_for_sound(stop);
        lock.lock();
      }
      job = std::move(queue_[first_]);
      first_ = (first_ + 1) % kQueueFrames;
      --waiting_;
    }
    changed_.notify_all();
    write_watched(job);
  }
  close_part();
}

// The last that the thread does. After a failure: what is in the file already is kept, what waits is not written.
void Recording::give_up(const std::exception_ptr& failure) {
  std::optional<Error> error;
  std::string full;
  if (failure) {
    try {
      close_part();
    } catch (const std::exception&) {  // the first failure says why
      part_.reset();
    }
    try {
      std::rethrow_exception(failure);
    } catch (const media::RecordingFull& limit) {
      say(full = limit.what());
    } catch (const Error& met) {
      error = met;
    } catch (const std::exception& other) {
      error = Error(ErrorKind::failed, other.what());
    }
    if (error) say(fmt::format("the recording has ended: {}", error->what()));
  }
  claim_.reset();
  {
    const std::lock_guard lock(mutex_);
    report_.failure = std::move(error);
    report_.full = std::move(full);
    ended_ = true;
    queue_.fill({});
    waiting_ = 0;
  }
  changed_.notify_all();
}

void Recording::write_watched(const Job& job) {
  {
    const std::lock_guard lock(mutex_);
    writing_since_ = steady_now();
  }
  write(job);
  const media::RecorderProgress part = part_->progress();
  const SteadyTime now = steady_now();
  {
    const std::lock_guard lock(mutex_);
    writing_since_.reset();
    progress_ = {.bytes = closed_parts_.bytes + part.bytes,
                 .disk = closed_parts_.disk + part.disk,
                 .work = closed_parts_.work + part.work};
  }
  if (!space_.due(now)) return;
  if (auto warning = space_.look(now, progress_.bytes, free_space(settings_.path))) say(std::move(*warning));
}

void Recording::write(const Job& job) {
  const PooledFrame& frame = *job.frame;
  if (part_ && frame.desc != part_desc_) close_part();
  if (!part_) {
    media::RecorderSettings settings = settings_;
    settings.first_part = next_part_;
    if (settings.most_bytes > 0) settings.most_bytes = std::max<int64_t>(1, settings.most_bytes - report_.bytes);
    settings.claim = std::exchange(claim_, nullptr);
    settings.texture = frame.desc;
    settings.fps = job.fps > 0 ? job.fps : 60;
    settings.sound = begin_sound();
    settings.keeps_lossy = settings.coding == FileCoding::compact && frame.is_lossy;
    keeps_lossy_ = settings.keeps_lossy;
    last_id_ = 0;
    // The first texture says whether it was right to ask for a layout; a stream that changes goes on.
    if (!report_.files.empty() && !has_layouts(settings_.path, frame.desc.format)) layout_.layout.reset();
    part_ = make_recorder(settings, layout_);
    part_desc_ = frame.desc;
    part_begin_ = frame.times.pts;
  } else if (frame.times.pts <= last_pts_) {
    // Time stamps come from outside; the file's have to rise.
    const double step_s = 1 / (job.fps > 0 ? job.fps : 60.0);
    part_begin_ -= last_pts_ - frame.times.pts + nanoseconds(std::llround(step_s * 1e9));
  }
  last_pts_ = frame.times.pts;
  sound_place_.on_frame(frame.times.pts, frame.available, frame.arrived, frame.new_stream);
  write_sound();
  if (frame.concealed_blocks > 0) part_->mark_concealed(frame.concealed_blocks);
  if (keeps_lossy_ && last_id_ != 0 && frame.needs_id == last_id_) part_->keep(frame.payloads);
  part_->write(frame.view(), frame.times.pts - part_begin_);
  last_id_ = frame.id;
}

// For the part that begins; null where no sound has come.
std::shared_ptr<media::RecordedSound> Recording::begin_sound() {
  const std::lock_guard lock(mutex_);
  told_of_sound_ = true;
  recorded_sound_.reset();
  if (!sound_format_) return nullptr;
  recorded_format_ = sound_format_->format;
  recorded_sound_ = std::make_shared<media::RecordedSound>(recorded_format_, sound_format_->bits);
  return recorded_sound_;
}

// What has come of it goes to where the pictures' time stamps say; the recorder writes it with the frames.
void Recording::write_sound() {
  std::deque<WaitingSound::Piece> pieces;
  {
    const std::lock_guard lock(mutex_);
    pieces = sound_.take();
  }
  bool is_left_out = false;
  for (WaitingSound::Piece& piece : pieces) {
    piece.block.samples = piece.samples;
    const bool fits = recorded_sound_ && piece.block.format.rate == recorded_format_.rate &&
                      piece.block.format.channels == recorded_format_.channels;
    const auto time = fits ? sound_place_.of(piece.block) : std::nullopt;
    if (time) recorded_sound_->put(*time - part_begin_, piece.samples);
    is_left_out = is_left_out || !fits;
  }
  if (!is_left_out || std::exchange(sound_left_out_, true)) return;
  log_warning("{}", recorded_sound_ ? "the recording leaves out sound of another format than it began with"
                                    : "the recording has no sound: that began when the file was already open");
}

void Recording::close_part() {
  if (!part_) return;
  write_sound();
  const std::unique_ptr<media::Recorder> part = std::move(part_);
  const media::RecorderReport done = part->finish();
  const media::RecorderProgress progress = part->progress();
  closed_parts_.bytes += done.bytes;
  closed_parts_.disk += progress.disk;
  closed_parts_.work += progress.work;
  const std::lock_guard lock(mutex_);
  report_.frames += done.frames;
  report_.bytes += done.bytes;
  next_part_ = done.next_part;
  report_.files.insert(report_.files.end(), done.files.begin(), done.files.end());
}

}  // namespace texcast::stream
