#include "outputs.h"

#include <wayland-client.h>

#include <algorithm>
#include <cerrno>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/poll_until.h"
#include "texcast/frame_times.h"

namespace texcast::screen::wayland {
namespace {

constexpr std::chrono::seconds kOutputsWithin{5};

// xdg-output-unstable-v1 by hand, as libwayland's generator would write it.
extern const wl_interface kXdgOutput;
const wl_interface* const kGetOutputTypes[] = {&kXdgOutput, &wl_output_interface};
const wl_interface* kNothing[2] = {};
const wl_message kManagerRequests[] = {{"destroy", "", kNothing},
                                       {"get_xdg_output", "no", const_cast<const wl_interface**>(kGetOutputTypes)}};
const wl_interface kXdgOutputManager{"zxdg_output_manager_v1", 3, 2, kManagerRequests, 0, nullptr};
constexpr uint32_t kGetXdgOutput = 1;
const wl_message kXdgOutputRequests[] = {{"destroy", "", kNothing}};
const wl_message kXdgOutputEvents[] = {{"logical_position", "ii", kNothing},
                                       {"logical_size", "ii", kNothing},
                                       {"done", "", kNothing},
                                       {"name", "2s", kNothing},
                                       {"description", "2s", kNothing}};
const wl_interface kXdgOutput{"zxdg_output_v1", 3, 1, kXdgOutputRequests, 5, kXdgOutputEvents};
struct XdgOutputListener {
  void (*logical_position)(void*, wl_proxy*, int32_t x, int32_t y);
  void (*logical_size)(void*, wl_proxy*, int32_t width, int32_t height);
  void (*done)(void*, wl_proxy*);
  void (*name)(void*, wl_proxy*, const char* name);
  void (*description)(void*, wl_proxy*, const char* description);
};

struct Destroys {
  void operator()(wl_display* display) const { wl_display_disconnect(display); }
  void operator()(wl_proxy* proxy) const { wl_proxy_destroy(proxy); }
};
using Proxy = std::unique_ptr<wl_proxy, Destroys>;

template <typename T>
Proxy owned(T* of_protocol) {
  return Proxy(reinterpret_cast<wl_proxy*>(of_protocol));
}

struct Output {
  uint32_t global = 0;  // its name in the registry
  Proxy output, xdg_output;
  int x = 0, y = 0, scale = 1;          // used if there is no xdg-output
  int mode_width = 0, mode_height = 0;  // pixels of the monitor
  bool on_its_side = false;
  Capturable said{};
};

struct Desktop {
  std::unique_ptr<wl_display, Destroys> display;
  Proxy registry, manager;
  std::list<Output> outputs;  // a list, as events hold addresses
  bool is_wlroots = false;
};

const wl_output_listener kOutputEvents{
    .geometry =
        [](void* user, wl_output*, int32_t x, int32_t y, int32_t, int32_t, int32_t, const char*, const char*,
           int32_t transform) {
          auto& self = *static_cast<Output*>(user);
          self.x = x;
          self.y = y;
          self.on_its_side = (transform & 1) != 0;
        },
    .mode =
        [](void* user, wl_output*, uint32_t flags, int32_t width, int32_t height, int32_t refresh_mhz) {
          if ((flags & WL_OUTPUT_MODE_CURRENT) == 0) return;
          auto& self = *static_cast<Output*>(user);
          self.mode_width = width;
          self.mode_height = height;
          self.said.refresh_rate = refresh_mhz / 1000.0;
        },
    .done = [](void*, wl_output*) {},
    .scale = [](void* user, wl_output*, int32_t scale) { static_cast<Output*>(user)->scale = std::max(1, scale); },
    .name = [](void* user, wl_output*, const char* name) { static_cast<Output*>(user)->said.name = name; },
    .description = [](void* user, wl_output*,
                      const char* text) { static_cast<Output*>(user)->said.description = text; }};

const XdgOutputListener kXdgEvents{
    .logical_position =
        [](void* user, wl_proxy*, int32_t x, int32_t y) {
          static_cast<Output*>(user)->said.place.x = x;
          static_cast<Output*>(user)->said.place.y = y;
        },
    .logical_size =
        [](void* user, wl_proxy*, int32_t width, int32_t height) {
          static_cast<Output*>(user)->said.place.width = width;
          static_cast<Output*>(user)->said.place.height = height;
        },
    .done = [](void*, wl_proxy*) {},
    .name = [](void* user, wl_proxy*, const char* name) { static_cast<Output*>(user)->said.name = name; },
    .description = [](void* user, wl_proxy*,
                      const char* text) { static_cast<Output*>(user)->said.description = text; }};

void ask_for_place(const Desktop& desktop, Output& one) {
  if (!desktop.manager || one.xdg_output) return;
  one.xdg_output.reset(
      wl_proxy_marshal_constructor(desktop.manager.get(), kGetXdgOutput, &kXdgOutput, nullptr, one.output.get()));
  wl_proxy_add_listener(one.xdg_output.get(),
                        reinterpret_cast<void (**)()>(const_cast<XdgOutputListener*>(&kXdgEvents)), &one);
}

const wl_registry_listener kGlobals{
    .global =
        [](void* user, wl_registry* from, uint32_t name, const char* interface, uint32_t version) {
          auto& self = *static_cast<Desktop*>(user);
          const std::string_view what = interface;
          if (what == wl_output_interface.name) {
            Output& one = self.outputs.emplace_back();
            one.global = name;
            auto* output =
                static_cast<wl_output*>(wl_registry_bind(from, name, &wl_output_interface, std::min(version, 4U)));
            one.output = owned(output);
            wl_output_add_listener(output, &kOutputEvents, &one);
            ask_for_place(self, one);
          } else if (what == kXdgOutputManager.name) {
            self.manager = owned(wl_registry_bind(from, name, &kXdgOutputManager, std::min(version, 3U)));
            for (Output& one : self.outputs) ask_for_place(self, one);
          } else if (what == "zwlr_screencopy_manager_v1") {
            self.is_wlroots = true;
          }
        },
    .global_remove =
        [](void* user, wl_registry*, uint32_t name) {
          std::erase_if(static_cast<Desktop*>(user)->outputs, [&](const Output& one) { return one.global == name; });
        }};

// Waits for events until the deadline, or a signal, and handles those that have come. How many; negative: the
// compositor is gone.
int dispatch(wl_display& display, SteadyTime deadline) {
  int events = 0;
  while (wl_display_prepare_read(&display) != 0) {
    const int handled = wl_display_dispatch_pending(&display);
    if (handled < 0) return handled;
    events += handled;
  }
  const bool is_out = wl_display_flush(&display) >= 0 || errno == EAGAIN;
  pollfd of_interest{wl_display_get_fd(&display), POLLIN, 0};
  if (!is_out || poll_until({&of_interest, 1}, events > 0 ? SteadyTime{} : deadline) <= 0) {
    wl_display_cancel_read(&display);
    return is_out ? events : -1;
  }
  if (wl_display_read_events(&display) < 0) return -1;
  const int handled = wl_display_dispatch_pending(&display);
  return handled < 0 ? handled : events + handled;
}

// wl_display_roundtrip() with a deadline. False: the compositor is gone, or does not answer.
bool round_trip(wl_display& display, SteadyTime deadline) {
  bool done = false;
  wl_callback* const answer = wl_display_sync(&display);
  const Proxy owns = owned(answer);
  const wl_callback_listener on_done{
      .done = [](void* user, wl_callback*, uint32_t) { *static_cast<bool*>(user) = true; }};
  wl_callback_add_listener(answer, &on_done, &done);
  while (!done)
    if (dispatch(display, deadline) < 0 || (!done && steady_now() >= deadline)) return false;
  return true;
}

Capturable described(const Output& one) {
  Capturable said = one.said;
  if (said.description.find_first_not_of(' ') == std::string::npos) said.description.clear();  // KWin, virtual monitors
  said.pixel_width = one.on_its_side ? one.mode_height : one.mode_width;
  said.pixel_height = one.on_its_side ? one.mode_width : one.mode_height;
  if (!one.xdg_output) said.place = {one.x, one.y, said.pixel_width / one.scale, said.pixel_height / one.scale};
  return said;
}

Outputs outputs_of(const Desktop& desktop) {
  Outputs outputs{.monitors = {}, .is_wlroots = desktop.is_wlroots};
  for (const Output& one : desktop.outputs)
    if (Capturable said = described(one); said.place.width > 0 && said.place.height > 0)
      outputs.monitors.push_back(std::move(said));
  std::stable_sort(outputs.monitors.begin(), outputs.monitors.end(),
                   [](const Capturable& a, const Capturable& b) { return a.place.x < b.place.x; });
  return outputs;
}

// As far as a capture depends on it.
bool are_same(const Outputs& a, const Outputs& b) {
  return std::equal(a.monitors.begin(), a.monitors.end(), b.monitors.begin(), b.monitors.end(),
                    [](const Capturable& one, const Capturable& other) {
                      return one.name == other.name && one.place == other.place &&
                             one.pixel_width == other.pixel_width && one.pixel_height == other.pixel_height;
                    });
}

}  // namespace

struct OutputWatch::Connection {
  Desktop desktop;
  Outputs outputs;
  SteadyTime changed_at = SteadyTime::min();

  // Handles all events that have come. As dispatch().
  int read() {
    for (int all = 0;;) {
      const int events = dispatch(*desktop.display, SteadyTime{});
      if (events <= 0) return events < 0 ? events : all;
      all += events;
    }
  }
};

OutputWatch::OutputWatch() : connection_(std::make_unique<Connection>()) {
  const SteadyTime deadline = steady_now() + kOutputsWithin;
  Desktop& desktop = connection_->desktop;
  desktop.display.reset(wl_display_connect(nullptr));
  if (desktop.display) {
    wl_registry* const registry = wl_display_get_registry(desktop.display.get());
    desktop.registry = owned(registry);
    wl_registry_add_listener(registry, &kGlobals, &desktop);
  }
  // The second answer comes after the facts of the monitors.
  if (desktop.display && round_trip(*desktop.display, deadline) && round_trip(*desktop.display, deadline))
    connection_->outputs = outputs_of(desktop);
  else
    connection_.reset();
}

OutputWatch::~OutputWatch() = default;

const Outputs* OutputWatch::outputs() const { return connection_ ? &connection_->outputs : nullptr; }

int OutputWatch::fd() const { return connection_ ? wl_display_get_fd(connection_->desktop.display.get()) : -1; }

SteadyTime OutputWatch::changed_at() const { return connection_ ? connection_->changed_at : SteadyTime::min(); }

void OutputWatch::process() {
  if (!connection_) return;
  const int events = connection_->read();
  if (events == 0) return;
  if (events < 0) {
    connection_.reset();
    has_ended_ = true;
    return;
  }
  Outputs now = outputs_of(connection_->desktop);
  if (are_same(now, connection_->outputs)) return;
  connection_->outputs = std::move(now);
  connection_->changed_at = steady_now();
}

std::optional<Outputs> ask_for_outputs() {
  const OutputWatch watch;
  return watch.outputs() ? std::optional(*watch.outputs()) : std::nullopt;
}

std::vector<const Capturable*> shared_monitors(const Outputs& outputs, const std::optional<Rect>& place, int width,
                                               int height) {
  std::vector<const Capturable*> there, as_large;
  for (const Capturable& monitor : outputs.monitors) {
    if (place && monitor.place == *place) there.push_back(&monitor);
    // The orientation is not known before the first picture.
    const auto [short_side, long_side] = std::minmax(monitor.pixel_width, monitor.pixel_height);
    if (short_side == std::min(width, height) && long_side == std::max(width, height)) as_large.push_back(&monitor);
  }
  const bool says_where = place && (!outputs.is_wlroots || place->x != 0 || place->y != 0);
  return says_where && !there.empty() ? there : as_large;
}

}  // namespace texcast::screen::wayland
