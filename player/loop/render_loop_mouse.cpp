// render_loop_mouse.cpp — the part of the render loop that follows the mouse: the seek bar, dragging, hiding.
#include <algorithm>
#include <cmath>

#include "render_loop.h"

namespace texcast::player {

bool RenderLoop::obey_mouse(const UserInput& input) {
  const SteadyTime now = steady_now();
  if (window().width < 1 || window().height < 1) return false;
  switch (input.command) {
    case Command::pointer_moved:
      mouse_.moved(window(), input.x, input.y, now);
      redraw_wanted_ = redraw_wanted_ || mouse_.visible(now);
      return true;
    case Command::pointer_pressed:
    case Command::pointer_double_pressed:
      if (mouse_.pressed(window(), input.x, input.y, now))
        begin_drag();
      else if (input.command == Command::pointer_double_pressed)
        set_fullscreen(!presenter_.fullscreen());
      return true;
    case Command::pointer_released:
      if (mouse_.dragging()) end_drag(now);
      return true;
    case Command::pointer_left: mouse_.left(); return true;
    default: return false;
  }
}

// Playing stands still while the bar is held: else it would run on between two places, sound and all.
void RenderLoop::begin_drag() {
  paused_before_drag_ = paused_;
  if (!paused_) set_paused(true);
}

void RenderLoop::end_drag(SteadyTime now) {
  mouse_.released(now);
  follow_mouse(now);  // the last place, exactly
  if (!paused_before_drag_) set_paused(false);
}

void RenderLoop::follow_mouse(SteadyTime now) {
  const nanoseconds duration = feed_.duration().value_or(nanoseconds{});
  const bool has_bar = feed_.seekable() && duration > nanoseconds{};
  mouse_.set_label_columns(has_bar ? std::optional(static_cast<int>(short_clock_text(duration).size())) : std::nullopt);
  if (const auto part = mouse_.take_wish(now)) {
    feed_.seek(time_of(*part));
    jumped();
  }
  redraw_wanted_ = redraw_wanted_ || mouse_.visible(now) != seek_bar_shown_;
  const bool pointer = mouse_.pointer_visible(now);
  if (pointer_shown_ != pointer) presenter_.set_pointer_visible(pointer);
  pointer_shown_ = pointer;
}

nanoseconds RenderLoop::time_of(double part) const {
  const nanoseconds duration = feed_.duration().value_or(nanoseconds{});
  return nanoseconds(std::llround(part * static_cast<double>(duration.count())));
}

std::optional<SeekBar> RenderLoop::seek_bar(SteadyTime now) const {
  if (!mouse_.visible(now)) return std::nullopt;
  const nanoseconds duration = feed_.duration().value_or(nanoseconds{});
  const nanoseconds position = feed_.position().value_or(nanoseconds{});
  SeekBar bar;
  bar.played = std::clamp(static_cast<double>(position.count()) / static_cast<double>(duration.count()), 0.0, 1.0);
  if (mouse_.pointer_visible(now)) bar.pointed = mouse_.pointed();
  if (mouse_.dragging() && bar.pointed) bar.played = *bar.pointed;
  bar.position = short_clock_text(mouse_.dragging() ? time_of(bar.played) : position);
  bar.duration = short_clock_text(duration);
  if (bar.pointed) bar.pointed_at = clock_text(time_of(*bar.pointed));
  return bar;
}

}  // namespace texcast::player
