// play_control.h — the properties and commands of `texcast play --control`, on the render thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/control_port.h"
#include "player/player.h"
#include "player/remote.h"
#include "stream/stream_report.h"

namespace texcast::cli {

class PlayControl {
 public:
  // Functions for playlist and files; called inside obey().
  struct Hooks {
    std::function<std::string()> source;
    std::function<Json()> sources;
    std::function<int64_t()> place;  // position in that list, from 1
    std::function<Json()> recording;
    std::function<stream::StatsLine(const player::PlayerReport&)> statistics;
    std::function<Json(const player::PlayerReport&)> timing;
    // Saves to `path`, or if it is empty to a free name. Returns the name; throws Error.
    std::function<std::string(const player::ShownPicture&, const std::string& path)> save_screenshot;
    std::function<std::string(const std::string& path)> start_recording;
    std::function<void(control::Reply&)> stop_recording;
  };
  PlayControl(const std::string& path, Hooks hooks);

  // Call it in every turn of the player.
  void obey(player::Remote& remote);
  void tell(std::string_view event, const Json& data) { port_.tell(event, data); }

 private:
  void bind_state();
  void bind_sound();
  void bind_window();
  void bind_time();
  void bind_list();
  void bind_files();
  Json screenshot(control::Words words);
  void record(control::Words words, control::Reply& reply);

  const Hooks hooks_;
  player::Remote* remote_ = nullptr;  // set inside obey()
  bool paused_ = false;               // as in the last event
  ControlPort port_;
};

}  // namespace texcast::cli
