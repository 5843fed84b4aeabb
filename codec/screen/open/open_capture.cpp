#include "screen/open_capture.h"

#include <array>
#include <chrono>
#include <stop_token>
#include <thread>

#include "screen/wayland_capture.h"
#include "screen/x11_capture.h"
#include "texcast/error.h"

namespace texcast::screen {
namespace {

struct Way {
  bool (*is_here)();
  std::unique_ptr<ScreenCapture> (*open)(const CaptureSettings& settings, const std::atomic<bool>* stop);
  std::vector<Capturable> (*list)();
};

constexpr nanoseconds kLook = std::chrono::milliseconds(50);

// A signal handler cannot request a stop, so a thread polls the flag that it sets.
std::unique_ptr<ScreenCapture> open_wayland(const CaptureSettings& settings, const std::atomic<bool>* stop) {
  std::stop_source asked;
  const std::jthread watch([&](const std::stop_token& over) {
    while (stop != nullptr && !over.stop_requested() && !asked.stop_requested()) {
      if (stop->load(std::memory_order_relaxed)) asked.request_stop();
      std::this_thread::sleep_for(kLook);
    }
  });
  auto capture = open_wayland_capture(settings, asked.get_token());
  if (!capture) throw Error(ErrorKind::failed, "interrupted before the desktop was shared");
  return capture;
}

// The first available one is used. Wayland sessions have an X display too, which shows only X's windows.
constexpr std::array kWays = {
    Way{is_wayland_session, open_wayland, list_wayland},
    Way{has_x_display,
        [](const CaptureSettings& settings, const std::atomic<bool>*) -> std::unique_ptr<ScreenCapture> {
          return open_x11_capture(settings);
        },
        list_x11},
};

const Way& way_here() {
  for (const Way& way : kWays)
    if (way.is_here()) return way;
  throw Error(ErrorKind::input,
              "there is no screen to capture: DISPLAY is not set; start texcast inside a desktop session, or set it "
              "(export DISPLAY=:0)");
}

}  // namespace

std::unique_ptr<ScreenCapture> open_capture(const CaptureSettings& settings, const std::atomic<bool>* stop) {
  return way_here().open(settings, stop);
}

std::vector<Capturable> list_capturables() { return way_here().list(); }

}  // namespace texcast::screen
