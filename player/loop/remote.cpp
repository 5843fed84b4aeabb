#include "player/remote.h"

#include <utility>

#include "render_remote.h"

namespace texcast::player {

bool RenderRemote::seek_to(nanoseconds pts) {
  if (!to_.feed.seekable()) return false;
  return seek_by(pts - to_.feed.position().value_or(nanoseconds{}));
}

bool RenderRemote::seek_by(nanoseconds delta) {
  const bool possible = to_.control.seek_by(delta);
  if (possible) to_.pointer.show_bar(to_.clock.now());
  to_.display.words_changed();
  return possible;
}

bool RenderRemote::step_by(int frames) {
  to_.display.words_changed();
  return to_.control.step_by(frames);
}

bool RenderRemote::set_speed(double speed) {
  to_.display.words_changed();
  return to_.control.set_speed(speed);
}

void RenderRemote::set_paused(bool paused) {
  if (paused == to_.control.paused()) return;
  to_.display.words_changed();
  to_.control.set_paused(paused);
}

void RenderRemote::set_volume(double volume) {
  to_.display.words_changed();
  to_.control.set_volume(volume);
}

void RenderRemote::set_muted(bool muted) {
  to_.display.words_changed();
  to_.control.set_muted(muted);
}

void RenderRemote::set_loop(bool loop) {
  to_.display.words_changed();
  to_.control.set_loop(loop);
}

void RenderRemote::set_fullscreen(bool fullscreen) {
  if (fullscreen == to_.presenter.fullscreen()) return;
  to_.presenter.set_fullscreen(fullscreen);
  to_.pointer.hide();
}

void RenderRemote::set_scale(ScaleMode scale) {
  to_.choices.scale = scale;
  to_.presenter.set_scale(scale);
  to_.display.words_changed();
  to_.display.window_changed();
}

void RenderRemote::set_osd(bool shown) {
  to_.choices.show_osd = shown;
  to_.display.words_changed();
}

bool RenderRemote::screenshot(const std::function<std::string(const ShownPicture&)>& save) {
  bool drawn = false;
  to_.display.save_screenshot(
      [&](const ShownPicture& picture) {
        drawn = true;
        return save(picture);
      },
      to_.clock.now());
  return drawn;
}

bool RenderRemote::change_item(bool forward) {
  const bool at_the_edge = forward ? to_.place.index + 1 == to_.place.count : to_.place.index == 0;
  if (to_.place.count < 2 || (at_the_edge && !to_.choices.loop)) return false;
  to_.end = forward ? RunEnd::next_item : RunEnd::previous_item;
  return true;
}

}  // namespace texcast::player
