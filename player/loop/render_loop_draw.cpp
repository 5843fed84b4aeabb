// render_loop_draw.cpp — the part of the render loop that says what is on the screen.
#include <array>
#include <chrono>
#include <utility>

#include "player/osd_lines.h"
#include "player/window.h"
#include "render_loop.h"

namespace texcast::player {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr nanoseconds kTextPeriod = 200ms;  // the words on the picture are made anew this often: readable
constexpr nanoseconds kNoticeTime = 2s;     // how long "saved …" stays
constexpr nanoseconds kReadingTime = 30ms;  // more for each character: errors are longer
constexpr size_t kNoticeColumns = 56;

}  // namespace

void RenderLoop::draw() {
  const std::array<TextBlock, 4> texts = {{
      {texts_.display, OverlayPlace::top_left},
      {texts_.slate, OverlayPlace::centre},
      {texts_.keys, OverlayPlace::centre},
      {texts_.notice, OverlayPlace::top_right},
  }};
  const std::optional<SeekBar> bar = seek_bar(steady_now());
  seek_bar_shown_ = bar.has_value();
  presenter_.draw({.texts = texts, .seek_bar = bar ? &*bar : nullptr, .dim = texture_ && !texts_.slate.empty()});
}

void RenderLoop::redraw() {
  redraw_wanted_ = false;
  draw();
  presenter_.present();
}

void RenderLoop::refresh_texts(SteadyTime now) {
  if (now < texts_due_) return;
  texts_due_ = now + kTextPeriod;
  Texts texts = make_texts(now);
  if (texts == texts_) return;
  texts_ = std::move(texts);
  redraw_wanted_ = true;
}

RenderLoop::Texts RenderLoop::make_texts(SteadyTime now) const {
  Texts texts;
  texts.display = display_lines(now);
  texts.slate = slate_lines(now);
  if (choices_.show_keys) texts.keys = key_lines();
  if (now < notice_ends_) texts.notice = wrapped(notice_.empty() ? position_text(playback()) : notice_, kNoticeColumns);
  return texts;
}

// A person who paused knows why nothing moves.
std::vector<std::string> RenderLoop::slate_lines(SteadyTime now) const {
  std::vector<std::string> lines;
  if (!paused_)
    for (const std::string& line : feed_.slate(now))
      for (std::string& part : wrapped(line, kNoticeColumns)) lines.push_back(std::move(part));
  if (lines.empty() && !texture_ && now >= slate_due_) lines.push_back("waiting for " + feed_.title());
  return lines;
}

std::vector<std::string> RenderLoop::display_lines(SteadyTime now) const {
  std::vector<std::string> lines;
  if (!choices_.show_osd) {
    if (paused_) lines.emplace_back("paused");
    return lines;
  }
  const PlayerReport report = statistics_.report(now);
  const auto& last = statistics_.last();
  const auto facts = osd_lines({.title = feed_.title(),
                                .renderer = presenter_.renderer(),
                                .place = place_,
                                .texture = texture_ ? &*texture_ : nullptr,
                                .frame = last ? &*last : nullptr,
                                .report = texture_ ? &report : nullptr,
                                .playback = playback(),
                                .scale = choices_.scale,
                                .width = presenter_.width(),
                                .height = presenter_.height()},
                               feed_.stats());
  lines.insert(lines.end(), facts.begin(), facts.end());
  return lines;
}

Playback RenderLoop::playback() const {
  const auto& last = statistics_.last();
  return {.position = feed_.position() ? feed_.position()
                      : last           ? std::optional(last->times.pts)
                                       : std::nullopt,
          .duration = feed_.duration(),
          .frame = last ? std::optional(last->number) : std::nullopt,
          .frame_count = feed_.frame_count(),
          .speed = choices_.speed,
          .paused = paused_,
          .loop = choices_.loop,
          .has_audio = feed_.has_audio(),
          .volume = choices_.volume,
          .muted = choices_.muted};
}

void RenderLoop::say(std::string notice) {
  notice_ = std::move(notice);
  notice_ends_ = steady_now() + kNoticeTime + notice_.size() * kReadingTime;
  texts_due_ = {};
}

void RenderLoop::save_screenshot() {
  if (!settings_.save_screenshot) return;
  texts_due_ = {};
  refresh_texts(steady_now());
  draw();
  const std::optional<ShownPicture> picture = presenter_.read_back();
  presenter_.present();
  if (picture) say(settings_.save_screenshot(*picture));
}

}  // namespace texcast::player
