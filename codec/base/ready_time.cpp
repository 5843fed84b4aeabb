#include "base/ready_time.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>

#include "base/descriptor.h"

namespace texcast {

// "RUNNING READY SLICES": nanoseconds on a processor, nanoseconds waiting for one, number of time slices.
nanoseconds thread_ready_now() {
  const Descriptor file(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return {};
  std::array<char, 128> text{};
  const ssize_t length = read(file.get(), text.data(), text.size());
  if (length <= 0) return {};
  const char* const end = text.data() + length;
  int64_t running = 0, ready = 0;
  const auto first = std::from_chars(text.data(), end, running);
  if (first.ec != std::errc{} || first.ptr == end) return {};
  const auto second = std::from_chars(first.ptr + 1, end, ready);
  return second.ec == std::errc{} ? nanoseconds(ready) : nanoseconds{};
}

}  // namespace texcast
