// fake_compositor.h — a Wayland compositor that only has monitors, which the test adds, changes and removes.
#pragma once

#include <wayland-server.h>

#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/wake_event.h"

namespace texcast::test {

struct FakeMonitor {
  std::string name;
  int x = 0, y = 0;  // on the desktop, in its units
  int width = 0, height = 0;
  int scale = 1;  // pixels per unit
  bool operator==(const FakeMonitor&) const = default;
};

// On WAYLAND_DISPLAY, in a thread of its own, during its lifetime.
class FakeCompositor {
 public:
  explicit FakeCompositor(const std::vector<FakeMonitor>& monitors);
  ~FakeCompositor();
  FakeCompositor(const FakeCompositor&) = delete;
  FakeCompositor& operator=(const FakeCompositor&) = delete;

  void set(const std::vector<FakeMonitor>& monitors);  // by their names; from now on

 private:
  struct Output {
    FakeMonitor monitor;
    wl_global* global = nullptr;
    std::list<wl_resource*> clients{};
  };

  static void bind(wl_client* client, void* output, uint32_t version, uint32_t id);
  static void describe(const Output& output, wl_resource* client);
  void apply();

  wl_display* const display_;
  WakeEvent waker_;
  std::mutex mutex_;
  std::vector<FakeMonitor> wanted_;
  bool ends_ = false;
  std::list<Output> outputs_;  // of the thread
  std::thread thread_;
};

}  // namespace texcast::test
