#include "stream/stream_feed.h"

#include <fmt/core.h>

#include <cmath>

#include "live/datagrams.h"
#include "live/stream_format.h"
#include "stream/slate_text.h"
#include "stream/stream_report.h"

namespace texcast::stream {
namespace {

std::unique_ptr<Recording> recording_for(const StreamFeedSettings& settings) {
  if (settings.record.path.empty()) return nullptr;
  const bool lossless = settings.delivery == Delivery::every_frame;
  return std::make_unique<Recording>(settings.record, lossless ? WhenFull::wait : WhenFull::drop, settings.layout);
}

// The first two always, the others on a line of their own where there are any.
void add_counts(std::vector<player::FeedStat>& lines, const char* name, const Counts& counts) {
  constexpr size_t kAlways = 2;
  lines.push_back({name, words({counts.begin(), counts.begin() + kAlways}, kAlways)});
  if (std::string others = words({counts.begin() + kAlways, counts.end()}); !others.empty())
    lines.push_back({"", std::move(others)});
}

std::string playout_text(const Latency& latency, const PlayoutState& state) {
  const std::string delay = latency == nanoseconds::zero()
                                ? "at once"
                                : fmt::format("{} {:.1f} ms", latency ? "fixed" : "auto", in_milliseconds(state.delay));
  return fmt::format("{}, jitter {:.1f} ms, drift {:+.0f} ppm", delay, in_milliseconds(state.jitter), state.drift_ppm);
}

}  // namespace

StreamFeed::StreamFeed(std::unique_ptr<DatagramSource> source, const StreamFeedSettings& settings)
    : settings_(settings),
      begun_(steady_now()),
      mailbox_(settings.delivery),
      recording_(recording_for(settings)),
      clock_(settings.latency),
      receiver_(
          std::move(source), pool_, [this](const FrameRef& frame, double fps) { pass_on(frame, fps); },
          settings.receive, [this](const FrameRef& frame) { coming(frame); }, &log_) {}

StreamFeed::~StreamFeed() {
  mailbox_.close();  // lets a receiving thread go that waits for take()
}

// Receiving thread.
void StreamFeed::pass_on(const FrameRef& frame, double fps) {
  if (recording_) recording_->put(frame, fps);
  if (settings_.delivery == Delivery::every_frame) return mailbox_.put(frame);
  mailbox_.put(frame, clock_.due({frame->times.pts, frame->arrived, frame_period(fps), frame->new_stream}));
  if (frame->blocks.size() >= ReceivingThread::kLargeFrame) mailbox_.nudge();  // it can be uploaded before its time
  const std::lock_guard lock(playout_mutex_);
  playout_ = clock_.state();
}

// Receiving thread.
void StreamFeed::coming(const FrameRef& frame) {
  FrameRef before;
  {
    const std::lock_guard lock(coming_mutex_);
    before = std::exchange(coming_, frame);
  }
  mailbox_.nudge();
}

// Only of large frames: the upload of others takes less than waking a thread for it (docs/benchmarks.md).
std::optional<player::FeedAhead> StreamFeed::ahead() {
  FrameRef next = mailbox_.next();
  if (!next) {
    const std::lock_guard lock(coming_mutex_);
    next = coming_;
  }
  if (!next || next->blocks.size() < ReceivingThread::kLargeFrame || (shown_ && shown_->id == next->id))
    return std::nullopt;
  ahead_ = std::move(next);
  return player::FeedAhead{.texture = ahead_->view(), .ready_bytes = ahead_->ready_bytes, .id = ahead_->id};
}

PlayoutState StreamFeed::playout() const {
  const std::lock_guard lock(playout_mutex_);
  return playout_;
}

std::optional<player::FeedFrame> StreamFeed::take(SteadyTime now) {
  FrameRef fresh = mailbox_.take(swaps_.seen_at(now));
  if (!fresh) return std::nullopt;
  shown_ = std::move(fresh);
  ahead_ = {};
  return player::FeedFrame{.texture = shown_->view(),
                           .times = shown_->times,
                           .number = shown_->number,
                           .concealed = shown_->concealed,
                           .id = shown_->id};
}

player::FeedState StreamFeed::state() const {
  using player::FeedState;
  // In this order: what the receiver gave last lies in the mailbox before it has ended.
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
  lines.push_back({"rate", fmt::format("{:.1f} Mbit/s", rate_.bits_per_s(c.bytes, steady_now()) / 1e6)});
  add_counts(lines, "packets", packet_counts(now));
  add_counts(lines, "frames", frame_counts(now));
  if (now.compact) add_counts(lines, "tiles", tile_counts(now));
  if (const std::string causes = words(dropped()); !causes.empty()) lines.push_back({"dropped", causes});
  if (settings_.delivery == Delivery::newest_wins)
    lines.push_back({"playout", playout_text(settings_.latency, playout())});
  if (recording_) {
    const uint64_t missing = recording_->dropped();
    lines.push_back({"recording", recording_->ended() ? "ended: " + settings_.record.path
                                  : missing == 0
                                      ? settings_.record.path
                                      : fmt::format("{}, {} frames missing", settings_.record.path, missing)});
  }
  return lines;
}

Counts StreamFeed::dropped() const {
  Counts dropped = dropped_counts(receiver_.status());
  dropped.push_back({"overtaken", mailbox_.overtaken()});
  dropped.push_back({"crowded_out", mailbox_.crowded_out()});
  dropped.push_back({"not_recorded", recording_ ? recording_->dropped() : 0});
  return dropped;
}

std::vector<std::string> StreamFeed::slate(SteadyTime now) const {
  if (receiver_.ended()) return {};
  const StreamStatus s = receiver_.status();
  const auto &c = s.counters, &then = s.at_last_frame;
  const double fps = s.stream ? s.stream->fps : 0;
  return slate_lines({.title = settings_.title,
                      .send_to = settings_.send_to,
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

std::optional<std::string> StreamFeed::news() {
  if (auto news = log_.news()) return news;
  return recording_ ? recording_->notice() : std::nullopt;
}

RecordingReport StreamFeed::finish() {
  mailbox_.close();
  receiver_.stop();
  return recording_ ? recording_->finish() : RecordingReport{};
}

}  // namespace texcast::stream
