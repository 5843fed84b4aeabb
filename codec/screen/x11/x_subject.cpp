#include "x_subject.h"

#include <fmt/core.h>
#include <xcb/composite.h>
#include <xcb/randr.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "base/log.h"
#include "few_rects.h"
#include "screen/monitor_names.h"
#include "texcast/error.h"
#include "x_layout.h"

namespace texcast::screen {
namespace {

[[noreturn]] void cannot_capture(const std::string& message) { throw Error(ErrorKind::input, message); }

std::string text_of(const Rect& r) { return fmt::format("{}x{}+{}+{}", r.width, r.height, r.x, r.y); }

bool has_words(const std::string& text, const std::string& words) {
  return std::search(text.begin(), text.end(), words.begin(), words.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         }) != text.end();
}

// A part of the root window: everything, a monitor, or a region.
class RootPart final : public XSubject {
 public:
  RootPart(const XDisplay& display, CaptureTarget target) : display_(display), target_(std::move(target)) {
    const std::vector<Capturable> monitors = monitors_of(display);
    display.require_bgra(display.screen().root_visual, display.screen().root_depth);
    constexpr uint32_t kEvents = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    xcb_change_window_attributes(display.get(), display.root(), XCB_CW_EVENT_MASK, &kEvents);
    if (display.has_monitors())
      xcb_randr_select_input(display.get(), display.root(),
                             XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE |
                                 XCB_RANDR_NOTIFY_MASK_OUTPUT_CHANGE);
    const Rect desktop = desktop_of(display);
    if (target_.kind == CaptureTarget::Kind::monitor) {
      part_ = find(monitors);
    } else if (target_.kind == CaptureTarget::Kind::region) {
      part_ = target_.region;
      if (is_empty(part_) || common(part_, desktop) != part_)
        cannot_capture(fmt::format("cannot open 'screen': {} is beyond the screen, which is {}x{}", text_of(part_),
                                   desktop.width, desktop.height));
    } else {
      part_ = desktop;
    }
    for (const Capturable& monitor : monitors)
      if (!is_empty(common(monitor.place, part_))) rate_ = std::max(rate_, monitor.refresh_rate);
  }

  xcb_window_t window() const override { return display_.root(); }
  int x() const override { return part_.x; }
  int y() const override { return part_.y; }

  bool moves_with(const xcb_generic_event_t& event) override {
    return display_.is_monitors(event) || (event.response_type & 0x7F) == XCB_CONFIGURE_NOTIFY;
  }

  Place look() override {
    const Rect desktop = desktop_of(display_);
    if (target_.kind == CaptureTarget::Kind::desktop) part_ = desktop;
    bool is_there = true;
    if (target_.kind == CaptureTarget::Kind::monitor) {
      const std::vector<Capturable> monitors = monitors_of(display_);
      const Capturable* const monitor = named(monitors, target_.name);
      is_there = monitor != nullptr;
      if (monitor != nullptr) part_ = monitor->place;
    }
    const Rect on_desktop = common(part_, desktop);
    is_there = is_there && !is_empty(on_desktop);
    if (is_there != std::exchange(was_there_, is_there)) {
      if (is_there)
        log_info("{} is back", name());
      else
        log_warning("{} is gone: its last picture is shown until it is back", name());
    }
    return {.drawable = is_there ? display_.root() : xcb_drawable_t{XCB_NONE},
            .x = part_.x,
            .y = part_.y,
            .width = part_.width,
            .height = part_.height,
            .there = moved(on_desktop, -part_.x, -part_.y)};
  }

  std::string name() const override {
    switch (target_.kind) {
      case CaptureTarget::Kind::monitor: return "screen " + target_.name;
      case CaptureTarget::Kind::region: return "screen " + text_of(target_.region);
      default: return "screen";
    }
  }
  double refresh_rate() const override { return rate_; }

 private:
  Rect find(const std::vector<Capturable>& monitors) const {
    if (const Capturable* monitor = named(monitors, target_.name)) return monitor->place;
    if (!display_.has_monitors())
      cannot_capture(fmt::format("cannot open 'screen:{}': the X display '{}' has no monitors by name (RANDR 1.5)",
                                 target_.name, display_.name()));
    cannot_capture(no_such_monitor(monitors, target_.name));
  }

  const XDisplay& display_;
  const CaptureTarget target_;
  Rect part_{};
  double rate_ = 0;
  bool was_there_ = true;
};

// A single window: its pixmap has everything, even if other windows cover it.
class WindowPart final : public XSubject {
 public:
  WindowPart(const XDisplay& display, const std::string& wanted) : display_(display), wanted_(wanted) {
    window_ = find();
    title_ = title_of(display, window_);
    const auto attributes =
        display.reply(xcb_get_window_attributes_reply, xcb_get_window_attributes(display.get(), window_));
    const auto size = display.reply(xcb_get_geometry_reply, xcb_get_geometry(display.get(), window_));
    if (!attributes || !size) cannot_open("there is no such window");
    if (attributes->map_state != XCB_MAP_STATE_VIEWABLE) cannot_open("it is minimised or hidden: show it first");
    display.require_bgra(attributes->visual, size->depth);
    constexpr uint32_t kEvents = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    xcb_change_window_attributes(display.get(), window_, XCB_CW_EVENT_MASK, &kEvents);
    if (!display.accepted(
            xcb_composite_redirect_window_checked(display.get(), window_, XCB_COMPOSITE_REDIRECT_AUTOMATIC)))
      cannot_open("the X server refuses to redirect it (Composite)");
    for (const Capturable& monitor : monitors_of(display)) rate_ = std::max(rate_, monitor.refresh_rate);
  }

  xcb_window_t window() const override { return window_; }
  int x() const override { return 0; }
  int y() const override { return 0; }

  bool moves_with(const xcb_generic_event_t& event) override {
    switch (event.response_type & 0x7F) {
      case XCB_DESTROY_NOTIFY:
        if (reinterpret_cast<const xcb_destroy_notify_event_t&>(event).window != window_) return false;
        cannot_capture(fmt::format("{} was closed: there is nothing to capture any more", name()));
      case XCB_CONFIGURE_NOTIFY: {
        const auto& now = reinterpret_cast<const xcb_configure_notify_event_t&>(event);
        return now.window == window_ && (now.width != width_ || now.height != height_ || now.border_width != border_);
      }
      case XCB_MAP_NOTIFY:
      case XCB_UNMAP_NOTIFY: return true;
      default: return false;
    }
  }

  // Each time its size changes, and when it is shown again, the window gets another pixmap.
  Place look() override {
    const xcb_pixmap_t named = xcb_generate_id(display_.get());
    const auto size = display_.reply(xcb_get_geometry_reply, xcb_get_geometry(display_.get(), window_));
    const bool is_there =
        size && display_.accepted(xcb_composite_name_window_pixmap_checked(display_.get(), window_, named));
    if (is_there != std::exchange(was_there_, is_there)) {
      if (is_there)
        log_info("{} is shown again", name());
      else if (size)  // else it was closed, which the event reports
        log_warning("{} is minimised: its last picture is used until it is shown again", name());
    }
    if (!is_there) return {.width = width_, .height = height_};
    if (pixmap_ != XCB_NONE) xcb_free_pixmap(display_.get(), pixmap_);
    pixmap_ = named;
    width_ = size->width;
    height_ = size->height;
    border_ = size->border_width;
    // Its size may have changed in between: the pixmap's size applies.
    const auto has = display_.reply(xcb_get_geometry_reply, xcb_get_geometry(display_.get(), pixmap_));
    const Rect all{0, 0, width_, height_};
    return {.drawable = pixmap_,
            .x = border_,
            .y = border_,
            .width = width_,
            .height = height_,
            .there = has ? common(all, {0, 0, has->width - border_, has->height - border_}) : Rect{}};
  }

  std::string name() const override { return "window " + (title_.empty() ? wanted_ : title_); }
  double refresh_rate() const override { return rate_; }

 private:
  [[noreturn]] void cannot_open(const std::string& why) const {
    cannot_capture(fmt::format("cannot open 'window:{}': {}", wanted_, why));
  }

  xcb_window_t find() const {
    if (const auto id = window_of_id(wanted_)) return *id;
    const std::vector<Capturable> windows = windows_of(display_);
    std::vector<const Capturable*> found;
    for (const Capturable& window : windows)
      if (window.name == wanted_) found.push_back(&window);
    if (found.empty())
      for (const Capturable& window : windows)
        if (has_words(window.name, wanted_)) found.push_back(&window);
    std::string list;
    for (const Capturable* window : found)
      list += fmt::format("{}{} '{}'", list.empty() ? "" : ", ", window->id, window->name);
    if (found.empty()) cannot_open("no window title contains that; `texcast screens` lists them");
    if (found.size() > 1) cannot_open("several window titles contain that; give an id: " + list);
    return *window_of_id(found[0]->id);
  }

  const XDisplay& display_;
  const std::string wanted_;
  std::string title_;
  xcb_window_t window_ = XCB_NONE;
  xcb_pixmap_t pixmap_ = XCB_NONE;
  int width_ = 0, height_ = 0, border_ = 0;
  double rate_ = 0;
  bool was_there_ = true;
};

}  // namespace

std::unique_ptr<XSubject> make_subject(const XDisplay& display, const CaptureTarget& target) {
  if (target.kind == CaptureTarget::Kind::window) return std::make_unique<WindowPart>(display, target.name);
  return std::make_unique<RootPart>(display, target);
}

}  // namespace texcast::screen
