#include "screen/wayland_capture.h"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/poll_until.h"
#include "no_capture.h"
#include "outputs.h"
#include "pipewire_stream.h"
#include "portal_session.h"
#include "restore_tokens.h"
#include "screen/monitor_names.h"
#include "screen/rects.h"
#include "screen/update_pace.h"

namespace texcast::screen {
namespace wayland {
namespace {

using std::chrono::seconds;

// A permitted stream starts at once; a minimised window may have no picture until it is restored.
constexpr seconds kFormatWithin{10};
constexpr seconds kPictureWithin{2};

std::string in_words(const Rect& r) { return fmt::format("{}x{}+{}+{}", r.width, r.height, r.x, r.y); }

std::string in_words(const CaptureTarget& target) {
  switch (target.kind) {
    case CaptureTarget::Kind::window: return "window " + target.name;
    case CaptureTarget::Kind::monitor: return "screen " + target.name;
    case CaptureTarget::Kind::region: return "screen " + in_words(target.region);
    default: return "screen";
  }
}

std::string in_words(const std::vector<const Capturable*>& monitors) {
  std::string text;
  for (const Capturable* monitor : monitors)
    text += fmt::format("{}{} ({})", text.empty() ? "" : " or ", monitor->name, in_words(monitor->place));
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

struct Wakes {
  const WakeEvent& waker;
  void operator()() const { waker.wake(); }
};

class WaylandCapture final : public ScreenCapture {
 public:
  WaylandCapture(const CaptureSettings& settings, const std::stop_token& stop)
      : target_(settings.target),
        outputs_(outputs_for(target_)),
        waking_(stop, Wakes{waker_}),
        portal_(waker_, stop),
        pace_(settings.most_fps) {
    const bool is_window = target_.kind == CaptureTarget::Kind::window;
    const SourceType type = is_window ? kWindows : kMonitors;
    if ((portal_.source_types() & type) == 0)
      fail(is_window ? "this desktop's portal cannot share single windows; use `screen`"
                     : "this desktop's portal cannot share monitors; use `window:NAME`");
    const PortalCursor cursor = cursor_of(settings.cursor, portal_.cursor_modes());
    const std::string key = in_words(target_);
    const SharedStream shared = portal_.share(type, cursor, restore_token(key));
    keep_restore_token(key, shared.restore_token);
    place_ = shared.place;
    stream_.emplace(portal_.open_pipewire(), shared.node, cursor == kCursorMetadata, waker_);
    wait_for_pictures(stop);
    // If something else than the target was chosen, the next start must ask again.
    if (!is_what_was_asked_for(shared)) keep_restore_token(key, {});
    told_ = format();
  }

  FrameFormat format() const override { return cut(stream_->format()).format; }
  std::string name() const override { return in_words(target_); }
  double refresh_rate() const override { return stream_->refresh_rate(); }

  ScreenUpdate wait(SteadyTime deadline) override {
    process();
    for (bool over = first_; !over;) {
      const SteadyTime now = steady_now();
      const SteadyTime until = stream_->has_news() ? std::min(deadline, pace_.next()) : deadline;
      over = now >= until || woken_.exchange(false);
      if (over) break;
      sleep_until(until);
      process();
    }
    first_ = false;
    if (stream_->has_news()) pace_.updated(steady_now());
    ScreenUpdate update = stream_->take();
    if (target_.kind == CaptureTarget::Kind::region) cut(update);
    update.resized = std::exchange(told_, update.picture.format) != update.picture.format;
    return update;
  }
  void wake() override {
    woken_ = true;
    waker_.wake();
  }

 private:
  struct Part {
    Rect rect;  // of the stream's picture
    FrameFormat format;
  };

  std::string ended() const { return portal_.ended().empty() ? stream_->ended() : portal_.ended(); }

  void process() {
    portal_.process();
    if (const std::string why = ended(); !why.empty())
      throw Error(ErrorKind::input, fmt::format("the capture of the {} has ended: {}", name(), why));
  }

  // Waits until something has come, or returns early.
  void sleep_until(SteadyTime deadline) {
    std::array<pollfd, 2> of_interest{pollfd{portal_.fd(), portal_.events(), 0}, pollfd{waker_.fd(), POLLIN, 0}};
    poll_until(of_interest, std::min(deadline, portal_.next_timeout()));
    waker_.take();  // the cause is handled next
  }

  void wait_for_pictures(const std::stop_token& stop) {
    const SteadyTime begin = steady_now();
    while (!stream_->has_picture()) {
      portal_.process();
      if (const std::string why = ended(); !why.empty()) fail(why);
      if (stop.stop_requested()) throw Stopped{};
      const SteadyTime deadline = begin + (stream_->has_format() ? kPictureWithin : kFormatWithin);
      if (steady_now() >= deadline) break;
      sleep_until(deadline);
    }
    if (!stream_->has_format())
      fail("PipeWire delivers no pictures of it; its session manager must be running (wireplumber)");
    if (!stream_->has_picture())
      log_info("the desktop has delivered no picture yet: the picture is black until something changes there");
  }

  static std::optional<Outputs> outputs_for(const CaptureTarget& target) {
    if (target.kind == CaptureTarget::Kind::window) return std::nullopt;
    std::optional<Outputs> outputs = ask_for_outputs();
    if (!outputs || outputs->monitors.empty()) return std::nullopt;
    if (target.kind == CaptureTarget::Kind::monitor && named(outputs->monitors, target.name) == nullptr)
      throw Error(ErrorKind::input, no_such_monitor(outputs->monitors, target.name));
    return outputs;
  }

  // Judged by what the portal and the compositor report; true if that is not enough to know. Logs what is shared if it
  // is something else, and determines its place on the desktop.
  bool is_what_was_asked_for(const SharedStream& stream) {
    if (!outputs_) return true;
    const FrameFormat whole = stream_->format();
    auto shared = shared_monitors(*outputs_, stream.place_if_known(), whole.width, whole.height);
    if (shared.empty()) return true;
    const auto wanted =
        std::find_if(shared.begin(), shared.end(), [&](const Capturable* one) { return is_wanted(*one); });
    place_ = (wanted != shared.end() ? *wanted : shared.front())->place;
    if (wanted == shared.end() && target_.kind == CaptureTarget::Kind::monitor)
      log_warning(
          "the desktop shares {} instead of the requested {}: only its dialogue can choose, and will ask again at the "
          "next start",
          in_words(shared), target_.name);
    if (target_.kind == CaptureTarget::Kind::desktop && outputs_->monitors.size() > 1)
      log_info(
          "the desktop shares {}, one of {} monitors; to send another, start a stream with its name (see texcast "
          "screens)",
          in_words(shared), outputs_->monitors.size());
    return wanted != shared.end();
  }

  bool is_wanted(const Capturable& monitor) const {
    switch (target_.kind) {
      case CaptureTarget::Kind::monitor: return &monitor == named(outputs_->monitors, target_.name);
      case CaptureTarget::Kind::region: return !is_empty(common(monitor.place, target_.region));
      default: return true;
    }
  }

  // The wanted part of the picture: the region, converted from the desktop's units to pixels of this monitor.
  Part cut(FrameFormat whole) const {
    const Rect all{0, 0, whole.width, whole.height};
    if (target_.kind != CaptureTarget::Kind::region) return {all, whole};
    const Rect monitor = place_.value_or(all);
    const auto scale = [](int units, int pixels, int side) {
      return static_cast<int>(std::clamp<int64_t>(int64_t{units} * pixels / side, -pixels, int64_t{2} * pixels));
    };
    const Rect& wanted = target_.region;
    const int left = std::max(0, scale(wanted.x - monitor.x, whole.width, monitor.width));
    const int top = std::max(0, scale(wanted.y - monitor.y, whole.height, monitor.height));
    const int right = std::min(whole.width, scale(wanted.x - monitor.x + wanted.width, whole.width, monitor.width));
    const int bottom =
        std::min(whole.height, scale(wanted.y - monitor.y + wanted.height, whole.height, monitor.height));
    if (right <= left || bottom <= top)
      fail(fmt::format("the region {} is outside of the chosen monitor ({})", in_words(wanted), in_words(monitor)));
    whole.width = right - left;
    whole.height = bottom - top;
    return {{left, top, whole.width, whole.height}, whole};
  }

  void cut(ScreenUpdate& update) {
    const Part part = cut(update.picture.format);
    PlaneView& plane = update.picture.planes[0];
    plane.data += part.rect.y * plane.stride_bytes + std::ptrdiff_t{part.rect.x} * 4;
    update.picture.format = part.format;
    damage_.clear();
    for (const Rect& rect : update.damage) {
      Rect inside = common(rect, part.rect);
      inside.x -= part.rect.x;
      inside.y -= part.rect.y;
      if (!is_empty(inside)) damage_.push_back(inside);
    }
    update.damage = damage_;
    Cursor& cursor = update.cursor;
    cursor.x -= part.rect.x;
    cursor.y -= part.rect.y;
    cursor.visible =
        cursor.visible && cursor.x >= 0 && cursor.y >= 0 && cursor.x < part.rect.width && cursor.y < part.rect.height;
  }

  CaptureTarget target_;
  std::optional<Outputs> outputs_;  // at the start
  WakeEvent waker_;
  std::stop_callback<Wakes> waking_;
  PortalSession portal_;
  std::optional<PipewireStream> stream_;
  std::optional<Rect> place_;  // of the monitor on the desktop
  FrameFormat told_;           // returned by wait(), or before by format()
  std::vector<Rect> damage_;   // of a region
  UpdatePace pace_;
  std::atomic<bool> woken_ = false;
  bool first_ = true;
};

}  // namespace
}  // namespace wayland

bool is_wayland_session() {
  const auto value_of = [](const char* variable) {
    const char* value = std::getenv(variable);
    return std::string_view(value ? value : "");
  };
  return !value_of("WAYLAND_DISPLAY").empty() || value_of("XDG_SESSION_TYPE") == "wayland";
}

std::vector<Capturable> list_wayland() {
  auto outputs = wayland::ask_for_outputs();
  if (!outputs)
    throw Error(ErrorKind::input,
                "the Wayland compositor does not answer; start texcast inside the desktop's session (WAYLAND_DISPLAY)");
  log_info(
      "Wayland does not let programs list windows; with `window:NAME` the desktop's dialogue offers them, if it can");
  return std::move(outputs->monitors);
}

std::unique_ptr<ScreenCapture> open_wayland_capture(const CaptureSettings& settings, const std::stop_token& stop) {
  try {
    return std::make_unique<wayland::WaylandCapture>(settings, stop);
  } catch (const wayland::Stopped&) {
    return nullptr;
  }
}

}  // namespace texcast::screen
