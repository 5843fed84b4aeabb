// x_mirror.h — a copy of the contents of a part of an X display, in memory that the server can write to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/descriptor.h"
#include "x_display.h"

namespace texcast::screen {

// Anonymous memory with a descriptor, initially zeros. Throws Error{failed}.
class MappedMemory {
 public:
  MappedMemory() = default;
  explicit MappedMemory(size_t bytes);
  ~MappedMemory();
  MappedMemory(MappedMemory&& other) noexcept;
  MappedMemory& operator=(MappedMemory&& other) noexcept;
  std::byte* data() const { return data_; }
  int descriptor() const { return descriptor_.get(); }

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
  Descriptor descriptor_;
};

// Not thread-safe. The display must outlive it.
class XMirror {
 public:
  explicit XMirror(const XDisplay& display) : display_(display), is_shared_(display.has_shared_memory()) {}
  ~XMirror();
  XMirror(const XMirror&) = delete;
  XMirror& operator=(const XMirror&) = delete;

  void resize(int width, int height);  // black afterwards
  // Fetches `rects`, which are within `there`, from the drawable, in which the picture's corner is at x, y and which
  // has only the part `there` of the picture. They may be enlarged and joined: `rects` returns what was fetched. False:
  // the drawable does not exist, or is smaller than that.
  bool fetch(xcb_drawable_t from, int x, int y, const Rect& there, std::vector<Rect>& rects);
  void blacken(const Rect& rect);

  int width() const { return format_.width; }
  int height() const { return format_.height; }
  const FrameFormat& format() const { return format_; }
  uint32_t* row(int y) const {
    return reinterpret_cast<uint32_t*>(memory_.data()) + static_cast<ptrdiff_t>(y) * format_.width;
  }
  FrameView view() const;
  uint64_t fetched_bytes() const { return fetched_bytes_; }
  bool is_shared() const { return is_shared_; }

 private:
  bool fetch_shared(xcb_drawable_t from, int x, int y, std::span<const Rect> rects);
  bool fetch_sent(xcb_drawable_t from, int x, int y, std::span<const Rect> rects);
  void detach();
  void copy_in(const Rect& rect, const std::byte* pixels);

  const XDisplay& display_;
  bool is_shared_;
  FrameFormat format_{.pixel_format = PixelFormat::bgra, .width = 0, .height = 0, .color = kFullRange, .opaque = true};
  // The picture, row after row. If it is shared, there is as much room again behind it: the server writes rectangles
  // without a gap between their rows, so those that are narrower than the picture are copied from there.
  MappedMemory memory_;
  uint32_t segment_ = 0;  // the server's name of the memory; 0: it does not have it
  uint64_t fetched_bytes_ = 0;
};

}  // namespace texcast::screen
