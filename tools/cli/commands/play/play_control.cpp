#include "play/play_control.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <utility>

#include "common/control_values.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

using control::parse_truth;
using control::require_words;
using control::Words;

void require_file(bool possible) {
  if (!possible) throw Error(ErrorKind::usage, "not possible in a live stream");
}

Json seconds_of(std::optional<nanoseconds> time) { return time ? Json(in_seconds(*time)) : Json(); }

int parse_step(const std::string& text) {
  const bool back = text.starts_with('-');
  const int64_t frames = parsed_value(parse_count, text.substr(back || text.starts_with('+') ? 1 : 0));
  if (frames > 1'000'000) throw Error(ErrorKind::usage, "at most a million frames");
  return static_cast<int>(back ? -frames : frames);
}

}  // namespace

PlayControl::PlayControl(const std::string& path, Hooks hooks)
    : hooks_(std::move(hooks)),
      port_(
          path, control::kPlay, [this] { return hooks_.source(); },
          [this] { return hooks_.statistics(remote_->report()); }) {
  bind_state();
  bind_sound();
  bind_window();
  bind_time();
  bind_list();
  bind_files();
  port_.begin();
}

void PlayControl::obey(player::Remote& remote) {
  remote_ = &remote;
  port_.obey();
  port_.tell_statistics();
  if (const bool paused = remote.playback().paused; paused != std::exchange(paused_, paused))
    tell("pause", Json(paused));
  remote_ = nullptr;
}

void PlayControl::bind_state() {
  port_.rows().property(
      "pause", [this] { return Json(remote_->playback().paused); },
      [this](const std::string& value) { remote_->set_paused(parse_truth(value)); });
  port_.rows().property(
      "loop", [this] { return Json(remote_->choices().loop); },
      [this](const std::string& value) { remote_->set_loop(parse_truth(value)); });
  port_.rows().command("quit", [this](Words words) {
    require_words(words, 0, 0, "quit");
    remote_->quit();
    return Json();
  });
  port_.rows().command("say", [this](Words words) {
    require_words(words, 1, 1, "say TEXT");
    remote_->say(words[0].substr(0, 200));
    return Json();
  });
}

void PlayControl::bind_sound() {
  port_.rows().property(
      "volume", [this] { return Json(std::round(remote_->choices().volume * 1000) / 10); },
      [this](const std::string& value) { remote_->set_volume(parsed_value(parse_volume, value)); });
  port_.rows().property(
      "mute", [this] { return Json(remote_->choices().muted); },
      [this](const std::string& value) { remote_->set_muted(parse_truth(value)); });
}

void PlayControl::bind_window() {
  port_.rows().property(
      "fullscreen", [this] { return Json(remote_->fullscreen()); },
      [this](const std::string& value) { remote_->set_fullscreen(parse_truth(value)); });
  port_.rows().property(
      "scale", [this] { return Json(name(remote_->choices().scale)); },
      [this](const std::string& value) { remote_->set_scale(parsed_value(parse_scale, value)); });
  port_.rows().property(
      "osd", [this] { return Json(remote_->choices().show_osd); },
      [this](const std::string& value) { remote_->set_osd(parse_truth(value)); });
}

void PlayControl::bind_time() {
  port_.rows().property(
      "position", [this] { return seconds_of(remote_->playback().position); },
      [this](const std::string& value) { require_file(remote_->seek_to(parsed_value(parse_time, value))); });
  port_.rows().property("duration", [this] { return seconds_of(remote_->playback().duration); });
  port_.rows().property(
      "speed", [this] { return Json(remote_->choices().speed); },
      [this](const std::string& value) { require_file(remote_->set_speed(parsed_value(parse_speed, value))); });
  port_.rows().command("seek", [this](Words words) {
    require_words(words, 1, 1, "seek TIME");
    const SeekTarget target = parse_seek(words[0]);
    require_file(target.relative ? remote_->seek_by(target.time) : remote_->seek_to(target.time));
    return seconds_of(remote_->playback().position);
  });
  port_.rows().command("step", [this](Words words) {
    require_words(words, 1, 1, "step FRAMES");
    require_file(remote_->step_by(parse_step(words[0])));
    return Json();
  });
}

void PlayControl::bind_list() {
  port_.rows().property("timing", [this] { return hooks_.timing(remote_->report()); });
  port_.rows().property("sources", [this] { return hooks_.sources(); });
  port_.rows().property("place", [this] { return Json(hooks_.place()); });
  for (const auto& [name, forward] : {std::pair{"next", true}, std::pair{"previous", false}})
    port_.rows().command(name, [this, forward = forward](Words words) {
      require_words(words, 0, 0, forward ? "next" : "previous");
      if (!remote_->change_item(forward))
        throw Error(ErrorKind::usage, fmt::format("there is no {} source in the list", forward ? "next" : "previous"));
      return Json();
    });
}

void PlayControl::bind_files() {
  port_.rows().property("recording", [this] { return hooks_.recording(); });
  port_.rows().command("screenshot", [this](Words words) { return screenshot(words); });
  port_.rows().command_later("record", [this](Words words, control::Reply& reply) { record(words, reply); });
}

Json PlayControl::screenshot(Words words) {
  require_words(words, 0, 1, "screenshot [FILE]");
  std::string path;
  std::optional<Error> failure;
  const bool drawn = remote_->screenshot([&](const player::ShownPicture& picture) -> std::string {
    try {
      path = hooks_.save_screenshot(picture, words.empty() ? "" : words[0]);
      return "saved " + path;
    } catch (const Error& error) {
      failure = error;
      return error.what();
    }
  });
  if (failure) throw *failure;
  if (!drawn) throw Error(ErrorKind::usage, "nothing is rendered (--no-window)");
  return path;
}

void PlayControl::record(Words words, control::Reply& reply) {
  constexpr const char* kUsage = "record start [FILE], or record stop";
  require_words(words, 1, 2, kUsage);
  if (words[0] == "start") {
    const std::string path = hooks_.start_recording(words.size() > 1 ? words[1] : "");
    remote_->say("recording " + path);
    return reply.answer(control::Answer::success(path));
  }
  if (words[0] != "stop" || words.size() > 1) throw Error(ErrorKind::usage, std::string("usage: ") + kUsage);
  hooks_.stop_recording(reply);
}

}  // namespace texcast::cli
