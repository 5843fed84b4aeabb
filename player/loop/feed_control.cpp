#include "feed_control.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace texcast::player {
namespace {

constexpr std::array kSpeeds = {0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0};
constexpr uint64_t kPastTheEnd = std::numeric_limits<uint64_t>::max();

// The command line may have set a speed between two of these.
double next_speed(double speed, int steps) {
  if (steps == 0) return 1;
  if (steps > 0) {
    const auto* next = std::upper_bound(kSpeeds.begin(), kSpeeds.end(), speed + 1e-6);
    return next == kSpeeds.end() ? speed : *next;
  }
  const auto* same = std::lower_bound(kSpeeds.begin(), kSpeeds.end(), speed - 1e-6);
  return same == kSpeeds.begin() ? speed : *(same - 1);
}

}  // namespace

FeedControl::FeedControl(Feed& feed, Presenter& presenter, PlayerChoices& choices, ShownStatistics& statistics,
                         bool is_listed)
    : feed_(feed), presenter_(presenter), choices_(choices), statistics_(statistics), is_listed_(is_listed) {}

void FeedControl::apply_choices() {
  feed_.set_speed(choices_.speed);
  feed_.set_volume(choices_.volume);
  feed_.set_muted(choices_.muted);
  feed_.set_loop(choices_.loop && !is_listed_);
}

void FeedControl::set_paused(bool paused) {
  paused_ = paused;
  show_one_while_paused_ = false;
  feed_.set_paused(paused);
  presenter_.set_playing(!paused);
}

bool FeedControl::shows_next_frame() { return !paused_ || std::exchange(show_one_while_paused_, false); }

bool FeedControl::seek_by(nanoseconds delta) {
  if (!feed_.seekable()) return false;
  nanoseconds target = std::max(feed_.position().value_or(nanoseconds{}) + delta, nanoseconds{});
  if (const auto duration = feed_.duration()) target = std::min(target, *duration);
  seek_to(target);
  return true;
}

bool FeedControl::seek_to_first_frame() {
  if (!feed_.seekable()) return false;
  seek_to_frame(0);
  return true;
}

bool FeedControl::seek_to_last_frame() {
  if (!feed_.seekable()) return false;
  set_paused(true);
  seek_to_frame(kPastTheEnd);
  return true;
}

bool FeedControl::step_by(int frames) {
  if (!feed_.seekable()) return false;
  set_paused(true);
  feed_.step(frames);
  jumped();
  return true;
}

bool FeedControl::change_speed(int steps) { return set_speed(next_speed(choices_.speed, steps)); }

bool FeedControl::set_speed(double speed) {
  if (!feed_.seekable()) return false;
  choices_.speed = std::clamp(speed, kSpeeds.front(), kSpeeds.back());
  feed_.set_speed(choices_.speed);
  return true;
}

void FeedControl::seek_to(nanoseconds pts) {
  feed_.seek(pts);
  jumped();
}

void FeedControl::seek_to_frame(uint64_t number) {
  feed_.seek_to_frame(number);
  jumped();
}

void FeedControl::jumped() {
  statistics_.expect_jump();
  show_one_while_paused_ = paused_;
}

void FeedControl::set_volume(double volume) {
  choices_.volume = std::clamp(volume, 0.0, 1.0);
  feed_.set_volume(choices_.volume);
}

void FeedControl::set_muted(bool muted) {
  choices_.muted = muted;
  feed_.set_muted(muted);
}

void FeedControl::set_loop(bool loop) {
  choices_.loop = loop;
  feed_.set_loop(loop && !is_listed_);
}

Playback FeedControl::playback() const {
  const auto& last = statistics_.last();
  return {.position = feed_.position() ? feed_.position()
                      : last           ? std::optional(last->times.pts)
                                       : std::nullopt,
          .duration = feed_.duration(),
          .frame = last ? std::optional(last->number) : std::nullopt,
          .frame_count = feed_.frame_count(),
          .speed = choices_.speed,
          .paused = paused_,
          .loop = choices_.loop,
          .has_audio = feed_.has_audio(),
          .volume = choices_.volume,
          .muted = choices_.muted};
}

}  // namespace texcast::player
