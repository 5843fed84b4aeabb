// player.cpp — one run of the player: which frame is shown, when the picture is drawn, and when the run is over.
#include "player/player.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/ensure.h"
#include "commands.h"
#include "display.h"
#include "feed_control.h"
#include "pointer_control.h"
#include "render_remote.h"
#include "shown_statistics.h"

namespace texcast::player {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr nanoseconds kLongestSleep = 15ms;  // keys and the stop flag are checked this often
constexpr nanoseconds kReportPeriod = 1s;
constexpr nanoseconds kWarmUpAfter = 300ms;  // a stream that runs already is shown first
// In a list the last picture of the previous item stays this long before a text about waiting covers it: files usually
// start sooner, so that nothing flickers.
constexpr nanoseconds kOldPicture = 400ms;

// Exists from the beginning of a run to its end, on the render thread only. Owns the statistics, and the parts that
// control the feed, follow the mouse, draw the overlay and execute commands; each part refers only to those above it.
class RenderLoop {
 public:
  struct Task {
    const PlayerSettings& settings;  // with the rest of frame_limit
    PlayerChoices& choices;
    Feed& feed;
    Presenter& presenter;
    Clock& clock;
    ListPlace place{};
    bool stop_at_end = true;
    std::string notice{};
  };
  explicit RenderLoop(Task task);
  PlayerReport run();

 private:
  void obey_inputs();
  bool is_prepared();
  bool show_new_frame(SteadyTime now);  // false: the feed has none, or it must wait
  void show(const FeedFrame& frame);
  bool is_on_screen(const FeedFrame& frame) const;
  void idle(SteadyTime now);
  void upload_ahead();
  void tell_report(SteadyTime now);

  const Task task_;
  Feed& feed_;
  Presenter& presenter_;
  Clock& clock_;
  const SteadyTime begun_ = clock_.now();
  std::optional<RunEnd> end_;  // set: the run is over
  ShownStatistics statistics_;
  FeedControl control_;
  PointerControl pointer_;
  Display display_;
  Commands commands_;
  RenderRemote remote_;
  uint64_t ahead_ = 0;  // FeedAhead::id of the part of the next picture that the presenter has; 0: nothing
  uint64_t shown_sequence_ = 0, shown_number_ = 0;  // of the picture on the screen (RowChanges)
  SwapGrid swaps_;
  SteadyTime report_due_ = begun_ + kReportPeriod;
};

RenderLoop::RenderLoop(Task task)
    : task_(std::move(task)),
      feed_(task_.feed),
      presenter_(task_.presenter),
      clock_(task_.clock),
      control_(feed_, presenter_, task_.choices, statistics_, task_.place.count > 1),
      pointer_(feed_, presenter_, control_),
      display_({.feed = feed_,
                .presenter = presenter_,
                .choices = task_.choices,
                .statistics = statistics_,
                .control = control_,
                .pointer = pointer_,
                .clock = clock_,
                .place = task_.place},
               task_.place.count > 1 ? begun_ + kOldPicture : begun_),
      commands_({.settings = task_.settings,
                 .choices = task_.choices,
                 .presenter = presenter_,
                 .control = control_,
                 .pointer = pointer_,
                 .display = display_,
                 .clock = clock_,
                 .place = task_.place}),
      remote_({.feed = feed_,
               .presenter = presenter_,
               .choices = task_.choices,
               .statistics = statistics_,
               .control = control_,
               .pointer = pointer_,
               .display = display_,
               .clock = clock_,
               .end = end_,
               .place = task_.place}) {
  if (!task_.notice.empty()) display_.say(task_.notice);
}

PlayerReport RenderLoop::run() {
  presenter_.set_playing(true);
  presenter_.set_scale(task_.choices.scale);
  control_.apply_choices();
  while (!end_) {
    obey_inputs();
    if (task_.settings.on_turn && !end_) task_.settings.on_turn(remote_);
    if (end_) break;
    const SteadyTime now = clock_.now();
    pointer_.follow(now);
    tell_report(now);
    if (auto news = feed_.news()) display_.say(std::move(*news));
    if (show_new_frame(now)) continue;
    if (feed_.state() == FeedState::ended && task_.stop_at_end)
      end_ = RunEnd::feed_ended;
    else
      idle(now);
  }
  if (task_.settings.screenshot_at_end) display_.save_screenshot(task_.settings.save_screenshot, clock_.now());
  presenter_.set_playing(false);
  PlayerReport report = statistics_.report(clock_.now());
  report.end = *end_;
  report.dropped_files = commands_.take_dropped_files();
  return report;
}

void RenderLoop::obey_inputs() {
  if (task_.settings.stop && task_.settings.stop->load()) end_ = RunEnd::stopped;
  while (!end_) {
    const auto input = presenter_.poll();
    if (!input) break;
    end_ = commands_.obey(*input);
  }
}

// False: the presenter is not ready for the next format. Until it is, the feed keeps its frames, so that nothing of a
// file is lost and a stream continues with its newest frame.
bool RenderLoop::is_prepared() {
  const auto next = feed_.next_texture();
  const auto preparing = next ? presenter_.prepare(*next) : std::nullopt;
  display_.set_preparing(preparing.value_or(""));
  return !preparing;
}

bool RenderLoop::show_new_frame(SteadyTime now) {
  if (!is_prepared()) return false;
  const std::optional<FeedFrame> frame = feed_.take(now);
  if (!frame) return false;
  if (!control_.shows_next_frame()) {
    statistics_.count_paused();
    return true;
  }
  show(*frame);
  const uint64_t limit = task_.settings.frame_limit;
  if (limit != 0 && statistics_.frames_shown() >= limit) end_ = RunEnd::frame_limit;
  return true;
}

void RenderLoop::show(const FeedFrame& frame) {
  ShownFrame shown{.number = frame.number, .concealed = frame.concealed, .times = frame.times, .due = frame.due};
  shown.times.taken = clock_.wall();
  if (frame.id != ahead_ || frame.id == 0) presenter_.drop_ahead();
  ahead_ = 0;
  shown.unchanged = is_on_screen(frame);
  bool drawn = true;
  if (shown.unchanged) {
    presenter_.drop_ahead();
    shown.times.uploaded = clock_.wall();
    drawn = display_.keep_picture(clock_.now());
  } else {
    presenter_.upload(frame.texture, frame.changes);
    shown.times.uploaded = clock_.wall();
    display_.show_picture(frame.texture.desc, clock_.now());
  }
  shown.times.presented = clock_.wall();
  const SteadyTime now = clock_.now();
  shown_sequence_ = frame.changes.sequence;
  shown_number_ = frame.changes.number;
  if (drawn) swaps_ = {now, presenter_.refresh_period()};
  feed_.set_swaps(swaps_);
  statistics_.add(shown, now, presenter_.refresh_period());
  pointer_.frame_shown();
  if (task_.settings.on_shown) task_.settings.on_shown(shown);
}

// Whether the picture is on the screen already, bit for bit. It is drawn all the same if swaps must be measured again.
bool RenderLoop::is_on_screen(const FeedFrame& frame) const {
  return frame.changes.know_since(shown_sequence_, shown_number_) && !frame.changes.any_since(shown_number_) &&
         !swaps_.fades(clock_.now());
}

// There is no new frame: the picture is drawn again only if the window or the overlay require it.
void RenderLoop::idle(SteadyTime now) {
  display_.update(now);
  if (now >= begun_ + kWarmUpAfter && feed_.state() == FeedState::waiting && presenter_.warm_up_more()) return;
  if (feed_.state() == FeedState::ended || display_.is_preparing()) {
    clock_.sleep_until(now + kLongestSleep);  // an ended feed has nothing to wait for, another may be ready already
  } else {
    if (!control_.paused()) upload_ahead();
    feed_.wait(now + kLongestSleep);
  }
}

// Uploads the available part of the next frame while there is nothing else to do.
void RenderLoop::upload_ahead() {
  const auto ahead = feed_.ahead();
  if (!ahead) return;
  if (ahead->id != ahead_) presenter_.drop_ahead();
  ahead_ = ahead->id;
  presenter_.upload_ahead(ahead->texture, ahead->ready_bytes, ahead->changes);
}

void RenderLoop::tell_report(SteadyTime now) {
  if (!task_.settings.on_report || now < report_due_) return;
  report_due_ = std::max(report_due_ + kReportPeriod, now);
  task_.settings.on_report(statistics_.report(now));
}

}  // namespace

Player::Player(PlayerSettings settings, Clock& clock)
    : settings_(std::move(settings)), clock_(clock), choices_(settings_.choices) {}

PlayerReport Player::run(Feed& feed, Presenter& presenter, ListPlace place, bool stop_at_end) {
  PlayerSettings settings = settings_;
  settings.frame_limit -= std::min(settings.frame_limit, shown_);
  PlayerReport report = RenderLoop({.settings = settings,
                                    .choices = choices_,
                                    .feed = feed,
                                    .presenter = presenter,
                                    .clock = clock_,
                                    .place = place,
                                    .stop_at_end = stop_at_end,
                                    .notice = std::exchange(notice_, {})})
                            .run();
  shown_ += report.frames_shown;
  return report;
}

Playlist::Playlist(std::vector<std::string> sources) : sources_(std::move(sources)) { ENSURE(!sources_.empty()); }

bool Playlist::move(Direction direction, bool loop) {
  const size_t last = sources_.size() - 1;
  if (direction == Direction::forward) {
    if (index_ == last && !loop) return false;
    index_ = index_ == last ? 0 : index_ + 1;
  } else {
    if (index_ == 0 && !loop) return false;
    index_ = index_ == 0 ? last : index_ - 1;
  }
  return true;
}

}  // namespace texcast::player
