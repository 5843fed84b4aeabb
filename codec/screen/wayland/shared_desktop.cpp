#include "shared_desktop.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/poll_until.h"
#include "no_capture.h"
#include "restore_tokens.h"
#include "screen/monitor_names.h"
#include "screen/rects.h"

namespace texcast::screen::wayland {
namespace {

using std::chrono::seconds;

// A permitted stream starts at once; a minimised window may have no picture until it is restored.
constexpr seconds kFormatWithin{10};
constexpr seconds kPictureWithin{2};
constexpr uint32_t kBlack = 0xFF000000u;

std::string listed(const std::vector<const Capturable*>& monitors) {
  std::string text;
  for (const Capturable* monitor : monitors)
    text += fmt::format("{}{} ({})", text.empty() ? "" : " or ", monitor->name, text_of(monitor->place));
  return text;
}

PortalCursor cursor_of(CursorMode mode, uint32_t available) {
  if (mode == CursorMode::off) return kCursorHidden;
  if (mode == CursorMode::overlay) {
    if ((available & kCursorMetadata) != 0) return kCursorMetadata;
    log_info("this desktop's portal cannot deliver the pointer separately: it is drawn into the picture");
  }
  return (available & kCursorEmbedded) != 0 ? kCursorEmbedded : kCursorHidden;
}

// Whether the target may need more than one monitor.
bool may_be_several(const CaptureTarget& target, const std::optional<Outputs>& outputs) {
  if (!outputs) return target.kind == CaptureTarget::Kind::desktop;
  if (target.kind == CaptureTarget::Kind::desktop) return outputs->monitors.size() > 1;
  return target.kind == CaptureTarget::Kind::region &&
         std::count_if(outputs->monitors.begin(), outputs->monitors.end(),
                       [&](const Capturable& one) { return !is_empty(common(one.place, target.region)); }) > 1;
}

}  // namespace

std::string text_of(const Rect& r) { return fmt::format("{}x{}+{}+{}", r.width, r.height, r.x, r.y); }

std::string text_of(const CaptureTarget& target) {
  switch (target.kind) {
    case CaptureTarget::Kind::window: return "window " + target.name;
    case CaptureTarget::Kind::monitor: return "screen " + target.name;
    case CaptureTarget::Kind::region: return "screen " + text_of(target.region);
    default: return "screen";
  }
}

SharedDesktop::SharedDesktop(Settings settings, const std::stop_token& stop)
    : settings_(std::move(settings)), waking_(stop, Wakes{waker_}) {
  open(stop);
}

void SharedDesktop::open(const std::stop_token& stop) {
  portal_.emplace(waker_, stop);
  const CaptureTarget& target = settings_.target;
  const bool is_window = target.kind == CaptureTarget::Kind::window;
  ShareRequest wanted{.type = is_window ? kWindows : kMonitors,
                      .several = may_be_several(target, settings_.outputs),
                      .cursor = cursor_of(settings_.cursor, portal_->cursor_modes()),
                      .restore_token = restore_token(text_of(target))};
  if ((portal_->source_types() & wanted.type) == 0)
    fail(is_window ? "this desktop's portal cannot share single windows; use `screen`"
                   : "this desktop's portal cannot share monitors; use `window:NAME`");
  const Shared shared = portal_->share(wanted);
  keep_restore_token(text_of(target), shared.restore_token);
  is_remembered_ = !shared.restore_token.empty();
  for (const SharedStream& one : shared.streams) {
    streams_.push_back({.pipewire = std::make_unique<PipewireStream>(portal_->open_pipewire(), one.node,
                                                                     wanted.cursor == kCursorMetadata, waker_)});
    if (!wanted.several) break;
  }
  wait_for_pictures(stop);
  // If something else than the target was chosen, the next start must ask again.
  if (find_places(shared.streams)) return;
  keep_restore_token(text_of(target), {});
  is_remembered_ = false;
}

bool SharedDesktop::have_all(bool (PipewireStream::*what)() const) const {
  return std::all_of(streams_.begin(), streams_.end(), [&](const Stream& one) { return ((*one.pipewire).*what)(); });
}

void SharedDesktop::wait_for_pictures(const std::stop_token& stop) {
  const SteadyTime begin = steady_now();
  while (!have_all(&PipewireStream::has_picture)) {
    process();
    if (const auto ending = ended(); !ending.why.empty()) fail(ending.why);
    if (stop.stop_requested()) throw Stopped{};
    const SteadyTime deadline = begin + (have_all(&PipewireStream::has_format) ? kPictureWithin : kFormatWithin);
    if (steady_now() >= deadline) break;
    auto waiting = of_interest();
    poll_until(waiting, std::min(deadline, next_timeout()));
    polled();
  }
  if (!have_all(&PipewireStream::has_format))
    fail("PipeWire delivers no pictures of it; its session manager must be running (wireplumber)");
  if (!have_all(&PipewireStream::has_picture))
    log_info("the desktop has delivered no picture yet: the picture is black until something changes there");
}

// Judged by what the portal and the compositor report; true if that is not enough to know. Logs what is shared if it is
// something else.
bool SharedDesktop::find_places(const std::vector<SharedStream>& shared) {
  if (streams_.size() == 1) return find_place(shared.front());
  find_several(shared);
  place_ = streams_.front().place;
  for (const Stream& one : streams_) place_ = around(*place_, one.place);
  return settings_.target.kind != CaptureTarget::Kind::region || !is_empty(common(*place_, settings_.target.region));
}

bool SharedDesktop::find_place(const SharedStream& stream) {
  place_ = stream.place;
  const auto& outputs = settings_.outputs;
  if (!outputs) return true;
  const FrameFormat whole = streams_.front().pipewire->format();
  auto shared = shared_monitors(*outputs, stream.place_if_known(), whole.width, whole.height);
  if (shared.empty()) return true;
  const auto wanted =
      std::find_if(shared.begin(), shared.end(), [&](const Capturable* one) { return is_wanted(*one); });
  place_ = (wanted != shared.end() ? *wanted : shared.front())->place;
  if (shared.size() == 1) monitors_ = {shared.front()->name};
  if (wanted == shared.end() && settings_.target.kind == CaptureTarget::Kind::monitor)
    log_warning(
        "the desktop shares {} instead of the requested {}: only its dialogue can choose, and will ask again at the "
        "next start",
        listed(shared), settings_.target.name);
  if (settings_.target.kind == CaptureTarget::Kind::desktop && outputs->monitors.size() > 1)
    log_info(
        "the desktop shares {}, one of {} monitors; to send another, start a stream with its name (see texcast "
        "screens), and to send several as one picture, choose them in the dialogue (docs/wayland.md)",
        listed(shared), outputs->monitors.size());
  return wanted != shared.end();
}

// The place of each monitor: from the compositor if the portal's answer fits one of its monitors, else from the portal.
// If neither knows it, they are put into a row.
void SharedDesktop::find_several(const std::vector<SharedStream>& shared) {
  bool all_known = true;
  for (size_t i = 0; i < streams_.size(); ++i) {
    const FrameFormat format = streams_[i].pipewire->format();
    auto fitting = settings_.outputs
                       ? shared_monitors(*settings_.outputs, shared[i].place_if_known(), format.width, format.height)
                       : std::vector<const Capturable*>{};
    std::erase_if(fitting, [&](const Capturable* one) {
      return std::find(monitors_.begin(), monitors_.end(), one->name) != monitors_.end();
    });
    if (!fitting.empty()) {
      streams_[i].place = fitting.front()->place;
      monitors_.push_back(fitting.front()->name);
      if (fitting.size() > 1)
        log_info("the desktop does not say which monitor is which: {} is taken for the next one",
                 fitting.front()->name);
    } else if (const auto place = shared[i].place_if_known()) {
      streams_[i].place = *place;
    } else {
      all_known = false;
    }
  }
  if (monitors_.size() != streams_.size()) monitors_.clear();
  if (!all_known) {
    log_warning("the desktop does not say where its monitors are: they are put into a row, in its order");
    for (Stream& one : streams_) one.place = {};
    const auto places = in_a_row(tiles());
    for (size_t i = 0; i < streams_.size(); ++i) streams_[i].place = places[i];
  }
}

bool SharedDesktop::is_wanted(const Capturable& monitor) const {
  switch (settings_.target.kind) {
    case CaptureTarget::Kind::monitor: return &monitor == named(settings_.outputs->monitors, settings_.target.name);
    case CaptureTarget::Kind::region: return !is_empty(common(monitor.place, settings_.target.region));
    default: return true;
  }
}

std::vector<MosaicTile> SharedDesktop::tiles() const {
  std::vector<MosaicTile> tiles;
  for (const Stream& one : streams_) {
    const FrameFormat format = one.pipewire->format();
    tiles.push_back({one.place, format.width, format.height});
  }
  return tiles;
}

FrameFormat SharedDesktop::format() const {
  FrameFormat format = streams_.front().pipewire->format();
  if (streams_.size() == 1) return format;
  const MosaicLayout layout = lay_out(tiles());
  format.width = layout.width;
  format.height = layout.height;
  return format;
}

double SharedDesktop::refresh_rate() const {
  double rate = 0;
  for (const Stream& one : streams_) rate = std::max(rate, one.pipewire->refresh_rate());
  return rate;
}

std::vector<pollfd> SharedDesktop::of_interest() const {
  std::vector<pollfd> waiting{{waker_.fd(), POLLIN, 0}};
  if (portal_) waiting.push_back({portal_->fd(), portal_->events(), 0});
  return waiting;
}

SteadyTime SharedDesktop::next_timeout() const { return portal_ ? portal_->next_timeout() : SteadyTime::max(); }

void SharedDesktop::process() {
  if (portal_) portal_->process();
}

PipewireStream::Ending SharedDesktop::ended() const {
  if (portal_ && !portal_->ended().empty()) return {portal_->ended(), portal_->has_failed()};
  for (const Stream& one : streams_)
    if (auto ending = one.pipewire->ended(); !ending.why.empty()) return ending;
  return {};
}

bool SharedDesktop::has_news() const {
  return std::any_of(streams_.begin(), streams_.end(), [](const Stream& one) { return one.pipewire->has_news(); });
}

ScreenUpdate SharedDesktop::take() { return streams_.size() == 1 ? streams_.front().pipewire->take() : take_mosaic(); }

ScreenUpdate SharedDesktop::take_mosaic() {
  std::vector<ScreenUpdate> updates;
  std::vector<MosaicTile> tiles;
  for (const Stream& one : streams_) {
    updates.push_back(one.pipewire->take());
    const FrameFormat& format = updates.back().picture.format;
    tiles.push_back({one.place, format.width, format.height});
  }
  MosaicLayout layout = lay_out(tiles);
  const bool is_new = canvas_.empty() || layout != layout_;
  layout_ = std::move(layout);
  if (is_new) canvas_.assign(static_cast<size_t>(layout_.width) * static_cast<size_t>(layout_.height), kBlack);
  damage_.clear();
  ScreenUpdate all{.picture = updates.front().picture, .damage = {}, .captured = wall_now(), .cursor = {}};
  for (size_t i = 0; i < updates.size(); ++i) {
    const ScreenUpdate& one = updates[i];
    const Rect& target = layout_.targets[i];
    const Rect whole{0, 0, one.picture.format.width, one.picture.format.height};
    if (is_new) draw_tile(canvas_, layout_.width, target, one.picture, whole);
    for (const Rect& part : one.damage)
      if (!is_new) damage_.push_back(draw_tile(canvas_, layout_.width, target, one.picture, part));
    if (!one.damage.empty()) all.captured = std::min(all.captured, one.captured);
    if (!one.cursor.visible) continue;
    all.cursor = one.cursor;
    all.cursor.x = target.x + static_cast<int>(int64_t{one.cursor.x} * target.width / whole.width);
    all.cursor.y = target.y + static_cast<int>(int64_t{one.cursor.y} * target.height / whole.height);
  }
  std::erase_if(damage_, [](const Rect& rect) { return is_empty(rect); });
  if (is_new) damage_.assign(1, {0, 0, layout_.width, layout_.height});
  all.damage = damage_;
  all.picture.format.width = layout_.width;
  all.picture.format.height = layout_.height;
  all.picture.planes[0] = {reinterpret_cast<const std::byte*>(canvas_.data()), std::ptrdiff_t{layout_.width} * 4};
  return all;
}

void SharedDesktop::close() {
  for (Stream& one : streams_) one.pipewire->close();
  portal_.reset();
}

}  // namespace texcast::screen::wayland
