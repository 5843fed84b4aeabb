// render_loop.h — one run of the player: the state that lives from its beginning to its end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "player/osd_lines.h"
#include "player/player.h"
#include "player/seek_bar_control.h"
#include "shown_statistics.h"

namespace texcast::player {

class RenderLoop {
 public:
  struct Task {
    const PlayerSettings& settings;
    PlayerChoices& choices;
    Feed& feed;
    Presenter& presenter;
    ListPlace place{};
    bool stop_at_end = true;
    std::string notice{};
  };
  explicit RenderLoop(Task task);
  PlayerReport run();

 private:
  bool step();  // false: done
  void show(const FeedFrame& frame);
  void idle(SteadyTime now);
  void upload_ahead();
  void end(RunEnd why) { end_ = why; }

  // render_loop_draw.cpp: what is on the screen
  void redraw();
  void refresh_texts(SteadyTime now);
  struct Texts {
    std::vector<std::string> display{};
    std::vector<std::string> slate{};
    std::vector<std::string> keys{};
    std::vector<std::string> notice{};
    bool operator==(const Texts&) const = default;
  };
  Texts make_texts(SteadyTime now) const;
  std::vector<std::string> display_lines(SteadyTime now) const;
  std::vector<std::string> slate_lines(SteadyTime now) const;
  Playback playback() const;
  void draw();
  void save_screenshot();
  void say(std::string notice);

  // render_loop_commands.cpp: what is asked for
  void obey(const UserInput& input);
  bool obey_window(const UserInput& input);  // false: none of its commands
  bool obey_time(Command command);
  bool obey_choice(Command command);
  void set_fullscreen(bool fullscreen);
  void leave();
  void change_item(RunEnd direction);
  void set_paused(bool paused);
  bool can_seek();  // else says so
  void seek_by(nanoseconds delta);
  void seek_to_frame(uint64_t number);
  void jumped();
  void step_by(int frames);
  void change_speed(int direction);
  void change_volume(double by);
  void give_choices();

  // render_loop_mouse.cpp: the seek bar and the pointer
  bool obey_mouse(const UserInput& input);
  void follow_mouse(SteadyTime now);
  void begin_drag();
  void end_drag(SteadyTime now);
  nanoseconds time_of(double part) const;
  std::optional<SeekBar> seek_bar(SteadyTime now) const;
  Size window() const { return {presenter_.width(), presenter_.height()}; }

  const PlayerSettings& settings_;
  PlayerChoices& choices_;
  Feed& feed_;
  Presenter& presenter_;
  const ListPlace place_;
  const bool stop_at_end_;
  ShownStatistics statistics_;
  std::optional<TextureDesc> texture_;  // of the picture, once this feed gave one

  uint64_t ahead_ = 0;  // FeedAhead::id of what the presenter has of the next picture; 0: nothing
  bool paused_ = false;
  bool show_one_while_paused_ = false;  // a seek's result
  std::optional<RunEnd> end_;
  std::vector<std::string> dropped_files_;

  SeekBarControl mouse_;
  bool paused_before_drag_ = false;
  bool seek_bar_shown_ = false;
  std::optional<bool> pointer_shown_;  // as the presenter was told last

  bool redraw_wanted_ = true;
  Texts texts_;
  SteadyTime texts_due_{};  // when they are to be made anew
  SteadyTime slate_due_{};  // words about waiting, not over a picture that will be replaced in a moment
  std::string notice_;      // empty: the position, as it goes on
  SteadyTime notice_ends_{};
  SteadyTime report_due_{};
};

}  // namespace texcast::player
