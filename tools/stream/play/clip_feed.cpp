#include "stream/clip_feed.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/log.h"
#include "player/presenter.h"
#include "stream/read_clocks.h"
#include "stream/slate_text.h"
#include "text/figures.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kSoundMayTake = std::chrono::milliseconds(250);  // to begin; then the picture runs without it
constexpr size_t kMostBufferBytes = size_t{512} << 20;
constexpr double kSlowest = 0.25, kFastest = 4;

// Fewer buffers if all would take more than half a gigabyte; then the picture waits for unpacking more often.
std::unique_ptr<player::UploadBuffers> buffers_for(const media::ClipInfo& clip, player::Presenter* presenter) {
  const size_t bytes = texture_layout(clip.texture).total_bytes;
  const size_t count = std::clamp(kMostBufferBytes / bytes, ReadAhead::kFewestBuffers, ReadAhead::kBuffers);
  return presenter != nullptr ? presenter->make_upload_buffers(count, bytes)
                              : player::make_plain_upload_buffers(count, bytes);
}

ReadAhead read_ahead(std::unique_ptr<media::ClipReader> reader, const ClipFeedSettings& settings) {
  auto buffers = buffers_for(reader->info(), settings.presenter);
  return ReadAhead(std::move(reader), std::move(buffers), settings.threads,
                   settings.timing ? settings.timing->lap : std::nullopt);
}

player::StageLatency stage(const char* name, const LatencyWindow& window, size_t newest = LatencyWindow::kCapacity) {
  return {name, window.count(), window.milliseconds(0.5, newest), window.milliseconds(0.95, newest)};
}

std::unique_ptr<AudioPlayer> sound_of(const media::ClipInfo& clip, ClipFeedSettings& settings) {
  if (settings.pace != ClipPace::by_time_stamps || settings.timing) return nullptr;
  if (settings.audio || !settings.sound) return std::move(settings.audio);
  auto reader = media::open_audio(clip.path);
  if (!reader) return nullptr;
  auto audio = AudioPlayer::open(std::move(reader), clip.duration);
  if (audio) return std::move(*audio);
  log_warning("playing {} without audio: {}", clip.path, audio.error().message);
  return nullptr;
}

}  // namespace

ClipFeed::ClipFeed(std::unique_ptr<media::ClipReader> reader, ClipFeedSettings settings, Clock& clock)
    : clock_(clock),
      pace_(settings.pace),
      audio_(sound_of(reader->info(), settings)),
      ahead_(read_ahead(std::move(reader), settings)) {
  if (!settings.timing || pace_ != ClipPace::by_time_stamps) return;
  schedule_.emplace(*settings.timing);
  schedule_->follow(read_clocks(clock_));
  jump_.reset();
  loop_ = settings.timing->lap.has_value();
  ahead_.set_loop(loop_);
}

nanoseconds ClipFeed::frame_time() const { return frame_period(info().fps > 0 ? info().fps : 25.0); }

// A time inside the last frame, whatever its duration.
nanoseconds ClipFeed::last_moment() const {
  return info().duration ? std::max(*info().duration - nanoseconds(1), nanoseconds{}) : nanoseconds::max();
}

std::optional<uint64_t> ClipFeed::frame_count() const {
  if (!info().frame_count) return std::nullopt;
  return static_cast<uint64_t>(*info().frame_count);
}

std::optional<nanoseconds> ClipFeed::position() const {
  if (!has_shown_) return std::nullopt;
  if (jump_) return jump_->pts;
  return std::min(latest().pts + steps_ * frame_time(), std::max(last_moment(), latest().pts));
}

std::optional<player::FeedFrame> ClipFeed::take_scheduled(SteadyTime now) {
  schedule_->follow(read_clocks(clock_));
  const nanoseconds position = schedule_->at(swaps_.seen_at(now));
  const auto shown = has_shown_ ? std::optional(shown_.due) : std::nullopt;
  if (const auto there = schedule_->seek(position, ahead_.next_due(), shown)) {
    ahead_.seek(std::min(*there, last_moment()));
    has_shown_ = false;
    return std::nullopt;
  }
  auto fresh = ahead_.take_due(position);
  if (!fresh) return std::nullopt;
  shown_ = std::move(*fresh);
  has_shown_ = true;
  rate_.add(shown_.stored_bytes, shown_.duration);
  player::FeedFrame frame = shown_frame();
  frame.due = frame.times.available = schedule_->due(shown_.due);
  return frame;
}

void ClipFeed::wait_for_schedule(SteadyTime limit) {
  const auto due = ahead_.next_due();
  if (!due && !ahead_.ended()) return wait_for_reading(limit);
  const SteadyTime draw_from = due ? swaps_.draw_from(schedule_->when(*due)) : limit;
  if (draw_from <= clock_.now()) return wait_for_reading(limit);  // due, but not unpacked yet
  clock_.sleep_until(std::min(limit, draw_from));
}

player::FeedState ClipFeed::scheduled_state() const {
  const nanoseconds position = schedule_->at(clock_.now());
  const auto end = ahead_.ended() && has_shown_ ? shown_.due + shown_.duration : info().duration;
  if (!loop_ && end && position >= *end) return player::FeedState::ended;
  return has_shown_ ? player::FeedState::playing : player::FeedState::waiting;
}

std::vector<std::string> ClipFeed::slate(SteadyTime now) const {
  if (!schedule_ || has_shown_) return {};
  const nanoseconds left = -schedule_->at(now);
  if (left <= nanoseconds::zero()) return {};
  return {fmt::format("{} begins in {}", info().path, minutes_text(left))};
}

player::FeedFrame ClipFeed::shown_frame() const {
  return {.texture = {info().texture, shown_.blocks.bytes()},
          .times = {.pts = shown_.pts},
          .number = shown_.number,
          .id = shown_.id};
}

std::optional<player::FeedFrame> ClipFeed::take(SteadyTime now) {
  if (schedule_) return take_scheduled(now);
  auto fresh = next_frame(now);
  if (!fresh) return std::nullopt;
  if (pace_ == ClipPace::by_time_stamps && (jump_ || paused())) {
    media_time_.set(fresh->due, now);
    sound_elsewhere_ = true;
  }
  jump_.reset();
  shown_ = std::move(*fresh);
  has_shown_ = true;
  if (sound_elsewhere_ && !paused()) start_sound(now);
  rate_.add(shown_.stored_bytes, shown_.duration);
  return shown_frame();
}

// The next frame if it waits for its time; otherwise take() gets each frame at once.
std::optional<player::FeedAhead> ClipFeed::ahead() {
  if (jump_ || paused() || pace_ == ClipPace::every_frame_at_once) return std::nullopt;
  const auto next = ahead_.peek();
  if (!next) return std::nullopt;
  return player::FeedAhead{
      .texture = {info().texture, next->blocks}, .ready_bytes = next->blocks.size(), .id = next->id};
}

std::optional<AheadFrame> ClipFeed::next_frame(SteadyTime now) {
  if (jump_) return ahead_.take_next();
  if (paused()) return stepped_frame();
  if (pace_ == ClipPace::every_frame_at_once) return ahead_.take_next();
  keep_to_sound(now);
  return ahead_.take_due(media_time_.at(now));
}

std::optional<AheadFrame> ClipFeed::stepped_frame() {
  while (steps_ > 0) {
    auto next = ahead_.take_next();
    if (!next) {
      if (!ahead_.ended()) return std::nullopt;  // not yet
      steps_ = 0;
      break;
    }
    passed_ = std::move(next);
    --steps_;
  }
  return std::exchange(passed_, std::nullopt);
}

void ClipFeed::keep_to_sound(SteadyTime now) {
  if (!audio_ || !has_shown_) return;
  if (const auto heard = audio_->heard(now))
    media_time_.keep_to(*heard, now);
  else if (audio_->starting(now) && now < sound_is_late_)
    media_time_.hold(now);
}

void ClipFeed::start_sound(SteadyTime now) {
  sound_elsewhere_ = false;
  if (!audio_) return;
  const nanoseconds time = media_time_.at(now);
  audio_->start(time - shown_.due + shown_.pts, time, media_time_.speed());
  sound_is_late_ = now + kSoundMayTake;
}

void ClipFeed::wait_for_reading(SteadyTime limit) { ahead_.wait(steady_now() + (limit - clock_.now())); }

void ClipFeed::wait(SteadyTime limit) {
  if (schedule_) return wait_for_schedule(limit);
  if (pace_ == ClipPace::every_frame_at_once || jump_ || (paused() && steps_ > 0)) return wait_for_reading(limit);
  if (paused()) return clock_.sleep_until(limit);
  const auto due = ahead_.next_due();
  if (due && media_time_.when(*due) <= clock_.now()) return wait_for_reading(limit);  // due, but not unpacked yet
  if (!due && !ahead_.ended()) return wait_for_reading(limit);
  clock_.sleep_until(due ? std::min(limit, media_time_.when(*due)) : limit);
}

player::FeedState ClipFeed::state() const {
  if (schedule_) return scheduled_state();
  if (!ahead_.ended()) return has_shown_ ? player::FeedState::playing : player::FeedState::waiting;
  // The last frame is shown for its duration.
  const bool is_over =
      jump_ || pace_ == ClipPace::every_frame_at_once || media_time_.at(clock_.now()) >= shown_.due + shown_.duration;
  return is_over ? player::FeedState::ended : player::FeedState::playing;
}

void ClipFeed::jump(Jump to) {
  jump_ = to;
  steps_ = 0;
  passed_.reset();
  if (audio_) audio_->stop();
}

void ClipFeed::seek(nanoseconds pts) {
  if (schedule_) return;
  const nanoseconds there = std::clamp(pts, nanoseconds{}, last_moment());
  jump({.pts = there});
  ahead_.seek(there);
}

void ClipFeed::seek_to_frame(uint64_t number) {
  if (schedule_) return;
  constexpr uint64_t kMost = uint64_t{1} << 53;
  const uint64_t there = std::min(number, frame_count() ? std::max<uint64_t>(*frame_count(), 1) - 1 : kMost);
  const double pts = static_cast<double>(there) * static_cast<double>(frame_time().count());
  const double most = static_cast<double>(last_moment().count());
  if (there == kMost && info().duration) return seek(last_moment());  // the end of a file without a frame count
  jump({.pts = pts < most ? nanoseconds(std::llround(pts)) : last_moment(), .number = there});
  ahead_.seek_to_frame(static_cast<int64_t>(there));
}

// The number of the current frame, or of the seek's target; computed from the frame rate if only its time is known.
uint64_t ClipFeed::number_now() const {
  if (!jump_) return latest().number + static_cast<uint64_t>(steps_);
  if (jump_->number) return *jump_->number;
  return static_cast<uint64_t>(jump_->pts / frame_time());
}

void ClipFeed::step(int frames) {
  if (schedule_) return;
  set_paused(true);
  if (frames == 0 || !has_shown_) return;
  const uint64_t from = number_now();
  if (frames > 0) {
    if (frame_count() && from < *frame_count())
      frames = static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(frames), *frame_count() - 1 - from));
    if (!jump_ && frames + steps_ <= static_cast<int>(ReadAhead::kFrames)) {
      steps_ += frames;  // they are being read
      return;
    }
    return seek_to_frame(from + static_cast<uint64_t>(frames));
  }
  const auto back = static_cast<uint64_t>(-int64_t{frames});
  const uint64_t to = from > back ? from - back : 0;
  if (frames != -1 || jump_ || steps_ > 0 || shown_.pts <= nanoseconds{}) return seek_to_frame(to);
  // By time, which is exact even in files without an index.
  const nanoseconds just_before = shown_.pts - nanoseconds(1);
  jump({.pts = just_before, .number = to});
  ahead_.seek(just_before);
}

void ClipFeed::set_paused(bool pause) {
  held_ = pause;
  if (schedule_ || pause == paused()) return;
  passed_.reset();
  steps_ = 0;
  const SteadyTime now = clock_.now();
  media_time_.run(!pause, now);
  if (!audio_) return;
  audio_->set_paused(pause);
  if (!pause && sound_elsewhere_ && !jump_ && has_shown_) start_sound(now);
}

void ClipFeed::set_speed(double speed) {
  if (schedule_) return;
  const SteadyTime now = clock_.now();
  const double wanted = std::clamp(speed, kSlowest, kFastest);
  if (wanted == media_time_.speed()) return;  // the sound need not restart
  media_time_.set_speed(wanted, now);
  if (paused() || jump_ || !has_shown_)
    sound_elsewhere_ = true;
  else
    start_sound(now);
}

void ClipFeed::set_loop(bool loop) {
  if (schedule_) return;  // all players of a wall must know
  const bool had_ended = state() == player::FeedState::ended;
  loop_ = loop;
  ahead_.set_loop(loop);
  if (audio_) audio_->set_loop(loop);
  if (loop && had_ended && has_shown_) seek_to_frame(0);
}

void ClipFeed::set_volume(double volume) {
  volume_ = std::clamp(volume, 0.0, 1.0);
  if (audio_) audio_->set_volume(muted_ ? 0 : volume_);
}

void ClipFeed::set_muted(bool muted) {
  muted_ = muted;
  set_volume(volume_);
}

std::vector<player::StageLatency> ClipFeed::stages() const {
  const ReadAheadReport report = ahead_.report();
  return {stage("read", report.read), stage("unpack", report.unpack)};
}

std::vector<player::FeedStat> ClipFeed::stats() const {
  std::vector<player::FeedStat> lines;
  const media::ClipInfo& clip = info();
  const bool is_still = clip.frame_count == 1;
  lines.push_back(
      {"file", fmt::format("{} in {}, {}{}", clip.codec_name, clip.container,
                           is_still ? "" : fmt::format("{:.4g} fps, ", clip.fps), file_size(clip.file_bytes))});
  if (!is_still && has_shown_) lines.push_back({"rate", bit_rate(rate_.bits_per_s()) + " as stored in the file"});
  const ReadAheadReport report = ahead_.report();
  const auto second = static_cast<size_t>(std::max(1.0, clip.fps * speed()));
  for (const player::StageLatency& s : {stage("read", report.read, second), stage("unpack", report.unpack, second)})
    if (s.frames > 0) lines.push_back({"  " + s.name, fmt::format("p50 {:.1f} ms  p95 {:.1f} ms", s.p50_ms, s.p95_ms)});
  const Counts left_out = {{"too_late", report.overtaken}, {"damaged", report.damaged}};
  if (std::string causes = words(left_out_.last_second(left_out, clock_.now())); !causes.empty())
    lines.push_back({"dropped", std::move(causes)});
  return lines;
}

}  // namespace texcast::stream
