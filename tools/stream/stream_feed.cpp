#include "stream/stream_feed.h"

#include <fmt/core.h>

#include <cmath>

#include "stream/stream_format.h"

namespace texcast::stream {
namespace {

std::unique_ptr<Recording> recording_for(const StreamFeedSettings& settings) {
  if (settings.record.path.empty()) return nullptr;
  const bool lossless = settings.delivery == Delivery::every_frame;
  return std::make_unique<Recording>(settings.record, lossless ? WhenFull::wait : WhenFull::drop, settings.layout);
}

}  // namespace

StreamFeed::StreamFeed(std::unique_ptr<DatagramSource> source, const StreamFeedSettings& settings)
    : settings_(settings),
      begun_(steady_now()),
      mailbox_(settings.delivery),
      recording_(recording_for(settings)),
      clock_(settings.latency),
      receiver_(std::move(source), pool_, [this](const FrameRef& frame, double fps) { pass_on(frame, fps); },
                {.keys = settings.keys}) {}

StreamFeed::~StreamFeed() {
  mailbox_.close();  // lets a receiving thread go that waits for take()
}

// Receiving thread.
void StreamFeed::pass_on(const FrameRef& frame, double fps) {
  if (recording_) recording_->put(frame, fps);
  if (settings_.delivery == Delivery::every_frame) return mailbox_.put(frame);
  const nanoseconds frame_time = fps > 0 ? nanoseconds(std::llround(1e9 / fps)) : nanoseconds::zero();
  mailbox_.put(frame, clock_.due({frame->times.pts, frame->arrived, frame_time, frame->new_stream}));
  const std::lock_guard lock(playout_mutex_);
  playout_ = clock_.state();
}

PlayoutState StreamFeed::playout() const {
  const std::lock_guard lock(playout_mutex_);
  return playout_;
}

std::optional<player::FeedFrame> StreamFeed::take(SteadyTime now) {
  FrameRef fresh = mailbox_.take(now);
  if (!fresh) return std::nullopt;
  shown_ = std::move(fresh);
  return player::FeedFrame{
      .texture = shown_->view(), .times = shown_->times, .number = shown_->number, .concealed = shown_->concealed};
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
    const auto texture = texture_of(*now.stream);
    lines.push_back({"stream", fmt::format("{}x{} {} {:.4g} fps", now.stream->width, now.stream->height,
                                           texture ? name(texture->format) : "?", now.stream->fps)});
  }
  lines.push_back({"rate", fmt::format("{:.1f} Mbit/s", rate_.bits_per_s(c.bytes, steady_now()) / 1e6)});
  lines.push_back(
      {"packets", fmt::format("{}, lost {}, late {}, reordered {}", c.packets, c.lost, c.late, c.reordered)});
  lines.push_back({"frames", fmt::format("{}, lost {}, patched {}, overtaken {}", now.frames, c.frames_lost,
                                         c.frames_concealed, mailbox_.overtaken())});
  if (c.socket_dropped > 0) lines.push_back({"kernel dropped", fmt::format("{} packets", c.socket_dropped)});
  if (recording_) {
    const uint64_t missing = recording_->dropped();
    lines.push_back(
        {"recording", missing == 0 ? settings_.record.path
                                   : fmt::format("{}, {} frames missing: slow disk", settings_.record.path, missing)});
  }
  return lines;
}

RecordingReport StreamFeed::finish() {
  mailbox_.close();
  receiver_.stop();
  return recording_ ? recording_->finish() : RecordingReport{};
}

}  // namespace texcast::stream
