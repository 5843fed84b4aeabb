// render_remote.h — the Remote of one run, which controls the same objects as the keys.
//
// Thread: the render thread. All that Targets refers to must outlive this.
#pragma once

#include <string>
#include <utility>

#include "base/clock.h"
#include "display.h"
#include "feed_control.h"
#include "player/remote.h"
#include "pointer_control.h"
#include "shown_statistics.h"

namespace texcast::player {

class RenderRemote final : public Remote {
 public:
  struct Targets {
    const Feed& feed;
    Presenter& presenter;
    PlayerChoices& choices;
    const ShownStatistics& statistics;
    FeedControl& control;
    PointerControl& pointer;
    Display& display;
    const Clock& clock;
    std::optional<RunEnd>& end;  // set: the run is over
    ListPlace place{};
  };
  explicit RenderRemote(Targets targets) : to_(targets) {}

  Playback playback() const override { return to_.control.playback(); }
  const PlayerChoices& choices() const override { return to_.choices; }
  PlayerReport report() const override { return to_.statistics.report(to_.clock.now()); }
  bool fullscreen() const override { return to_.presenter.fullscreen(); }
  void set_paused(bool paused) override;
  void set_volume(double volume) override;
  void set_muted(bool muted) override;
  void set_loop(bool loop) override;
  void set_fullscreen(bool fullscreen) override;
  void set_scale(ScaleMode scale) override;
  void set_osd(bool shown) override;
  bool set_speed(double speed) override;
  bool seek_to(nanoseconds pts) override;
  bool seek_by(nanoseconds delta) override;
  bool step_by(int frames) override;
  void say(std::string notice) override { to_.display.say(std::move(notice)); }
  bool screenshot(const std::function<std::string(const ShownPicture&)>& save) override;
  void quit() override { to_.end = RunEnd::quit; }
  bool change_item(bool forward) override;

 private:
  Targets to_;
};

}  // namespace texcast::player
