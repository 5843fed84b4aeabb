// display.h — what lies over the picture, and when the picture is drawn again because of it.
//
// Owns the words on the picture (what is played, notices, keys, "no signal") and the seek bar as they were drawn last.
// Words are made anew five times a second, so that they can be read; the picture is drawn again with them only where
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
  // What is told about, and where.
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
  // Until `waiting_from` nothing is said about a first picture that is not there yet.
  Display(Subject subject, SteadyTime waiting_from);

  void say(std::string notice);  // at the top right for two seconds, longer if it is long
  void show_position();          // in place of a notice, kept up to date
  void words_changed();          // they are made anew at the next update, not only when their time has come
  void window_changed();         // to be drawn again, whether words differ or not

  // What the next picture waits for here, in the middle; empty: nothing.
  void set_preparing(const std::string& line) { preparing_ = line; }
  bool is_preparing() const { return !preparing_.empty(); }

  // The presenter was given a new picture: draws and presents it.
  void show_picture(const TextureDesc& picture, SteadyTime now);
  // There is no new picture: draws the last one again if window, words or seek bar ask for it. Whether it did.
  bool update(SteadyTime now);
  // The same for a new picture that is the last one again.
  bool keep_picture(SteadyTime now);
  // Draws and presents once more, gives what is then on the screen to `save`, and says the line that comes back.
  // Without `save` nothing is done.
  void save_screenshot(const std::function<std::string(const ShownPicture&)>& save, SteadyTime now);

 private:
  struct Words {
    std::vector<std::string> facts{};   // top left
    std::vector<std::string> slate{};   // in the middle: why there is nothing new to be seen
    std::vector<std::string> keys{};    // in the middle
    std::vector<std::string> notice{};  // top right
    bool operator==(const Words&) const = default;
  };
  void refresh(SteadyTime now);
  Words make_words(SteadyTime now) const;
  std::vector<std::string> fact_lines(SteadyTime now) const;
  std::vector<std::string> slate_lines(SteadyTime now) const;
  void draw();

  const Subject subject_;
  const SteadyTime waiting_from_;
  std::optional<TextureDesc> picture_;  // on the screen, once this feed gave one
  bool draw_wanted_ = true;
  Words words_;
  SteadyTime words_due_{};      // when they are to be made anew
  std::optional<SeekBar> bar_;  // none: not to be seen
  Cursor cursor_{};
  std::string preparing_;
  std::string notice_;  // empty: the position
  SteadyTime notice_ends_{};
};

}  // namespace texcast::player
