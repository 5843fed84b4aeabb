#include "screen/wayland_capture.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/poll_until.h"
#include "lock_watch.h"
#include "no_capture.h"
#include "outputs.h"
#include "reopening.h"
#include "screen/monitor_names.h"
#include "screen/rects.h"
#include "screen/update_pace.h"
#include "shared_desktop.h"

namespace texcast::screen {
namespace wayland {
namespace {

class WaylandCapture final : public ScreenCapture {
 public:
  WaylandCapture(const CaptureSettings& settings, const std::stop_token& stop)
      : target_(settings.target), cursor_(settings.cursor), pace_(settings.most_fps) {
    check_name();
    desktop_ = std::make_unique<SharedDesktop>(request(), stop);
    told_ = format();
  }

  FrameFormat format() const override { return cut(desktop_->format()).format; }
  std::string name() const override { return text_of(target_); }
  double refresh_rate() const override { return desktop_->refresh_rate(); }

  ScreenUpdate wait(SteadyTime deadline) override {
    process();
    for (bool over = first_; !over;) {
      const SteadyTime now = steady_now();
      const SteadyTime until = desktop_->has_news() ? std::min(deadline, pace_.next()) : deadline;
      over = now >= until || woken_.exchange(false);
      if (over) break;
      sleep_until(until);
      process();
    }
    first_ = false;
    if (desktop_->has_news()) pace_.updated(steady_now());
    ScreenUpdate update = desktop_->take();
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
    Rect rect;  // of the desktop's picture
    FrameFormat format;
  };

  void check_name() const {
    if (target_.kind != CaptureTarget::Kind::monitor || monitors_.outputs() == nullptr) return;
    const auto& there = monitors_.outputs()->monitors;
    if (!there.empty() && named(there, target_.name) == nullptr)
      throw Error(ErrorKind::input, no_such_monitor(there, target_.name));
  }

  SharedDesktop::Settings request() const {
    SharedDesktop::Settings settings{.target = target_, .cursor = cursor_};
    const Outputs* const outputs = monitors_.outputs();
    if (target_.kind != CaptureTarget::Kind::window && outputs && !outputs->monitors.empty())
      settings.outputs = *outputs;
    return settings;
  }

  void process() {
    monitors_.process();
    lock_.process();
    if (reopening_) return go_on();
    desktop_->process();
    const auto ending = desktop_->ended();
    if (ending.why.empty()) return;
    const std::string message = fmt::format("the capture of the {} has ended: {}", name(), ending.why);
    if (ending.final) throw Error(ErrorKind::input, message);
    reopening_.emplace(*desktop_, target_, message);
    go_on();
  }

  void go_on() {
    auto again = reopening_->poll({monitors_, lock_, waker_}, [this] { return request(); });
    if (!again) return;
    desktop_ = std::move(again);
    reopening_.reset();
  }

  // Waits until something has come, or returns early.
  void sleep_until(SteadyTime deadline) {
    std::vector<pollfd> waiting{{waker_.fd(), POLLIN, 0}, {monitors_.fd(), POLLIN, 0}, {lock_.fd(), lock_.events(), 0}};
    if (reopening_) {
      deadline = std::min(deadline, reopening_->next());
    } else {
      for (const pollfd& one : desktop_->of_interest()) waiting.push_back(one);
      deadline = std::min(deadline, desktop_->next_timeout());
    }
    poll_until(waiting, deadline);
    waker_.take();  // the cause is handled next
    desktop_->polled();
  }

  // The wanted part of the picture: the region, converted from the desktop's units to pixels of this monitor.
  Part cut(FrameFormat whole) const {
    const Rect all{0, 0, whole.width, whole.height};
    if (target_.kind != CaptureTarget::Kind::region) return {all, whole};
    const Rect monitor = desktop_->place().value_or(all);
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
      fail(fmt::format("the region {} is outside of the chosen monitor ({})", text_of(wanted), text_of(monitor)));
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

  const CaptureTarget target_;
  const CursorMode cursor_;
  OutputWatch monitors_;
  LockWatch lock_;
  WakeEvent waker_;
  std::unique_ptr<SharedDesktop> desktop_;
  std::optional<Reopening> reopening_;  // once desktop_ has ended
  FrameFormat told_;                    // returned by wait(), or before by format()
  std::vector<Rect> damage_;            // of a region
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
