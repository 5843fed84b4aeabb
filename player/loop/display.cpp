#include "display.h"

#include <array>
#include <chrono>
#include <utility>

#include "player/osd_lines.h"
#include "player/window.h"

namespace texcast::player {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr nanoseconds kWordsPeriod = 200ms;
constexpr nanoseconds kNoticeTime = 2s;
constexpr nanoseconds kReadingTime = 30ms;  // more for each character, as errors are longer
constexpr size_t kWidestLine = 56;          // characters of notices and of the slate

}  // namespace

Display::Display(Subject subject, SteadyTime waiting_from) : subject_(subject), waiting_from_(waiting_from) {}

void Display::say(std::string notice) {
  notice_ = std::move(notice);
  notice_ends_ = subject_.clock.now() + kNoticeTime + notice_.size() * kReadingTime;
  words_changed();
}

void Display::show_position() { say(""); }

void Display::words_changed() { words_due_ = {}; }

void Display::window_changed() { draw_wanted_ = true; }

void Display::show_picture(const TextureDesc& picture, SteadyTime now) {
  picture_ = picture;
  if (!words_.slate.empty()) words_changed();  // they disappear at once
  refresh(now);
  draw();
  subject_.presenter.present();
}

bool Display::update(SteadyTime now) {
  refresh(now);
  if (!draw_wanted_) return false;
  draw();
  subject_.presenter.present();
  return true;
}

bool Display::keep_picture(SteadyTime now) {
  if (!words_.slate.empty()) words_changed();  // they disappear at once
  return update(now);
}

void Display::save_screenshot(const std::function<std::string(const ShownPicture&)>& save, SteadyTime now) {
  if (!save) return;
  words_changed();
  refresh(now);
  const bool is_clean = picture_ && !subject_.choices.screenshot_with_osd;
  if (is_clean)
    subject_.presenter.draw({.texts = {}, .cursor = &cursor_});
  else
    draw();
  const std::optional<ShownPicture> picture = subject_.presenter.read_back();
  if (is_clean) draw();
  subject_.presenter.present();
  if (picture) say(save(*picture));
}

void Display::refresh(SteadyTime now) {
  auto bar = subject_.pointer.seek_bar(now);
  if (bar != bar_) draw_wanted_ = true;
  bar_ = std::move(bar);
  // Over a paused picture it stays where it was.
  if (Cursor cursor = subject_.feed.cursor(); cursor != cursor_ && !subject_.control.paused()) {
    draw_wanted_ = draw_wanted_ || picture_.has_value();
    cursor_ = std::move(cursor);
  }
  if (now < words_due_) return;
  words_due_ = now + kWordsPeriod;
  Words words = make_words(now);
  if (words != words_) draw_wanted_ = true;
  words_ = std::move(words);
  if (std::string title = make_title(); title != title_) subject_.presenter.set_title(title_ = std::move(title));
}

std::string Display::make_title() const {
  return window_title({.title = subject_.feed.title(),
                       .sender = subject_.feed.sender(),
                       .place = subject_.place,
                       .is_file = subject_.feed.seekable(),
                       .has_picture = picture_.has_value(),
                       .is_stale = !words_.slate.empty(),
                       .is_preparing = is_preparing(),
                       .paused = subject_.control.paused(),
                       .state = subject_.feed.state()});
}

void Display::draw() {
  draw_wanted_ = false;
  const std::array<TextBlock, 4> texts = {{
      {words_.facts, OverlayPlace::top_left},
      {words_.slate, OverlayPlace::centre},
      {words_.keys, OverlayPlace::centre},
      {words_.notice, OverlayPlace::top_right},
  }};
  subject_.presenter.draw({.texts = texts,
                           .seek_bar = bar_ ? &*bar_ : nullptr,
                           .cursor = &cursor_,
                           .dim = picture_ && !words_.slate.empty()});
}

Display::Words Display::make_words(SteadyTime now) const {
  Words words;
  words.facts = fact_lines(now);
  words.slate = slate_lines(now);
  if (subject_.choices.show_keys) words.keys = key_lines();
  if (now < notice_ends_)
    words.notice = wrapped(notice_.empty() ? position_text(subject_.control.playback()) : notice_, kWidestLine);
  return words;
}

std::vector<std::string> Display::fact_lines(SteadyTime now) const {
  if (!subject_.choices.show_osd)
    return subject_.control.paused() ? std::vector<std::string>{"paused"} : std::vector<std::string>{};
  const PlayerReport report = subject_.statistics.report(now);
  const auto& last = subject_.statistics.last();
  return osd_lines({.title = subject_.feed.title(),
                    .renderer = subject_.presenter.renderer(),
                    .shown_as = subject_.presenter.shown_as(),
                    .place = subject_.place,
                    .texture = picture_ ? &*picture_ : nullptr,
                    .frame = last ? &*last : nullptr,
                    .report = picture_ ? &report : nullptr,
                    .playback = subject_.control.playback(),
                    .scale = subject_.choices.scale,
                    .width = subject_.presenter.width(),
                    .height = subject_.presenter.height()},
                   subject_.feed.stats());
}

// While paused there is no slate, as the user knows why nothing moves.
std::vector<std::string> Display::slate_lines(SteadyTime now) const {
  std::vector<std::string> said, lines;
  if (is_preparing())
    said.push_back(preparing_);
  else if (!subject_.control.paused())
    said = subject_.feed.slate(now);
  for (const std::string& line : said)
    for (std::string& part : wrapped(line, kWidestLine)) lines.push_back(std::move(part));
  if (lines.empty() && !picture_ && now >= waiting_from_) lines.push_back("waiting for " + subject_.feed.title());
  return lines;
}

}  // namespace texcast::player
