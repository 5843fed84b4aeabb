#include "fake_compositor.h"

#include <wayland-client.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace texcast::test {

FakeCompositor::FakeCompositor(const std::vector<FakeMonitor>& monitors) : display_(wl_display_create()) {
  if (display_ == nullptr || wl_display_add_socket(display_, std::getenv("WAYLAND_DISPLAY")) != 0)
    throw std::runtime_error("no Wayland socket");
  wl_event_loop_add_fd(
      wl_display_get_event_loop(display_), waker_.fd(), WL_EVENT_READABLE,
      [](int, uint32_t, void* self) {
        static_cast<FakeCompositor*>(self)->apply();
        return 0;
      },
      this);
  wl_display_connect("");  // fails, and loads the library that has wl_output_interface
  set(monitors);
  apply();
  thread_ = std::thread([this] { wl_display_run(display_); });
}

FakeCompositor::~FakeCompositor() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  waker_.wake();
  thread_.join();
  wl_display_destroy_clients(display_);
  wl_display_destroy(display_);
}

void FakeCompositor::set(const std::vector<FakeMonitor>& monitors) {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = monitors;
  }
  waker_.wake();
}

void FakeCompositor::apply() {
  waker_.take();
  const std::lock_guard lock(mutex_);
  if (ends_) return wl_display_terminate(display_);
  const auto named = [](const std::string& name) { return [&name](const auto& one) { return one.name == name; }; };
  for (Output& output : outputs_) {
    const auto found = std::find_if(wanted_.begin(), wanted_.end(), named(output.monitor.name));
    if (found == wanted_.end()) {
      if (output.global) wl_global_destroy(output.global);
      output.global = nullptr;  // clients may still have it
      output.monitor = {};
    } else if (*found != output.monitor) {
      output.monitor = *found;
      for (wl_resource* client : output.clients) describe(output, client);
    }
  }
  for (const FakeMonitor& monitor : wanted_) {
    if (std::any_of(outputs_.begin(), outputs_.end(), [&](const Output& one) { return one.monitor == monitor; }))
      continue;
    Output& output = outputs_.emplace_back(Output{.monitor = monitor});
    output.global = wl_global_create(display_, &wl_output_interface, 4, &output, bind);
  }
}

void FakeCompositor::bind(wl_client* client, void* user, uint32_t version, uint32_t id) {
  static const struct wl_output_interface kRequests = {
      .release = [](wl_client*, wl_resource* resource) { wl_resource_destroy(resource); }};
  auto& output = *static_cast<Output*>(user);
  wl_resource* resource = wl_resource_create(client, &wl_output_interface, static_cast<int>(version), id);
  wl_resource_set_implementation(resource, &kRequests, &output, [](wl_resource* gone) {
    static_cast<Output*>(wl_resource_get_user_data(gone))->clients.remove(gone);
  });
  output.clients.push_back(resource);
  describe(output, resource);
}

void FakeCompositor::describe(const Output& output, wl_resource* client) {
  const FakeMonitor& monitor = output.monitor;
  wl_output_send_geometry(client, monitor.x, monitor.y, 0, 0, WL_OUTPUT_SUBPIXEL_UNKNOWN, "", "",
                          WL_OUTPUT_TRANSFORM_NORMAL);
  wl_output_send_mode(client, WL_OUTPUT_MODE_CURRENT, monitor.width, monitor.height, 60'000);
  wl_output_send_scale(client, monitor.scale);
  wl_output_send_name(client, monitor.name.c_str());
  wl_output_send_done(client);
}

}  // namespace texcast::test
