#include "player/player.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "osd_lines.h"
#include "shown_statistics.h"

namespace texcast::player {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr nanoseconds kLongestSleep = 15ms;    // keys and the stop flag are looked at this often
constexpr nanoseconds kDisplayPeriod = 200ms;  // the words on the picture are made anew this often: readable
constexpr nanoseconds kReportPeriod = 1s;
constexpr nanoseconds kNoticeTime = 2s;  // how long "saved …" stays

}  // namespace

// One run(): the state that lives from its beginning to its end.
class Player::Loop {
 public:
  Loop(const PlayerSettings& settings, Feed& feed, Presenter& presenter)
      : settings_(settings), feed_(feed), presenter_(presenter), show_osd_(settings.show_osd) {}

  PlayerReport run();

 private:
  bool step();  // false: done
  void obey(Command command);
  void leave();
  void set_paused(bool paused);
  void seek_by(nanoseconds delta);
  void show(const FeedFrame& frame);
  void redraw();
  void refresh_lines(SteadyTime now);
  std::vector<std::string> make_lines(SteadyTime now) const;
  void save_screenshot();
  void idle(SteadyTime now);

  const PlayerSettings& settings_;
  Feed& feed_;
  Presenter& presenter_;
  ShownStatistics statistics_;
  bool has_picture_ = false;
  TextureDesc texture_;     // of the picture
  nanoseconds position_{};  // of the last frame shown, or where the last seek went

  bool show_osd_;
  bool show_keys_ = false;
  bool paused_ = false;
  bool show_one_while_paused_ = false;  // a seek's result
  bool quit_ = false;

  bool redraw_wanted_ = true;
  std::vector<std::string> lines_;
  SteadyTime lines_due_{};  // when they are to be made anew
  std::string notice_;
  SteadyTime notice_ends_{};
  SteadyTime report_due_{};
};

PlayerReport Player::Loop::run() {
  presenter_.set_title(feed_.title() + " — texcast");
  presenter_.set_playing(true);
  report_due_ = steady_now() + kReportPeriod;
  while (step()) continue;
  if (settings_.screenshot_at_end) save_screenshot();
  presenter_.set_playing(false);
  PlayerReport report = statistics_.report(steady_now());
  report.quit_by_user = quit_;
  return report;
}

bool Player::Loop::step() {
  if (settings_.stop && settings_.stop->load()) return false;
  while (const auto command = presenter_.poll()) obey(*command);
  if (quit_) return false;

  const SteadyTime now = steady_now();
  if (settings_.on_report && now >= report_due_) {
    report_due_ = std::max(report_due_ + kReportPeriod, now);
    settings_.on_report(statistics_.report(now));
  }
  if (const std::optional<FeedFrame> frame = feed_.take(now)) {
    if (paused_ && !std::exchange(show_one_while_paused_, false)) {
      statistics_.count_paused();
      return true;
    }
    show(*frame);
    return settings_.frame_limit == 0 || statistics_.frames_shown() < settings_.frame_limit;
  }
  if (feed_.state() == FeedState::ended && settings_.stop_at_end) return false;
  idle(now);
  return true;
}

// No new frame: the picture is drawn again only where the window or the text on it asks for that.
void Player::Loop::idle(SteadyTime now) {
  refresh_lines(now);
  if (redraw_wanted_) redraw();
  if (feed_.state() == FeedState::ended) {
    std::this_thread::sleep_for(kLongestSleep);  // an ended feed has nothing to wait for
  } else {
    feed_.wait(now + kLongestSleep);
  }
}

void Player::Loop::show(const FeedFrame& frame) {
  ShownFrame shown{frame.number, frame.concealed, frame.times};
  presenter_.upload(frame.texture);
  shown.times.uploaded = wall_now();
  texture_ = frame.texture.desc;
  if (!std::exchange(has_picture_, true)) lines_due_ = {};  // the slate's words go at once
  refresh_lines(steady_now());
  redraw();
  shown.times.presented = wall_now();
  statistics_.add(shown, steady_now());
  position_ = shown.times.pts;
  if (settings_.on_shown) settings_.on_shown(shown);
}

void Player::Loop::redraw() {
  redraw_wanted_ = false;
  presenter_.draw({lines_, has_picture_ ? OverlayPlace::top_left : OverlayPlace::centre});
  presenter_.present();
}

void Player::Loop::refresh_lines(SteadyTime now) {
  if (now < lines_due_) return;
  lines_due_ = now + kDisplayPeriod;
  std::vector<std::string> lines = make_lines(now);
  if (lines == lines_) return;
  lines_ = std::move(lines);
  redraw_wanted_ = true;
}

// One panel holds everything that is to be read now.
std::vector<std::string> Player::Loop::make_lines(SteadyTime now) const {
  std::vector<std::string> lines;
  const auto add_part = [&](const std::vector<std::string>& part) {
    if (!lines.empty()) lines.emplace_back();
    lines.insert(lines.end(), part.begin(), part.end());
  };
  if (!has_picture_) add_part({"waiting for " + feed_.title()});
  if (show_osd_) {
    const PlayerReport report = statistics_.report(now);
    const auto& last = statistics_.last();
    add_part(osd_lines({.title = feed_.title(),
                        .renderer = presenter_.renderer(),
                        .texture = has_picture_ ? &texture_ : nullptr,
                        .frame = last ? &*last : nullptr,
                        .report = has_picture_ ? &report : nullptr,
                        .paused = paused_},
                       feed_.stats()));
  } else if (paused_) {
    add_part({"paused"});
  }
  if (show_keys_) add_part(key_help());
  if (now < notice_ends_) add_part({notice_});
  return lines;
}

void Player::Loop::save_screenshot() {
  if (!settings_.save_screenshot) return;
  lines_due_ = {};
  refresh_lines(steady_now());
  presenter_.draw({lines_, has_picture_ ? OverlayPlace::top_left : OverlayPlace::centre});
  const std::optional<ShownPicture> picture = presenter_.read_back();
  presenter_.present();
  if (!picture) return;
  notice_ = settings_.save_screenshot(*picture);
  notice_ends_ = steady_now() + kNoticeTime;
  lines_due_ = {};
}

void Player::Loop::obey(Command command) {
  lines_due_ = {};
  switch (command) {
    case Command::quit: quit_ = true; break;
    case Command::escape: leave(); break;
    case Command::toggle_osd: show_osd_ = !show_osd_; break;
    case Command::toggle_keys: show_keys_ = !show_keys_; break;
    case Command::toggle_fullscreen: presenter_.set_fullscreen(!presenter_.fullscreen()); break;
    case Command::toggle_pause: set_paused(!paused_); break;
    case Command::screenshot: save_screenshot(); break;
    case Command::seek_back_5s: seek_by(-5s); break;
    case Command::seek_forward_5s: seek_by(5s); break;
    case Command::seek_back_60s: seek_by(-60s); break;
    case Command::seek_forward_60s: seek_by(60s); break;
    case Command::redraw: redraw_wanted_ = true; break;
  }
}

void Player::Loop::leave() {
  if (presenter_.fullscreen()) {
    presenter_.set_fullscreen(false);
  } else {
    quit_ = true;
  }
}

void Player::Loop::set_paused(bool paused) {
  paused_ = paused;
  show_one_while_paused_ = false;
  feed_.set_paused(paused);
  presenter_.set_playing(!paused);
}

void Player::Loop::seek_by(nanoseconds delta) {
  if (!feed_.seekable()) return;
  nanoseconds target = std::max(position_ + delta, nanoseconds::zero());
  if (const auto duration = feed_.duration()) target = std::min(target, *duration);
  feed_.seek(target);
  statistics_.expect_jump();
  position_ = target;  // so that two quick presses go twice as far
  show_one_while_paused_ = paused_;
}

Player::Player(PlayerSettings settings) : settings_(std::move(settings)) {}
Player::~Player() = default;

PlayerReport Player::run(Feed& feed, Presenter& presenter) { return Loop(settings_, feed, presenter).run(); }

}  // namespace texcast::player
