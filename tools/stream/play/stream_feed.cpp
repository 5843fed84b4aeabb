#include "stream/stream_feed.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/ensure.h"
#include "base/log.h"
#include "live/datagrams.h"
#include "stream/slate_text.h"
#include "stream/stream_report.h"
#include "text/figures.h"
#include "textures/stream_format.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kSendToEvery = std::chrono::seconds(1);  // how often the URLs to send to are looked up

WhenFull when_full(Delivery delivery) { return delivery == Delivery::every_frame ? WhenFull::wait : WhenFull::drop; }

std::unique_ptr<Recording> recording_for(const StreamFeedSettings& settings, bool with_sound) {
  if (settings.record.path.empty()) return nullptr;
  auto recording = std::make_unique<Recording>(settings.record, when_full(settings.delivery), settings.layout);
  if (with_sound) recording->expect_sound();
  return recording;
}

// Adds a line with the first two counts, and another one with the others if any is above 0.
void add_counts(std::vector<player::FeedStat>& lines, const char* name, const Counts& counts) {
  constexpr size_t kAlways = 2;
  lines.push_back({name, words({counts.begin(), counts.begin() + kAlways}, kAlways)});
  if (std::string others = words({counts.begin() + kAlways, counts.end()}); !others.empty())
    lines.push_back({"", std::move(others)});
}

std::string sound_line(const SoundStatus& status) {
  const auto& c = status.received.counters;
  std::string text = fmt::format("{}, {} lost, {} restored", sound_text(status), c.lost, c.restored);
  if (!status.heard) return text;
  return text + fmt::format(", {:+.1f} ms to the picture, card {:+.0f} ppm", in_milliseconds(status.heard->offset),
                            status.heard->drift_ppm);
}

std::string playout_text(const StreamFeedSettings& settings, const PlayoutState& state) {
  const Latency& latency = settings.latency;
  const std::string delay = settings.system_delay
                                ? fmt::format("{:.1f} ms by the system clock", in_milliseconds(state.delay))
                            : latency == nanoseconds::zero()
                                ? "at once"
                                : fmt::format("{} {:.1f} ms", latency ? "fixed" : "auto", in_milliseconds(state.delay));
  return fmt::format("{}, jitter {:.1f} ms, drift {:+.0f} ppm", delay, in_milliseconds(state.jitter), state.drift_ppm);
}

std::unique_ptr<SystemPlayout> system_playout(const StreamFeedSettings& settings, Mailbox& mailbox) {
  if (!settings.system_delay || settings.delivery != Delivery::newest_wins) return nullptr;
  return std::make_unique<SystemPlayout>(*settings.system_delay, mailbox);
}

}  // namespace

StreamFeed::StreamFeed(std::unique_ptr<DatagramSource> source, const StreamFeedSettings& settings,
                       std::unique_ptr<DatagramSource> sound)
    : settings_(settings),
      begun_(steady_now()),
      mailbox_(settings.delivery),
      recording_(recording_for(settings, sound != nullptr || (settings.sound_of_capture && !source->live()))),
      recording_path_(settings.record.claim ? settings.record.claim->path() : settings.record.path),
      clock_(settings.latency),
      by_system_(system_playout(settings, mailbox_)),
      sound_(sound_of(*source, std::move(sound))),
      receiver_(
          std::move(source), pool_, [this](const FrameRef& frame, double fps) { pass_on(frame, fps); },
          settings.receive, [this](const FrameRef& frame) { coming(frame); }, &log_, nullptr, settings.device) {}

std::unique_ptr<SoundReceiver> StreamFeed::sound_of(DatagramSource& source, std::unique_ptr<DatagramSource> sound) {
  const auto on_block = [this](const SoundBlock& block) { pass_on_sound(block); };
  const transport::AudioSessionSettings settings = sound_settings(settings_.receive);
  if (sound) return std::make_unique<SoundReceiver>(std::move(sound), settings, picture_, on_block);
  if (!settings_.sound_of_capture || source.live()) return nullptr;
  return std::make_unique<SoundReceiver>(source, settings, picture_, on_block);
}

StreamFeed::~StreamFeed() {
  mailbox_.close();  // releases a receiving thread that waits for take()
}

// On the receiving or decoding thread.
void StreamFeed::pass_on(const FrameRef& frame, double fps) {
  {
    const std::lock_guard lock(recording_mutex_);
    if (recording_) recording_->put(frame, fps);
  }
  if (settings_.delivery == Delivery::every_frame) return mailbox_.put(frame);
  const SteadyTime due = clock_.due({frame->times.pts, frame->arrived, frame_period(fps), frame->new_stream});
  if (by_system_)
    by_system_->put(frame);
  else
    mailbox_.put(frame, due);
  if (frame->blocks.size() >= ReceivingThread::kLargeFrame) mailbox_.nudge();  // it can be uploaded before its time
  const std::lock_guard lock(playout_mutex_);
  playout_ = clock_.state();
  if (by_system_) by_system_->describe(playout_);
}

// On the receiving thread.
void StreamFeed::coming(const FrameRef& frame) {
  FrameRef before;
  {
    const std::lock_guard lock(coming_mutex_);
    before = std::exchange(coming_, frame);
  }
  mailbox_.nudge();
}

// For large frames only: uploading a smaller one takes less time than waking a thread for it (docs/benchmarks.md).
std::optional<player::FeedAhead> StreamFeed::ahead() {
  FrameRef next = mailbox_.next();
  if (!next) {
    const std::lock_guard lock(coming_mutex_);
    next = coming_;
  }
  if (!next || next->blocks.size() < ReceivingThread::kLargeFrame || (shown_ && shown_->id == next->id))
    return std::nullopt;
  ahead_ = std::move(next);
  return player::FeedAhead{
      .texture = ahead_->view(), .ready_bytes = ahead_->ready_bytes, .id = ahead_->id, .changes = ahead_->changes()};
}

std::optional<TextureDesc> StreamFeed::next_texture() const {
  const FrameRef next = mailbox_.next();
  return next ? std::optional(next->desc) : std::nullopt;
}

// On the receiving thread of the sound.
void StreamFeed::pass_on_sound(const SoundBlock& block) {
  {
    const std::lock_guard lock(recording_mutex_);
    if (recording_) recording_->put_sound(block);
    if (const auto ending = ending_.lock()) ending->put_sound(block);
  }
  const std::lock_guard lock(sound_mutex_);
  sound_came_ = true;
  if (loudspeaker_) loudspeaker_->put(block);
}

// Opened with the first sound, because other programs may want the sound card.
void StreamFeed::open_loudspeaker() {
  if (!settings_.hear_sound || tried_loudspeaker_) return;
  {
    const std::lock_guard lock(sound_mutex_);
    if (!sound_came_) return;
  }
  tried_loudspeaker_ = true;
  auto opened = LiveSoundPlayer::open(settings_.open_loudspeaker, settings_.ear);
  if (!opened) return log_warning("playing the stream without audio: {}", opened.error().message);
  const std::lock_guard lock(sound_mutex_);
  loudspeaker_ = std::move(*opened);
  adjust_volume();
}

// The lock is held.
void StreamFeed::adjust_volume() {
  if (loudspeaker_) loudspeaker_->set_volume(muted_ || paused_ ? 0 : volume_);
}

void StreamFeed::set_swaps(const player::SwapGrid& swaps) {
  swaps_ = by_system_ ? swaps.cautious() : swaps;
  const std::lock_guard lock(sound_mutex_);
  if (loudspeaker_ && shown_) loudspeaker_->on_picture(shown_->available, steady_now());
}

void StreamFeed::set_paused(bool paused) {
  const std::lock_guard lock(sound_mutex_);
  paused_ = paused;
  adjust_volume();
}

void StreamFeed::set_volume(double volume) {
  const std::lock_guard lock(sound_mutex_);
  volume_ = std::clamp(volume, 0.0, 1.0);
  adjust_volume();
}

void StreamFeed::set_muted(bool muted) {
  const std::lock_guard lock(sound_mutex_);
  muted_ = muted;
  adjust_volume();
}

bool StreamFeed::has_audio() const {
  const std::lock_guard lock(sound_mutex_);
  return loudspeaker_ != nullptr;
}

std::optional<SoundStatus> StreamFeed::sound() const {
  if (!sound_) return std::nullopt;
  SoundStatus status = sound_->status();
  const std::lock_guard lock(sound_mutex_);
  if (!loudspeaker_) return status;
  const SoundPlayoutState now = loudspeaker_->state();
  status.heard = HeardSound{
      .offset = now.behind_picture + now.error, .drift_ppm = now.drift_ppm, .jumps = now.jumps, .missing = now.missing};
  return status;
}

PlayoutState StreamFeed::playout() const {
  const std::lock_guard lock(playout_mutex_);
  return playout_;
}

std::optional<player::FeedFrame> StreamFeed::take(SteadyTime now) {
  if (by_system_) by_system_->follow();
  FrameRef fresh = mailbox_.take(swaps_.seen_at(now));
  if (!fresh) return std::nullopt;
  shown_ = std::move(fresh);
  ahead_ = {};
  return player::FeedFrame{.texture = shown_->view(),
                           .times = shown_->times,
                           .number = shown_->number,
                           .concealed = shown_->concealed,
                           .id = shown_->id,
                           .changes = shown_->changes(),
                           .due = by_system_ ? by_system_->due(*shown_) : WallTime{}};
}

player::FeedState StreamFeed::state() const {
  using player::FeedState;
  // In this order: the receiver puts its last frame into the mailbox before it ends.
  const bool no_more = receiver_.ended();
  if (!mailbox_.empty()) return FeedState::playing;
  if (no_more) return FeedState::ended;
  const StreamStatus now = receiver_.status();
  if (settings_.timeout && steady_now() - now.last_frame.value_or(begun_) >= *settings_.timeout)
    return FeedState::ended;
  return now.last_frame ? FeedState::playing : FeedState::waiting;
}

std::vector<player::FeedStat> StreamFeed::stats() const {
  const StreamStatus now = receiver_.status();
  const auto& c = now.counters;
  std::vector<player::FeedStat> lines;
  if (now.stream) {
    lines.push_back({"stream", fmt::format("{}x{} {} {:.4g} fps", now.stream->width, now.stream->height,
                                           format_text(*now.stream, now.frames, c.bytes), now.stream->fps)});
  }
  const SteadyTime moment = steady_now();
  lines.push_back({"rate", bit_rate(rate_.bits_per_s(c.bytes, moment))});
  add_counts(lines, "packets", packets_.last_second(packet_counts(now), moment));
  add_counts(lines, "frames", frames_.last_second(frame_counts(now), moment));
  if (now.compact) add_counts(lines, "tiles", tiles_.last_second(tile_counts(now), moment));
  if (const std::string causes = words(dropped_.last_second(dropped(), moment)); !causes.empty())
    lines.push_back({"dropped", causes});
  if (settings_.delivery == Delivery::newest_wins) lines.push_back({"playout", playout_text(settings_, playout())});
  if (const auto heard = sound(); heard && heard->received.stream) lines.push_back({"audio", sound_line(*heard)});
  const std::lock_guard lock(recording_mutex_);
  if (recording_) {
    const uint64_t missing = recording_->dropped();
    lines.push_back({"recording", recording_->ended() ? "ended: " + recording_path_
                                  : missing == 0      ? recording_path_
                                                 : fmt::format("{}, {} frames missing", recording_path_, missing)});
  }
  return lines;
}

Counts StreamFeed::dropped() const {
  Counts dropped = dropped_counts(receiver_.status());
  dropped.push_back({"overtaken", mailbox_.overtaken()});
  dropped.push_back({"crowded_out", mailbox_.crowded_out()});
  const std::lock_guard lock(recording_mutex_);
  dropped.push_back({"not_recorded", not_recorded_ + (recording_ ? recording_->dropped() : 0)});
  dropped.push_back({"passed_over", passed_over_ + (recording_ ? recording_->passed_over() : 0)});
  return dropped;
}

std::string StreamFeed::sender() const {
  const StreamStatus now = receiver_.status();
  if (!now.last_frame || !is_rtp(settings_.title)) return {};
  return host_text(now.sender);
}

std::vector<std::string> StreamFeed::slate(SteadyTime now) const {
  if (receiver_.ended()) return {};
  const StreamStatus s = receiver_.status();
  const auto &c = s.counters, &then = s.at_last_frame;
  const double fps = s.stream ? s.stream->fps : 0;
  if (now >= next_send_to_) {
    send_to_ = send_to();
    next_send_to_ = now + kSendToEvery;
  }
  return slate_lines({.title = settings_.title,
                      .send_to = send_to_,
                      .port = settings_.port,
                      .live = is_rtp(settings_.title),
                      .had_frames = s.last_frame.has_value(),
                      .quiet = now - s.last_frame.value_or(begun_),
                      .frame_time = frame_period(fps),
                      .since = {.packets = c.packets - then.packets,
                                .malformed = c.malformed - then.malformed,
                                .foreign = c.foreign - then.foreign,
                                .oversized = c.oversized - then.oversized,
                                .refused = c.refused - then.refused,
                                .oversized_width = c.oversized_width,
                                .oversized_height = c.oversized_height,
                                .outside = c.outside - then.outside},
                      .unsupported = s.frames_unsupported - s.unsupported_at_last_frame,
                      .refusal = s.refusal});
}

// On the receiving thread.
void StreamFeed::point(const Cursor& cursor) {
  {
    const std::lock_guard lock(cursor_mutex_);
    cursor_ = cursor;
  }
  mailbox_.nudge();
}

Cursor StreamFeed::cursor() const {
  const std::lock_guard lock(cursor_mutex_);
  return cursor_;
}

std::optional<std::string> StreamFeed::news() {
  open_loudspeaker();
  if (auto news = log_.news()) return news;
  if (by_system_)
    if (auto news = by_system_->news()) return news;
  const std::lock_guard lock(recording_mutex_);
  return recording_ ? recording_->notice() : std::nullopt;
}

void StreamFeed::record(media::RecorderSettings settings, LayoutSettings layout) {
  const std::lock_guard lock(recording_mutex_);
  ENSURE(!recording_);
  recording_path_ = settings.claim ? settings.claim->path() : settings.path;
  recording_ = std::make_unique<Recording>(std::move(settings), when_full(settings_.delivery), std::move(layout));
  if (sound_) recording_->expect_sound();
}

std::shared_ptr<Recording> StreamFeed::end_recording() {
  const std::lock_guard lock(recording_mutex_);
  if (!recording_) return nullptr;
  not_recorded_ += recording_->dropped();
  passed_over_ += recording_->passed_over();
  recording_path_.clear();
  ending_ = recording_;
  return std::move(recording_);
}

std::string StreamFeed::recording_path() const {
  const std::lock_guard lock(recording_mutex_);
  return recording_path_;
}

bool StreamFeed::recording_ended() const {
  const std::lock_guard lock(recording_mutex_);
  return recording_ && recording_->ended();
}

RecordingReport StreamFeed::finish() {
  mailbox_.close();
  receiver_.stop();
  if (sound_ && recording_) {
    const auto stream = receiver_.status().stream;
    sound_->finish(stream ? stream->fps : 0);
  } else if (sound_) {
    sound_->stop();
  }
  return recording_ ? recording_->finish() : RecordingReport{};
}

}  // namespace texcast::stream
