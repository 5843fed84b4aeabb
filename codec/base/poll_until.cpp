#include "base/poll_until.h"

#include <algorithm>
#include <ctime>

namespace texcast {

int poll_until(std::span<pollfd> waiting, SteadyTime deadline) {
  const nanoseconds left = std::clamp<nanoseconds>(deadline - steady_now(), nanoseconds(0), std::chrono::hours(1));
  const timespec timeout{.tv_sec = left.count() / 1'000'000'000, .tv_nsec = left.count() % 1'000'000'000};
  return ::ppoll(waiting.data(), waiting.size(), &timeout, nullptr);
}

}  // namespace texcast
