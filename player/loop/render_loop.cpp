#include "render_loop.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace texcast::player {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr nanoseconds kLongestSleep = 15ms;  // keys and the stop flag are looked at this often
constexpr nanoseconds kReportPeriod = 1s;
constexpr nanoseconds kOldPicture = 400ms;  // of the item before: files are there sooner, and then nothing flickers

}  // namespace

RenderLoop::RenderLoop(Task task)
    : settings_(task.settings),
      choices_(task.choices),
      feed_(task.feed),
      presenter_(task.presenter),
      place_(task.place),
      stop_at_end_(task.stop_at_end) {
  if (!task.notice.empty()) say(std::move(task.notice));
}

PlayerReport RenderLoop::run() {
  presenter_.set_title(file_name_of(feed_.title()) + " — texcast");
  presenter_.set_playing(true);
  give_choices();
  const SteadyTime begun = steady_now();
  report_due_ = begun + kReportPeriod;
  if (place_.count > 1) slate_due_ = begun + kOldPicture;
  while (step()) continue;
  if (settings_.screenshot_at_end) save_screenshot();
  presenter_.set_playing(false);
  PlayerReport report = statistics_.report(steady_now());
  report.end = end_.value_or(RunEnd::feed_ended);
  report.dropped_files = std::move(dropped_files_);
  return report;
}

bool RenderLoop::step() {
  if (settings_.stop && settings_.stop->load()) end(RunEnd::stopped);
  while (!end_) {
    const auto input = presenter_.poll();
    if (!input) break;
    obey(*input);
  }
  if (end_) return false;

  const SteadyTime now = steady_now();
  follow_mouse(now);
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
    if (settings_.frame_limit != 0 && statistics_.frames_shown() >= settings_.frame_limit) end(RunEnd::frame_limit);
    return !end_;
  }
  if (feed_.state() == FeedState::ended && stop_at_end_) return false;
  idle(now);
  return true;
}

// No new frame: the picture is drawn again only where the window or the text on it asks for that.
void RenderLoop::idle(SteadyTime now) {
  refresh_texts(now);
  if (redraw_wanted_) redraw();
  if (feed_.state() == FeedState::ended) {
    std::this_thread::sleep_for(kLongestSleep);  // an ended feed has nothing to wait for
  } else {
    if (!paused_) upload_ahead();
    feed_.wait(now + kLongestSleep);
  }
}

// What there is of the next frame, while nothing else is to be done.
void RenderLoop::upload_ahead() {
  const auto ahead = feed_.ahead();
  if (!ahead) return;
  if (ahead->id != ahead_) presenter_.drop_ahead();
  ahead_ = ahead->id;
  presenter_.upload_ahead(ahead->texture, ahead->ready_bytes);
}

void RenderLoop::show(const FeedFrame& frame) {
  ShownFrame shown{frame.number, frame.concealed, frame.times};
  shown.times.taken = wall_now();
  if (frame.id != ahead_ || frame.id == 0) presenter_.drop_ahead();
  ahead_ = 0;
  presenter_.upload(frame.texture);
  shown.times.uploaded = wall_now();
  if (!texts_.slate.empty()) texts_due_ = {};  // they go at once
  texture_ = frame.texture.desc;
  refresh_texts(steady_now());
  redraw();
  shown.times.presented = wall_now();
  feed_.set_swaps({steady_now(), presenter_.refresh_period()});
  statistics_.add(shown, steady_now());
  mouse_.answered();
  if (settings_.on_shown) settings_.on_shown(shown);
}

}  // namespace texcast::player
