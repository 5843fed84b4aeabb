// remote.h — control of a running player by a program; unlike keys it sets absolute values.
//
// Thread: the render thread, inside PlayerSettings::on_turn; not valid beyond that call.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "player/feed.h"
#include "player/input.h"
#include "player/player.h"
#include "player/presenter.h"
#include "player/report.h"

namespace texcast::player {

class Remote {
 public:
  virtual ~Remote() = default;

  virtual Playback playback() const = 0;
  virtual const PlayerChoices& choices() const = 0;
  virtual PlayerReport report() const = 0;
  virtual bool fullscreen() const = 0;

  virtual void set_paused(bool paused) = 0;
  virtual void set_volume(double volume) = 0;  // 0..1 (clamped)
  virtual void set_muted(bool muted) = 0;
  virtual void set_loop(bool loop) = 0;
  virtual void set_fullscreen(bool fullscreen) = 0;
  virtual void set_scale(ScaleMode scale) = 0;
  virtual void set_osd(bool shown) = 0;

  // These return false and do nothing if the feed is a live stream. Positions outside of the file become its first or
  // last moment.
  virtual bool set_speed(double speed) = 0;  // 0.25..4 (clamped)
  virtual bool seek_to(nanoseconds pts) = 0;
  virtual bool seek_by(nanoseconds delta) = 0;
  virtual bool step_by(int frames) = 0;  // and pauses

  // Shown at the top right for two seconds, longer if it is long.
  virtual void say(std::string notice) = 0;
  // Passes the picture on the screen to `save`, as the choices say (PlayerChoices::screenshot_with_osd). False: nothing
  // is drawn (PresenterKind::none).
  virtual bool screenshot(const std::function<std::string(const ShownPicture&)>& save) = 0;

  virtual void quit() = 0;
  // To the next (previous) item of the list. False: there is none.
  virtual bool change_item(bool forward) = 0;
};

}  // namespace texcast::player
