#include "pointer_control.h"

#include <algorithm>
#include <cmath>

#include "player/osd_lines.h"

namespace texcast::player {

PointerControl::PointerControl(const Feed& feed, Presenter& presenter, FeedControl& control)
    : feed_(feed), presenter_(presenter), control_(control) {}

void PointerControl::moved(int x, int y, SteadyTime now) {
  if (has_window()) bar_.moved(window(), x, y, now);
}

// The feed is paused during a drag: otherwise it would play between two positions, with sound.
bool PointerControl::pressed(int x, int y, SteadyTime now) {
  if (!has_window() || !bar_.pressed(window(), x, y, now)) return false;
  paused_before_drag_ = control_.paused();
  if (!paused_before_drag_) control_.set_paused(true);
  return true;
}

void PointerControl::released(SteadyTime now) {
  if (!bar_.dragging()) return;
  bar_.released(now);
  follow(now);  // seeks to the exact last position, before it plays on
  if (!paused_before_drag_) control_.set_paused(false);
}

void PointerControl::left() { bar_.left(); }

void PointerControl::window_changed() { pointer_shown_.reset(); }

void PointerControl::hide() {
  bar_.left();
  pointer_shown_.reset();
}

void PointerControl::show_bar(SteadyTime now) { bar_.show_for_a_while(now); }

void PointerControl::frame_shown() { bar_.seek_shown(); }

void PointerControl::follow(SteadyTime now) {
  const bool has_bar = feed_.seekable() && duration() > nanoseconds{};
  bar_.set_label_columns(has_bar ? std::optional(static_cast<int>(short_clock_text(duration()).size())) : std::nullopt);
  if (const auto part = bar_.take_seek(now)) {
    control_.seek_to(time_of(*part));
    bar_.show_for_a_while(now);
  }
  const bool pointer = bar_.pointer_visible(now);
  if (pointer_shown_ != pointer) presenter_.set_pointer_visible(pointer);
  pointer_shown_ = pointer;
}

nanoseconds PointerControl::time_of(double part) const {
  return nanoseconds(std::llround(part * static_cast<double>(duration().count())));
}

std::optional<SeekBar> PointerControl::seek_bar(SteadyTime now) const {
  if (!bar_.visible(now)) return std::nullopt;
  const nanoseconds position = feed_.position().value_or(nanoseconds{});
  SeekBar bar;
  bar.played = std::clamp(static_cast<double>(position.count()) / static_cast<double>(duration().count()), 0.0, 1.0);
  if (bar_.pointer_visible(now)) bar.pointed = bar_.pointed();
  if (bar_.dragging() && bar.pointed) bar.played = *bar.pointed;
  bar.position = short_clock_text(bar_.dragging() ? time_of(bar.played) : position);
  bar.duration = short_clock_text(duration());
  if (bar.pointed) bar.pointed_at = clock_text(time_of(*bar.pointed));
  return bar;
}

}  // namespace texcast::player
