#include "screen/x11_capture.h"

#include <fmt/core.h>
#include <xcb/damage.h>
#include <xcb/xfixes.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/poll_until.h"
#include "base/wake_event.h"
#include "few_rects.h"
#include "screen/update_pace.h"
#include "texcast/error.h"
#include "x_display.h"
#include "x_mirror.h"
#include "x_pointer.h"
#include "x_subject.h"

namespace texcast::screen {
namespace {

using std::chrono::milliseconds;

// A size must be stable for so long before it is adopted: dragging a window's edge changes it sixty times a second, and
// each new size needs a new encoder.
constexpr nanoseconds kSettling = milliseconds(150);
// Delay before a failed fetch of the picture is repeated.
constexpr nanoseconds kRetry = milliseconds(20);
// How often the pointer is polled: if no event reports its motion; and if events do, for programs that move it, which
// causes none.
constexpr nanoseconds kPointerLook = milliseconds(16), kSeldomLook = milliseconds(100);

Rect part_of(const FrameFormat& format) { return {0, 0, format.width, format.height}; }

class Capture final : public X11Capture {
 public:
  explicit Capture(const CaptureSettings& settings);
  ~Capture() override;
  FrameFormat format() const override { return mirror_.format(); }
  std::string name() const override { return subject_->name(); }
  double refresh_rate() const override { return subject_->refresh_rate(); }
  ScreenUpdate wait(SteadyTime deadline) override;
  void wake() override { woken_.wake(); }
  uint64_t fetched_bytes() const override { return mirror_.fetched_bytes(); }

 private:
  void take_events();
  void heard() {
    if (heard_ == WallTime{}) heard_ = wall_now();
  }
  void look_at_place();
  void take_size();
  bool is_there() const { return place_.drawable != XCB_NONE; }
  // The part of the present picture that exists; its size follows that of the place a little later.
  Rect fetchable() const { return common(place_.there, part_of(mirror_.format())); }
  bool is_stale() const { return all_is_new_ || damaged_ || pointer_is_old_; }
  bool update(SteadyTime now);
  void ask_for_damage();
  bool fetch();
  void sleep_until(SteadyTime time) const;
  ScreenUpdate result(bool changed);

  const CursorMode cursor_mode_;
  const XDisplay display_;
  const WakeEvent woken_;
  std::unique_ptr<XSubject> subject_;
  XMirror mirror_;
  std::optional<XPointer> pointer_;  // none: CursorMode::off
  CursorPainter painter_;
  uint32_t damage_id_ = 0;  // reports once when something is drawn, and again after the damage was fetched
  uint32_t region_id_ = 0;

  Place place_;
  bool place_is_old_ = true;
  std::optional<SteadyTime> resize_at_{};  // when the place's new size will be adopted
  bool first_ = true, resized_ = false;
  bool all_is_new_ = true, damaged_ = false, pointer_is_old_ = true;
  WallTime heard_{};  // of the earliest change that was not returned; none: no change
  UpdatePace pace_;
  SteadyTime next_pointer_{};   // when it is polled
  std::vector<Rect> damage_{};  // of this wait()
  uint64_t updates_ = 0;        // those with changes
};

Capture::Capture(const CaptureSettings& settings)
    : cursor_mode_(settings.cursor),
      subject_(make_subject(display_, settings.target)),
      mirror_(display_),
      pace_(settings.most_fps) {
  damage_id_ = xcb_generate_id(display_.get());
  region_id_ = xcb_generate_id(display_.get());
  xcb_xfixes_create_region(display_.get(), region_id_, 0, nullptr);
  const auto damage =
      xcb_damage_create_checked(display_.get(), damage_id_, subject_->window(), XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY);
  if (cursor_mode_ != CursorMode::off) pointer_.emplace(display_, subject_->window());
  look_at_place();
  if (!display_.accepted(damage) || !is_there())
    throw Error(ErrorKind::input, fmt::format("cannot capture {}: it has just gone; try again", subject_->name()));
  take_size();
}

Capture::~Capture() {
  log_debug("{}: {} updates, {} bytes fetched", subject_->name(), updates_, mirror_.fetched_bytes());
}

void Capture::take_events() {
  while (const auto event = display_.next_event()) {
    if (display_.is_damage(*event)) {
      damaged_ = true;
      heard();
    } else if (pointer_ && pointer_->changes_with(*event)) {
      pointer_is_old_ = true;
      heard();
    } else if (subject_->moves_with(*event)) {
      place_is_old_ = true;
    }
  }
}

void Capture::look_at_place() {
  place_is_old_ = false;
  const Place now = subject_->look();
  if (now == place_) return;
  place_ = now;
  resize_at_.reset();
  all_is_new_ = is_there();
  if (!is_there()) return;
  heard();
  if (place_.width != mirror_.width() || place_.height != mirror_.height()) resize_at_ = steady_now() + kSettling;
}

void Capture::take_size() {
  resize_at_.reset();
  if (place_.width > kMaxFrameSize || place_.height > kMaxFrameSize)
    throw Error(ErrorKind::input, fmt::format("{} is {}x{}: sides up to {} are supported; capture a region of it",
                                              subject_->name(), place_.width, place_.height, kMaxFrameSize));
  mirror_.resize(place_.width, place_.height);
  painter_.forget();
  resized_ = !first_;
  all_is_new_ = true;
  heard();
}

// Fetches the damage since the previous call from the server, which then forgets it.
void Capture::ask_for_damage() {
  const Rect there = fetchable();
  const bool all = all_is_new_ && is_there();
  xcb_damage_subtract(display_.get(), damage_id_, XCB_NONE, all ? XCB_NONE : region_id_);
  if (all) {
    if (!is_empty(there)) damage_.push_back(there);
    return;
  }
  const auto region =
      display_.reply(xcb_xfixes_fetch_region_reply, xcb_xfixes_fetch_region(display_.get(), region_id_));
  if (!region || !is_there()) return;
  const xcb_rectangle_t* const rects = xcb_xfixes_fetch_region_rectangles(region.get());
  for (int i = 0; i < xcb_xfixes_fetch_region_rectangles_length(region.get()); ++i) {
    const Rect rect{rects[i].x - subject_->x(), rects[i].y - subject_->y(), rects[i].width, rects[i].height};
    if (const Rect inside = common(rect, there); !is_empty(inside)) damage_.push_back(inside);
  }
}

// Fetches damage_, without a pointer in the picture. False if it is not available any more: the window was closed or
// became smaller, which events report.
bool Capture::fetch() {
  const bool all = all_is_new_ && is_there();
  if (damage_.empty() && !all) return true;
  const Rect picture = part_of(mirror_.format()), there = fetchable();
  if (all && there != picture) mirror_.blacken(picture);
  if (!damage_.empty() && !mirror_.fetch(place_.drawable, place_.x, place_.y, there, damage_)) {
    damage_.clear();
    place_is_old_ = all_is_new_ = true;
    return false;
  }
  if (all) damage_.assign(1, picture);
  all_is_new_ = false;
  return true;
}

// Brings the picture up to date. False if nothing of it has changed after all.
bool Capture::update(SteadyTime now) {
  if (pointer_) next_pointer_ = now + (pointer_->tells_of_motion() ? kSeldomLook : kPointerLook);
  if (pointer_) pointer_->ask();
  // Polling the pointer does not count as an update: a change after a pause must not wait for it.
  const bool drawn = all_is_new_ || damaged_;
  if (drawn) ask_for_damage();
  pointer_is_old_ = damaged_ = false;
  const bool pointed = pointer_ && pointer_->look(subject_->x(), subject_->y(), fetchable());
  const bool paints = cursor_mode_ == CursorMode::picture && (pointed || !damage_.empty() || all_is_new_);
  const Rect before = paints ? painter_.erase(mirror_) : Rect{};
  const bool fetched = fetch();
  const Rect after = paints ? painter_.paint(mirror_, pointer_->cursor()) : Rect{};
  if (!fetched) {
    pace_.delay_until(now + kRetry);
    return false;
  }
  if (pointed && paints)
    for (const Rect& rect : {before, after})
      if (!is_empty(rect)) damage_.push_back(rect);
  const bool changed = pointed || !damage_.empty() || resized_;
  if (changed || drawn) pace_.updated(now);
  if (!changed) {
    heard_ = {};
    return false;
  }
  heard();
  ++updates_;
  return true;
}

void Capture::sleep_until(SteadyTime time) const {
  xcb_flush(display_.get());
  // A mouse causes a thousand motion events per second: once one is pending, all others are handled with it.
  const int display = is_stale() ? -1 : display_.descriptor();
  std::array<pollfd, 2> waiting{{{display, POLLIN, 0}, {woken_.fd(), POLLIN, 0}}};
  poll_until(waiting, time);
}

ScreenUpdate Capture::result(bool changed) {
  ScreenUpdate update{.picture = mirror_.view(),
                      .damage = damage_,
                      .captured = changed ? std::exchange(heard_, WallTime{}) : wall_now(),
                      .resized = resized_};
  if (cursor_mode_ == CursorMode::overlay) update.cursor = pointer_->cursor();
  first_ = false;
  return update;
}

ScreenUpdate Capture::wait(SteadyTime deadline) {
  damage_.clear();
  resized_ = false;
  for (;;) {
    take_events();
    // Waiting for a reply removes events from the socket, which then does not become readable: so events are handled
    // first after each.
    if (place_is_old_) {
      look_at_place();
      continue;
    }
    const SteadyTime now = steady_now();
    if (resize_at_ && now >= *resize_at_) take_size();
    pointer_is_old_ = pointer_is_old_ || (pointer_ && now >= next_pointer_);
    if (is_stale() && now >= pace_.next()) {
      if (update(now)) return result(true);
      continue;
    }
    if (now >= deadline || woken_.take()) return result(false);
    SteadyTime until = deadline;
    if (is_stale()) until = std::min(until, pace_.next());
    if (resize_at_) until = std::min(until, *resize_at_);
    if (pointer_) until = std::min(until, next_pointer_);
    sleep_until(until);
  }
}

}  // namespace

bool has_x_display() {
  const char* name = std::getenv("DISPLAY");
  return name != nullptr && *name != '\0';
}

std::unique_ptr<X11Capture> open_x11_capture(const CaptureSettings& settings) {
  return std::make_unique<Capture>(settings);
}

}  // namespace texcast::screen
