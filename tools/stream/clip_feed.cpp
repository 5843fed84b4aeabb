#include "stream/clip_feed.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace texcast::stream {
namespace {

nanoseconds frame_time_of(double fps) { return nanoseconds(std::llround(1e9 / (fps > 0 ? fps : 25.0))); }

std::string clock_text(nanoseconds time) {
  const double seconds = std::chrono::duration<double>(time).count();
  const int minutes = static_cast<int>(seconds / 60);
  return fmt::format("{}:{:04.1f}", minutes, seconds - minutes * 60);
}

}  // namespace

ClipFeed::ClipFeed(std::unique_ptr<media::ClipReader> reader, ClipPace pace)
    : reader_(std::move(reader)),
      info_(reader_->info()),
      pace_(pace),
      frame_time_(frame_time_of(info_.fps)),
      thread_([this] { run(); }) {}

ClipFeed::~ClipFeed() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ClipFeed::run() {
  try {
    read_ahead();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    at_end_ = true;
    seek_to_.reset();
  }
  changed_.notify_all();
}

void ClipFeed::rethrow_failure() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ClipFeed::read_ahead() {
  while (true) {
    std::optional<nanoseconds> seek_to;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closing_ || seek_to_ || (!at_end_ && ahead_.size() < kReadAhead); });
      if (closing_) return;
      seek_to = std::exchange(seek_to_, std::nullopt);
    }
    if (seek_to) reader_->seek(*seek_to);

    auto next = reader_->next();
    FrameRef frame;
    if (next && *next) {
      const media::ClipFrame& read = **next;
      frame = pool_.acquire(read.texture.blocks.size());
      frame->desc = read.texture.desc;
      frame->times = {.pts = read.pts};
      std::memcpy(frame->blocks.data(), read.texture.blocks.data(), read.texture.blocks.size());
    }
    {
      const std::lock_guard lock(mutex_);
      if (seek_to_) continue;  // it belongs to where we no longer want to be
      if (!next) {
        if (damaged_++ == 0) first_damage_ = next.error().message;
        ++next_number_;
        continue;
      }
      if (frame) {
        frame->number = next_number_++;
        ahead_.push_back(std::move(frame));
      }
      at_end_ = !*next;
    }
    changed_.notify_all();
  }
}

nanoseconds ClipFeed::media_time(SteadyTime now) const { return paused_ ? paused_at_ : now - clock_base_; }

std::optional<player::FeedFrame> ClipFeed::take(SteadyTime now) {
  FrameRef fresh;
  {
    const std::lock_guard lock(mutex_);
    if (ahead_.empty() || seek_to_) return std::nullopt;
    if (pace_ == ClipPace::every_frame_at_once) {
      fresh = std::move(ahead_.front());
      ahead_.pop_front();
    } else if (show_next_at_once_) {
      fresh = std::move(ahead_.front());
      ahead_.pop_front();
      show_next_at_once_ = false;
      clock_base_ = now - fresh->times.pts;
      paused_at_ = fresh->times.pts;
    } else {
      while (!ahead_.empty() && ahead_.front()->times.pts <= media_time(now)) {
        if (fresh) ++dropped_;
        fresh = std::move(ahead_.front());
        ahead_.pop_front();
      }
    }
  }
  if (!fresh) return std::nullopt;
  changed_.notify_all();
  shown_ = std::move(fresh);
  taken_bytes_ += shown_->blocks.size();
  return player::FeedFrame{.texture = shown_->view(), .times = shown_->times, .number = shown_->number};
}

void ClipFeed::wait(SteadyTime limit) {
  std::unique_lock lock(mutex_);
  const auto at = [](SteadyTime time) { return std::chrono::steady_clock::time_point(time); };
  changed_.wait_until(lock, at(limit), [this] { return !ahead_.empty() || at_end_; });
  if (ahead_.empty() || pace_ == ClipPace::every_frame_at_once || show_next_at_once_) {
    if (ahead_.empty()) changed_.wait_until(lock, at(limit), [this] { return !ahead_.empty(); });
    return;
  }
  const SteadyTime due = paused_ ? limit : std::min(limit, clock_base_ + ahead_.front()->times.pts);
  lock.unlock();
  std::this_thread::sleep_until(at(due));
}

player::FeedState ClipFeed::state() const {
  const std::lock_guard lock(mutex_);
  if (!at_end_ || seek_to_ || !ahead_.empty()) return shown_ ? player::FeedState::playing : player::FeedState::waiting;
  // The last frame stays for its own time.
  const bool last_is_over =
      pace_ == ClipPace::every_frame_at_once || !shown_ || media_time(steady_now()) >= shown_->times.pts + frame_time_;
  return last_is_over ? player::FeedState::ended : player::FeedState::playing;
}

void ClipFeed::seek(nanoseconds pts) {
  const nanoseconds last = info_.duration ? std::max(*info_.duration - frame_time_, nanoseconds{}) : pts;
  {
    const std::lock_guard lock(mutex_);
    seek_to_ = std::clamp(pts, nanoseconds{}, std::max(last, nanoseconds{}));
    ahead_.clear();
    at_end_ = false;
  }
  show_next_at_once_ = true;
  changed_.notify_all();
}

void ClipFeed::set_paused(bool paused) {
  if (paused == paused_) return;
  const SteadyTime now = steady_now();
  if (paused)
    paused_at_ = media_time(now);
  else
    clock_base_ = now - paused_at_;
  paused_ = paused;
}

std::vector<player::FeedStat> ClipFeed::stats() const {
  std::vector<player::FeedStat> lines;
  const TextureDesc& t = info_.texture;
  lines.push_back({"clip", fmt::format("{}x{} {} {:.4g} fps", t.width, t.height, name(t.format), info_.fps)});
  const std::string position = shown_ ? clock_text(shown_->times.pts) : "-";
  lines.push_back({"position", info_.duration ? position + " of " + clock_text(*info_.duration) : position});
  lines.push_back({"rate", fmt::format("{:.1f} Mbit/s", rate_.bits_per_s(taken_bytes_, steady_now()) / 1e6)});
  if (dropped_ > 0) lines.push_back({"dropped", fmt::format("{} frames, too late", dropped_)});
  if (const uint64_t count = damaged(); count > 0) lines.push_back({"damaged", fmt::format("{} frames", count)});
  return lines;
}

uint64_t ClipFeed::damaged() const {
  const std::lock_guard lock(mutex_);
  return damaged_;
}

std::string ClipFeed::first_damage() const {
  const std::lock_guard lock(mutex_);
  return first_damage_;
}

}  // namespace texcast::stream
