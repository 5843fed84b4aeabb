// player_fakes.h — a feed and a presenter that follow a script and note down what happened to them.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "block_oracle.h"
#include "player/feed.h"
#include "player/presenter.h"

namespace texcast::player {

// Gives one entry of the script at each take(); an empty one means "nothing new". Ended after the last.
class ScriptedFeed : public Feed {
 public:
  struct Step {
    std::optional<uint64_t> frame;  // its number; pts is number seconds
    bool concealed = false;
  };
  std::deque<Step> script;
  bool can_seek = false;
  bool ends = true;
  std::vector<nanoseconds> seeks;
  std::vector<bool> pauses;
  int waits = 0;
  std::function<void()> on_wait = [] {};

  std::optional<FeedFrame> take(SteadyTime) override {
    if (script.empty()) return std::nullopt;
    const Step step = script.front();
    script.pop_front();
    if (!step.frame) return std::nullopt;
    FeedFrame frame{.texture = texture_.view(), .number = *step.frame, .concealed = step.concealed};
    frame.times.pts = std::chrono::seconds(*step.frame);
    return frame;
  }
  void wait(SteadyTime) override {
    ++waits;
    on_wait();
  }
  FeedState state() const override { return script.empty() && ends ? FeedState::ended : FeedState::playing; }
  bool seekable() const override { return can_seek; }
  std::optional<nanoseconds> duration() const override { return std::chrono::seconds(100); }
  void seek(nanoseconds pts) override { seeks.push_back(pts); }
  void set_paused(bool paused) override { pauses.push_back(paused); }
  std::string title() const override { return "a feed"; }
  std::vector<FeedStat> stats() const override { return {{"lost", "0"}}; }

 private:
  OwnedTexture texture_ = flat_bc1(16, 16, 0xF800);
};

class NotingPresenter : public Presenter {
 public:
  // At the n-th poll() since the last time it said "no more" the n-th list is given out.
  std::deque<std::vector<Command>> commands;
  std::vector<std::string> lines;  // of the last draw
  OverlayPlace place{};
  int uploads = 0, draws = 0, presents = 0;
  bool is_fullscreen = false;
  bool playing = false;
  std::string title_text;
  std::function<void()> on_present = [] {};

  void upload(const TextureView&) override { ++uploads; }
  std::unique_ptr<UploadBuffers> make_upload_buffers(size_t count, size_t bytes) override {
    return make_plain_upload_buffers(count, bytes);
  }
  void clear_picture() override {}
  void draw(const Overlay& overlay) override {
    lines.assign(overlay.lines.begin(), overlay.lines.end());
    place = overlay.place;
    ++draws;
  }
  std::optional<ShownPicture> read_back() override { return ShownPicture{1, 1, {1, 2, 3}}; }
  void present() override {
    ++presents;
    on_present();
  }
  std::optional<Command> poll() override {
    if (commands.empty()) return std::nullopt;
    if (commands.front().empty()) {
      commands.pop_front();
      return std::nullopt;
    }
    const Command command = commands.front().front();
    commands.front().erase(commands.front().begin());
    return command;
  }
  void resize(int, int) override {}
  void set_fullscreen(bool fullscreen) override { is_fullscreen = fullscreen; }
  bool fullscreen() const override { return is_fullscreen; }
  void set_title(const std::string& title) override { title_text = title; }
  void set_playing(bool now_playing) override { playing = now_playing; }
  int width() const override { return 1; }
  int height() const override { return 1; }
  std::string renderer() const override { return "notes"; }
};

inline bool shows(const NotingPresenter& presenter, std::string_view words) {
  for (const std::string& line : presenter.lines)
    if (line.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace texcast::player
