#include "stream/camera_thread.h"

#include <algorithm>

namespace texcast::stream {

void CameraThread::stop() {
  thread_.request_stop();
  feed_.wake();
  thread_.stop();
}

void CameraThread::run(const std::stop_token& stop) {
  constexpr nanoseconds kLongestStep = std::chrono::minutes(10);
  while (!stop.stop_requested()) {
    const SteadyTime now = steady_now();
    feed_.wait_until(std::min(feed_.step(now), now + kLongestStep));
  }
}

}  // namespace texcast::stream
