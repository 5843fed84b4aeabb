#include "player/player.h"

#include <algorithm>
#include <utility>

#include "render_loop.h"

namespace texcast::player {

Player::Player(PlayerSettings settings) : settings_(std::move(settings)), choices_(settings_.choices) {}
Player::~Player() = default;

PlayerReport Player::run(Feed& feed, Presenter& presenter, ListPlace place, bool stop_at_end) {
  PlayerSettings settings = settings_;
  settings.frame_limit -= std::min(settings.frame_limit, shown_);
  const PlayerReport report = RenderLoop({.settings = settings,
                                          .choices = choices_,
                                          .feed = feed,
                                          .presenter = presenter,
                                          .place = place,
                                          .stop_at_end = stop_at_end,
                                          .notice = std::exchange(notice_, {})})
                                  .run();
  shown_ += report.frames_shown;
  return report;
}

}  // namespace texcast::player
