// display.h — the overlay of the picture, and when the picture is drawn again because of it.
//
// Owns the texts on the picture (what is played, notices, keys, "no signal"), the seek bar as they were drawn last, and
// the window's title.
// Texts are updated five times per second, so that they can be read; the picture is drawn again with them only if
// something differs.
//
// Thread: the render thread. All that Subject refers to must outlive this.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "feed_control.h"
#include "player/feed.h"
#include "player/player.h"
#include "player/presenter.h"
#include "pointer_control.h"
#include "shown_statistics.h"

namespace texcast::player {

class Display {
 public:
  // The sources and the target of the overlay.
  struct Subject {
    const Feed& feed;
    Presenter& presenter;
    const PlayerChoices& choices;
    const ShownStatistics& statistics;
    const FeedControl& control;
    const PointerControl& pointer;
    const Clock& clock;
    ListPlace place{};
  };
  // Until `waiting_from` the slate does not mention that the first picture is missing.
  Display(Subject subject, SteadyTime waiting_from);

  void say(std::string notice);  // at the top right for two seconds, longer if it is long
  void show_position();          // replaces a notice, kept up to date
  void words_changed();          // texts are updated at the next update(), not only when they are due
  void window_changed();         // it must be drawn again, whether texts differ or not

  // The reason why the next picture waits, shown in the middle; empty: nothing.
  void set_preparing(const std::string& line) { preparing_ = line; }
  bool is_preparing() const { return !preparing_.empty(); }

  // The presenter was given a new picture: draws and presents it.
  void show_picture(const TextureDesc& picture, SteadyTime now);
  // There is no new picture: draws the last one again if window, texts or seek bar require it. Returns whether it did.
  bool update(SteadyTime now);
  // The same for a new picture that equals the last one.
  bool keep_picture(SteadyTime now);
  // Draws and presents once more, passes the picture on the screen to `save`, and shows the line that it returns. As
  // long as there is no picture, or if the choices say so, it is passed with the overlay. Does nothing without `save`.
  void save_screenshot(const std::function<std::string(const ShownPicture&)>& save, SteadyTime now);

 private:
  struct Words {
    std::vector<std::string> facts{};   // top left
    std::vector<std::string> slate{};   // in the middle: why nothing new is shown
    std::vector<std::string> keys{};    // in the middle
    std::vector<std::string> notice{};  // top right
    bool operator==(const Words&) const = default;
  };
  void refresh(SteadyTime now);
  Words make_words(SteadyTime now) const;
  std::vector<std::string> fact_lines(SteadyTime now) const;
  std::vector<std::string> slate_lines(SteadyTime now) const;
  std::string make_title() const;
  void draw();

  const Subject subject_;
  const SteadyTime waiting_from_;
  std::optional<TextureDesc> picture_;  // on the screen, once this feed returned one
  bool draw_wanted_ = true;
  Words words_;
  std::string title_;           // of the window
  SteadyTime words_due_{};      // when they must be updated
  std::optional<SeekBar> bar_;  // none: hidden
  Cursor cursor_{};
  std::string preparing_;
  std::string notice_;  // empty: the position
  SteadyTime notice_ends_{};
};

}  // namespace texcast::player
