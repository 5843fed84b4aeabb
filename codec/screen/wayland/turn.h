// turn.h — how the picture of a monitor that is mounted on its side or upside down is stored: compositors deliver it as
// the monitor scans it out, and it must be displayed upright.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "screen/screen_capture.h"

namespace texcast::screen::wayland {

// A transform of wl_output and PipeWire: the desktop was mirrored from left to right (4), and then rotated
// counter-clockwise by so many quarters (0 to 3).
class Turn {
 public:
  Turn() = default;
  explicit Turn(uint32_t transform) : mirrored_(transform > 3), quarters_(transform <= 7 ? transform & 3U : 0) {
    if (transform > 7) mirrored_ = false;  // of a later protocol
  }
  bool operator==(const Turn&) const = default;

  // For a picture that is stored as `width` x `height`.
  std::pair<int, int> upright_size(int width, int height) const {
    return (quarters_ & 1U) != 0 ? std::pair(height, width) : std::pair(width, height);
  }
  // The displayed position of a part of it.
  Rect upright(const Rect& part, int width, int height) const {
    Rect r = part;
    switch (quarters_) {
      case 1: r = {height - part.y - part.height, part.x, part.height, part.width}; break;
      case 2: r = {width - part.x - part.width, height - part.y - part.height, part.width, part.height}; break;
      case 3: r = {part.y, width - part.x - part.width, part.height, part.width}; break;
      default: break;
    }
    if (mirrored_) r.x = upright_size(width, height).first - r.x - r.width;
    return r;
  }

  // Iterates over the stored picture in displayed order: from its upper left corner, in texels of 4 bytes.
  struct Walk {
    const std::byte* first;
    std::ptrdiff_t right, down;  // bytes
  };
  Walk walk(const PlaneView& plane, int width, int height) const {
    const std::ptrdiff_t x = 4, y = plane.stride_bytes, far_x = (width - 1) * x, far_y = (height - 1) * y;
    Walk w{plane.data, x, y};
    switch (quarters_) {
      case 1: w = {plane.data + far_y, -y, x}; break;
      case 2: w = {plane.data + far_y + far_x, -x, -y}; break;
      case 3: w = {plane.data + far_x, y, -x}; break;
      default: break;
    }
    if (mirrored_) {
      w.first += (upright_size(width, height).first - 1) * w.right;
      w.right = -w.right;
    }
    return w;
  }

 private:
  bool mirrored_ = false;
  uint32_t quarters_ = 0;
};

}  // namespace texcast::screen::wayland
