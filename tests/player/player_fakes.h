// player_fakes.h — a feed and a presenter that follow a script and record their calls.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../manual_clock.h"
#include "block_oracle.h"
#include "player/feed.h"
#include "player/player.h"
#include "player/presenter.h"

namespace texcast::player {

// Returns one entry of the script from each take(). An empty entry means "nothing new". The feed ends after the last.
class ScriptedFeed : public Feed {
 public:
  struct Step {
    std::optional<uint64_t> frame;  // its number; pts is `number` seconds
    bool concealed = false;
    uint64_t changed_in = 0;  // number of a frame, plus 1; 0: unknown
  };
  std::deque<Step> script;
  std::deque<uint64_t> aheads;  // IDs that ahead() returns, one each time
  bool can_seek = false;
  bool ends = true;
  std::vector<std::string> slate_words;
  std::vector<nanoseconds> seeks;
  std::vector<uint64_t> frame_seeks;
  std::vector<int> steps;
  std::vector<bool> pauses;
  double speed_set = 0;
  double volume_set = -1;
  bool muted_set = false;
  bool loop_set = false;
  std::string name = "a feed";
  Cursor pointer;
  std::optional<TextureFormat> next_format;
  int waits = 0, swaps_told = 0;
  std::function<void()> on_wait = [] {};

  std::optional<FeedFrame> take(SteadyTime) override {
    if (script.empty()) return std::nullopt;
    const Step step = script.front();
    script.pop_front();
    if (!step.frame) return std::nullopt;
    FeedFrame frame{.texture = texture_.view(), .number = *step.frame, .concealed = step.concealed};
    frame.id = frame.number + 100;
    changed_in_ = step.changed_in;
    if (changed_in_ != 0) frame.changes = {1, frame.number + 1, {&changed_in_, 1}};
    frame.times.pts = std::chrono::seconds(*step.frame);
    position_ = frame.times.pts;
    return frame;
  }
  std::optional<TextureDesc> next_texture() const override {
    return next_format ? std::optional(TextureDesc{.format = *next_format, .width = 16, .height = 16}) : std::nullopt;
  }
  std::optional<FeedAhead> ahead() override {
    if (aheads.empty()) return std::nullopt;
    const uint64_t id = aheads.front();
    aheads.pop_front();
    return FeedAhead{.texture = texture_.view(), .ready_bytes = 64, .id = id};
  }
  void wait(SteadyTime) override {
    ++waits;
    on_wait();
  }
  std::vector<std::string> slate(SteadyTime) const override { return slate_words; }
  Cursor cursor() const override { return pointer; }
  void set_swaps(const SwapGrid&) override { ++swaps_told; }
  bool is_late = false;  // nothing has come yet
  FeedState state() const override {
    if (is_late) return FeedState::waiting;
    return script.empty() && ends ? FeedState::ended : FeedState::playing;
  }
  bool seekable() const override { return can_seek; }
  std::optional<nanoseconds> duration() const override { return std::chrono::seconds(100); }
  std::optional<uint64_t> frame_count() const override { return 101; }
  std::optional<nanoseconds> position() const override { return position_; }
  void seek(nanoseconds pts) override {
    seeks.push_back(pts);
    position_ = pts;
  }
  void seek_to_frame(uint64_t number) override { frame_seeks.push_back(number); }
  void step(int frames) override { steps.push_back(frames); }
  void set_speed(double speed) override { speed_set = speed; }
  void set_loop(bool loop) override { loop_set = loop; }
  bool has_audio() const override { return can_seek; }
  void set_volume(double volume) override { volume_set = volume; }
  void set_muted(bool muted) override { muted_set = muted; }
  void set_paused(bool paused) override { pauses.push_back(paused); }
  std::string title() const override { return name; }
  std::vector<FeedStat> stats() const override { return {{"lost", "0"}}; }

 private:
  std::optional<nanoseconds> position_;
  uint64_t changed_in_ = 0;
  OwnedTexture texture_ = flat_bc1(16, 16, 0xF800);
};

class NotingPresenter : public Presenter {
 public:
  // The n-th poll() since the last "no more" returns the n-th list.
  std::deque<std::vector<UserInput>> commands;
  std::vector<std::string> lines;  // of the last draw, all panels
  OverlayPlace place{};            // of the last panel with text
  bool dimmed = false;
  std::optional<SeekBar> seek_bar;
  std::vector<int> cursors;  // x of the pointer at each draw
  ScaleMode scale{};
  std::optional<bool> pointer;
  int monitor_moves = 0;
  int uploads = 0, draws = 0, presents = 0;
  nanoseconds period{};
  bool is_fullscreen = false;
  bool playing = false;
  std::string title_text;
  std::function<void()> on_present = [] {};

  int preparing = 0;  // this number of prepare() calls return "not done"
  std::optional<std::string> prepare(const TextureDesc& desc) override {
    if (preparing == 0) return std::nullopt;
    --preparing;
    return "making " + std::string(name(desc.format));
  }

  int formats_to_warm_up = 0;  // warm_up_more() prepares that many
  bool warm_up_more() override {
    if (formats_to_warm_up == 0) return false;
    --formats_to_warm_up;
    return true;
  }

  std::string ahead_log;  // a: upload_ahead(), d: drop_ahead() if there is something to drop, u: upload()
  bool has_ahead = false;
  void upload(const TextureView&, const RowChanges&) override {
    ++uploads;
    ahead_log += 'u';
    has_ahead = false;
  }
  void upload_ahead(const TextureView&, size_t ready_bytes, const RowChanges&) override {
    ahead_log += ready_bytes == 64 ? 'a' : '?';
    has_ahead = true;
  }
  void drop_ahead() override {
    if (std::exchange(has_ahead, false)) ahead_log += 'd';
  }
  std::unique_ptr<UploadBuffers> make_upload_buffers(size_t count, size_t bytes) override {
    return make_plain_upload_buffers(count, bytes);
  }
  void clear_picture() override {}
  void draw(const Overlay& overlay) override {
    lines.clear();
    for (const TextBlock& block : overlay.texts) lines.insert(lines.end(), block.lines.begin(), block.lines.end());
    for (const TextBlock& block : overlay.texts)
      if (!block.lines.empty()) place = block.place;
    dimmed = overlay.dim;
    seek_bar = overlay.seek_bar ? std::optional(*overlay.seek_bar) : std::nullopt;
    cursors.push_back(overlay.cursor->x);
    ++draws;
  }
  bool read_back_with_texts = false, read_back_dimmed = false;
  std::optional<ShownPicture> read_back() override {
    read_back_with_texts = !lines.empty();
    read_back_dimmed = dimmed;
    return ShownPicture{1, 1, {1, 2, 3}};
  }
  void present() override {
    ++presents;
    on_present();
  }
  std::optional<UserInput> poll() override {
    if (commands.empty()) return std::nullopt;
    if (commands.front().empty()) {
      commands.pop_front();
      return std::nullopt;
    }
    UserInput input = commands.front().front();
    commands.front().erase(commands.front().begin());
    return input;
  }
  void resize(int, int) override {}
  void set_fullscreen(bool fullscreen) override { is_fullscreen = fullscreen; }
  bool fullscreen() const override { return is_fullscreen; }
  void next_monitor() override { ++monitor_moves; }
  void set_scale(ScaleMode mode) override { scale = mode; }
  void set_pointer_visible(bool visible) override { pointer = visible; }
  void set_title(const std::string& title) override { title_text = title; }
  void set_playing(bool now_playing) override { playing = now_playing; }
  int width() const override { return 1280; }
  int height() const override { return 720; }
  nanoseconds refresh_period() const override { return period; }
  std::string renderer() const override { return "notes"; }
};

// A player with both, whose clock advances only if a test sets it or the player sleeps, and the numbers of the frames
// that it showed.
struct Stage {
  test::ManualClock clock;
  ScriptedFeed feed;
  NotingPresenter presenter;
  std::vector<uint64_t> shown;
  PlayerReport run(PlayerSettings settings = {}, ListPlace place = {}, bool stop_at_end = true) {
    settings.on_shown = [this](const ShownFrame& frame) { shown.push_back(frame.number); };
    return Player(settings, clock).run(feed, presenter, place, stop_at_end);
  }
};

inline bool shows(const NotingPresenter& presenter, std::string_view words) {
  for (const std::string& line : presenter.lines)
    if (line.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace texcast::player
