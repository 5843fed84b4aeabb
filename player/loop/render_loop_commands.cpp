// render_loop_commands.cpp — the part of the render loop that does what a person asks for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>

#include "player/osd_lines.h"
#include "render_loop.h"

namespace texcast::player {
namespace {

using std::chrono_literals::operator""s;

constexpr std::array kSpeeds = {0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0};
constexpr double kVolumeStep = 0.05;
constexpr uint64_t kPastTheEnd = std::numeric_limits<uint64_t>::max();

}  // namespace

void RenderLoop::obey(const UserInput& input) {
  texts_due_ = {};
  if (!obey_mouse(input) && !obey_window(input) && !obey_time(input.command)) obey_choice(input.command);
}

bool RenderLoop::obey_window(const UserInput& input) {
  switch (input.command) {
    case Command::quit: end(RunEnd::quit); return true;
    case Command::escape: leave(); return true;
    case Command::toggle_fullscreen: set_fullscreen(!presenter_.fullscreen()); return true;
    case Command::next_monitor:
      presenter_.next_monitor();
      pointer_shown_.reset();
      return true;
    case Command::screenshot: save_screenshot(); return true;
    case Command::redraw: redraw_wanted_ = true; return true;
    case Command::next_item: change_item(RunEnd::next_item); return true;
    case Command::previous_item: change_item(RunEnd::previous_item); return true;
    case Command::file_dropped: dropped_files_.push_back(input.file); return true;
    case Command::drop_complete:
      if (!dropped_files_.empty()) end(RunEnd::files_dropped);
      return true;
    default: return false;
  }
}

bool RenderLoop::obey_time(Command command) {
  switch (command) {
    case Command::toggle_pause: set_paused(!paused_); return true;
    case Command::seek_back_5s: seek_by(-5s); return true;
    case Command::seek_forward_5s: seek_by(5s); return true;
    case Command::seek_back_60s: seek_by(-60s); return true;
    case Command::seek_forward_60s: seek_by(60s); return true;
    case Command::step_back: step_by(-1); return true;
    case Command::step_forward: step_by(1); return true;
    case Command::seek_first: seek_to_frame(0); return true;
    case Command::seek_last:
      if (can_seek()) set_paused(true);  // else it would be over at once
      seek_to_frame(kPastTheEnd);
      return true;
    default: return false;
  }
}

bool RenderLoop::obey_choice(Command command) {
  switch (command) {
    case Command::toggle_osd: choices_.show_osd = !choices_.show_osd; return true;
    case Command::toggle_keys: choices_.show_keys = !choices_.show_keys; return true;
    case Command::show_position:
      mouse_.show_for_a_while(steady_now());
      say("");  // made anew while it stays
      return true;
    case Command::next_scale:
      choices_.scale = static_cast<ScaleMode>((static_cast<int>(choices_.scale) + 1) % 3);
      presenter_.set_scale(choices_.scale);
      redraw_wanted_ = true;
      say(name(choices_.scale));
      return true;
    case Command::slower: change_speed(-1); return true;
    case Command::faster: change_speed(1); return true;
    case Command::normal_speed: change_speed(0); return true;
    case Command::quieter: change_volume(-kVolumeStep); return true;
    case Command::louder: change_volume(kVolumeStep); return true;
    case Command::toggle_mute:
      choices_.muted = !choices_.muted;
      feed_.set_muted(choices_.muted);
      say("sound " + sound_text(playback()));
      return true;
    case Command::toggle_loop:
      choices_.loop = !choices_.loop;
      give_choices();
      say(choices_.loop ? "loop" : "no loop");
      return true;
    default: return false;
  }
}

// A list of more than one is what loops, not its files.
void RenderLoop::give_choices() {
  presenter_.set_scale(choices_.scale);
  feed_.set_speed(choices_.speed);
  feed_.set_volume(choices_.volume);
  feed_.set_muted(choices_.muted);
  feed_.set_loop(choices_.loop && place_.count == 1);
}

void RenderLoop::set_fullscreen(bool fullscreen) {
  presenter_.set_fullscreen(fullscreen);
  mouse_.left();  // hidden until it moves
  pointer_shown_.reset();
}

void RenderLoop::leave() {
  if (presenter_.fullscreen()) {
    set_fullscreen(false);
  } else {
    end(RunEnd::quit);
  }
}

void RenderLoop::change_item(RunEnd direction) {
  const bool at_the_edge = direction == RunEnd::next_item ? place_.index + 1 == place_.count : place_.index == 0;
  if (place_.count == 1 || (at_the_edge && !choices_.loop))
    say(place_.count == 1                ? "no list"
        : direction == RunEnd::next_item ? "the last of the list"
                                         : "the first of the list");
  else
    end(direction);
}

void RenderLoop::set_paused(bool paused) {
  paused_ = paused;
  show_one_while_paused_ = false;
  feed_.set_paused(paused);
  presenter_.set_playing(!paused);
}

void RenderLoop::seek_by(nanoseconds delta) {
  if (!can_seek()) return;
  nanoseconds target = std::max(feed_.position().value_or(nanoseconds{}) + delta, nanoseconds{});
  if (const auto duration = feed_.duration()) target = std::min(target, *duration);
  feed_.seek(target);
  jumped();
}

void RenderLoop::seek_to_frame(uint64_t number) {
  if (!can_seek()) return;
  feed_.seek_to_frame(number);
  jumped();
}

void RenderLoop::step_by(int frames) {
  if (!can_seek()) return;
  set_paused(true);
  feed_.step(frames);
  jumped();
}

bool RenderLoop::can_seek() {
  if (!feed_.seekable()) say("not in a live stream");
  return feed_.seekable();
}

void RenderLoop::jumped() {
  mouse_.show_for_a_while(steady_now());
  statistics_.expect_jump();
  show_one_while_paused_ = paused_;
}

void RenderLoop::change_speed(int direction) {
  if (!can_seek()) return;
  if (direction == 0) choices_.speed = 1;
  if (direction > 0) {
    const auto* next = std::upper_bound(kSpeeds.begin(), kSpeeds.end(), choices_.speed + 1e-6);
    if (next != kSpeeds.end()) choices_.speed = *next;
  }
  if (direction < 0) {
    const auto* same = std::lower_bound(kSpeeds.begin(), kSpeeds.end(), choices_.speed - 1e-6);
    if (same != kSpeeds.begin()) choices_.speed = *(same - 1);
  }
  feed_.set_speed(choices_.speed);
  say(fmt::format("speed {:g}×", choices_.speed));
}

void RenderLoop::change_volume(double by) {
  choices_.volume = std::clamp(choices_.volume + by, 0.0, 1.0);
  feed_.set_volume(choices_.volume);
  say("sound " + sound_text(playback()));
}

}  // namespace texcast::player
