// Copies to pinned memory, from which the device transfers them.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "base/workers.h"
#include "check.h"
#include "device_memory.h"
#include "host_copy.h"

using namespace texcast;
using namespace texcast::compact;

namespace {

// Lines in the source, and in the device's memory.
struct Lines {
  size_t bytes, lines, from_stride, stride;
};

std::byte byte_of(size_t copy, size_t line, size_t i) { return static_cast<std::byte>(7 * copy + 31 * line + i * i); }

}  // namespace

TEST_CASE("copies to pinned memory arrive on the device, in parts, with gaps and without") {
  // Three parts and a rest; a byte; lines with gaps, several parts of them too; lines without gaps.
  constexpr Lines kCopies[] = {
      {(6 << 20) + 77, 1, 0, 0}, {1, 1, 0, 0}, {760, 101, 800, 768}, {3000, 1000, 3008, 3072}, {1024, 70, 1024, 1024}};
  Workers workers(3);
  const DeviceQueue queue(check::device());
  constexpr size_t kRoom = 7 << 20;
  const PinnedBytes pinned(queue.device(), queue.commands(), std::size(kCopies) * kRoom);
  const cl::Buffer device = queue.memory(std::size(kCopies) * kRoom);
  HostCopies copies(queue);
  Stage stage;
  for (int frame = 0; frame < 2; ++frame) {
    std::vector<std::vector<std::byte>> sources;
    int then = 0;
    copies.clear();
    for (size_t copy = 0; copy < std::size(kCopies); ++copy) {
      const Lines& of = kCopies[copy];
      auto& source = sources.emplace_back(of.from_stride * of.lines + of.bytes);
      for (size_t line = 0; line < of.lines; ++line)
        for (size_t i = 0; i < of.bytes; ++i)
          source[line * of.from_stride + i] = byte_of(copy + static_cast<size_t>(frame), line, i);
      copies.add({.from = source.data(),
                  .from_stride = static_cast<std::ptrdiff_t>(of.from_stride),
                  .to = static_cast<std::byte*>(pinned.data()) + copy * kRoom,
                  .stride = of.stride,
                  .bytes = of.bytes,
                  .lines = of.lines,
                  .device = &device,
                  .at = copy * kRoom},
                 stage);
      if (copy == 1) copies.then([&] { ++then; });
    }
    copies.run(workers);
    CHECK(then == 1);
    std::vector<std::byte> arrived(std::size(kCopies) * kRoom);
    queue.commands().enqueueReadBuffer(device, CL_TRUE, 0, arrived.size(), arrived.data());
    for (size_t copy = 0; copy < std::size(kCopies); ++copy) {
      CAPTURE(copy);
      const Lines& of = kCopies[copy];
      size_t wrong = 0;
      for (size_t line = 0; line < of.lines; ++line)
        for (size_t i = 0; i < of.bytes; ++i)
          wrong += arrived[copy * kRoom + line * of.stride + i] != byte_of(copy + static_cast<size_t>(frame), line, i);
      CHECK(wrong == 0);
    }
  }
}
