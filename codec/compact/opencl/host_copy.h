// host_copy.h — copies to pinned memory, from which a device transfers directly, on several threads: they are faster
// than a driver's single thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/workers.h"
#include "device_queue.h"

namespace texcast::compact {

// Lines of `bytes`, which are `from_stride` apart in the source and `stride` in pinned memory. `to` there becomes
// `at` in the device's memory.
struct CopiedLines {
  const std::byte* from = nullptr;
  std::ptrdiff_t from_stride = 0;
  std::byte* to = nullptr;
  size_t stride = 0, bytes = 0, lines = 1;
  const cl::Buffer* device = nullptr;
  size_t at = 0;
};

// All copies of a part of a frame. A single loop makes them, as threads take as long to begin a loop as to copy some
// hundred kilobytes. The device transfers a part while the next ones are copied. Keeps its memory. Not thread-safe.
class HostCopies {
 public:
  explicit HostCopies(const DeviceQueue& queue) : queue_(queue) {}

  void clear();
  // The memory is borrowed until run() has returned; `stage` measures the transfers.
  void add(const CopiedLines& lines, Stage& stage);
  // Calls `call` on the thread of run() when it has started the transfers of everything so far.
  void then(std::function<void()> call);
  // Copies everything, and starts the transfer of each part as soon as it is there.
  void run(Workers& workers);

 private:
  struct Item {
    CopiedLines lines;
    size_t part = 0;
  };
  struct Part {
    const cl::Buffer* device = nullptr;
    size_t at = 0, bytes = 0, items = 0;
    const std::byte* from = nullptr;  // pinned
    Stage* stage = nullptr;
    std::function<void()> then;
  };
  void add_part(const CopiedLines& lines, Stage& stage);
  void upload_complete_parts();

  const DeviceQueue& queue_;
  std::vector<Item> items_;
  std::vector<Part> parts_;
  std::vector<std::atomic<size_t>> copied_;  // items of each part
  size_t next_ = 0;                          // part to transfer
};

}  // namespace texcast::compact
