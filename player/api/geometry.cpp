#include "player/geometry.h"

#include <algorithm>
#include <cstdint>

#include "base/ensure.h"
#include "texcast/frame.h"

namespace texcast::player {
namespace {

bool is_valid(Size size) {
  return size.width >= 1 && size.height >= 1 && size.width <= kMaxFrameSize && size.height <= kMaxFrameSize;
}

// a * b / c rounded to nearest, at least 1.
int scaled(int a, int b, int c) {
  const int64_t product = int64_t{a} * b;
  return static_cast<int>(std::max<int64_t>(1, (product + c / 2) / c));
}

int floor_half(int value) { return (value - (value < 0 ? 1 : 0)) / 2; }

}  // namespace

const char* name(ScaleMode mode) {
  switch (mode) {
    case ScaleMode::fit: return "fit";
    case ScaleMode::fill: return "fill";
    case ScaleMode::exact: return "1:1";
  }
  return "?";
}

Rect letterbox(Size picture, Size target) {
  ENSURE(is_valid(picture) && is_valid(target));
  Rect rect{0, 0, target.width, target.height};
  const int64_t picture_wider = int64_t{picture.width} * target.height - int64_t{picture.height} * target.width;
  if (picture_wider > 0) rect.height = std::min(target.height, scaled(target.width, picture.height, picture.width));
  if (picture_wider < 0) rect.width = std::min(target.width, scaled(target.height, picture.width, picture.height));
  rect.x = (target.width - rect.width) / 2;
  rect.y = (target.height - rect.height) / 2;
  return rect;
}

Rect placement(Size picture, Size target, ScaleMode mode) {
  ENSURE(is_valid(picture) && is_valid(target));
  Size size = picture;
  if (mode == ScaleMode::fit) return letterbox(picture, target);
  if (mode == ScaleMode::fill) {
    const bool picture_wider = int64_t{picture.width} * target.height > int64_t{picture.height} * target.width;
    size = picture_wider ? Size{scaled(target.height, picture.width, picture.height), target.height}
                         : Size{target.width, scaled(target.width, picture.height, picture.width)};
    // `picture` is within bounds, so if one side is at the limit the other is below it.
    if (size.width > kMaxFrameSize || size.height > kMaxFrameSize) {
      const Rect largest = letterbox(picture, {kMaxFrameSize, kMaxFrameSize});
      size = {largest.width, largest.height};
    }
  }
  return {floor_half(target.width - size.width), floor_half(target.height - size.height), size.width, size.height};
}

Size fit_down(Size picture, Size limit) {
  if (picture.width <= limit.width && picture.height <= limit.height) return picture;
  const Rect rect = letterbox(picture, limit);
  return {rect.width, rect.height};
}

int text_height(Size target) { return std::clamp(target.height / 45, 12, 64); }

}  // namespace texcast::player
