#include "x_pointer.h"

#include <xcb/xfixes.h>

#include <algorithm>
#include <utility>

#include "few_rects.h"

namespace texcast::screen {
namespace {

// `over` has premultiplied alpha; the picture is opaque.
uint32_t blended(uint32_t over, uint32_t under) {
  const uint32_t rest = 255 - (over >> 24);
  const auto channel = [&](int shift) {
    const uint32_t sum = (over >> shift & 0xFF) + ((under >> shift & 0xFF) * rest + 127) / 255;
    return std::min(sum, 255U) << shift;
  };
  return 0xFF000000U | channel(16) | channel(8) | channel(0);
}

}  // namespace

XPointer::XPointer(const XDisplay& display, xcb_window_t window)
    : display_(display), window_(window), motion_(display) {
  xcb_xfixes_select_cursor_input(display.get(), display.root(), XCB_XFIXES_CURSOR_NOTIFY_MASK_DISPLAY_CURSOR);
}

bool XPointer::changes_with(const xcb_generic_event_t& event) {
  const bool is_shape = display_.is_cursor(event);
  shape_is_old_ = shape_is_old_ || is_shape;
  return is_shape || motion_.is_motion(event);
}

void XPointer::ask() { asked_ = xcb_query_pointer(display_.get(), window_); }

bool XPointer::look(int x, int y, const Rect& there) {
  const Cursor before = cursor_;
  if (std::exchange(shape_is_old_, false)) cursor_.shape = shape();
  if (const auto at = display_.reply(xcb_query_pointer_reply, asked_)) {
    cursor_.x = at->win_x - x;
    cursor_.y = at->win_y - y;
    cursor_.visible = at->same_screen != 0 && !is_empty(common({cursor_.x, cursor_.y, 1, 1}, there));
  }
  if (!cursor_.visible && !before.visible)
    cursor_.x = before.x, cursor_.y = before.y;  // it moved outside of the picture
  return cursor_ != before;
}

std::shared_ptr<const CursorShape> XPointer::shape() const {
  const auto image = display_.reply(xcb_xfixes_get_cursor_image_reply, xcb_xfixes_get_cursor_image(display_.get()));
  if (!image) return nullptr;  // the server has none
  const uint32_t* const texels = xcb_xfixes_get_cursor_image_cursor_image(image.get());
  const int count = xcb_xfixes_get_cursor_image_cursor_image_length(image.get());
  if (count != image->width * image->height) return nullptr;
  return std::make_shared<CursorShape>(CursorShape{.width = image->width,
                                                   .height = image->height,
                                                   .hot_x = image->xhot,
                                                   .hot_y = image->yhot,
                                                   .texels{texels, texels + count}});
}

Rect CursorPainter::paint(XMirror& picture, const Cursor& cursor) {
  if (!cursor.visible || !cursor.shape) return {};
  const CursorShape& shape = *cursor.shape;
  const int left = cursor.x - shape.hot_x, top = cursor.y - shape.hot_y;
  drawn_ = common({left, top, shape.width, shape.height}, {0, 0, picture.width(), picture.height()});
  beneath_.resize(static_cast<size_t>(area_of(drawn_)));
  uint32_t* kept = beneath_.data();
  for (int y = drawn_.y; y < drawn_.y + drawn_.height; ++y)
    for (int x = drawn_.x; x < drawn_.x + drawn_.width; ++x) {
      uint32_t& texel = picture.row(y)[x];
      *kept++ = texel;
      texel = blended(shape.texels[static_cast<size_t>((y - top) * shape.width + x - left)], texel);
    }
  return drawn_;
}

Rect CursorPainter::erase(XMirror& picture) {
  const uint32_t* kept = beneath_.data();
  for (int y = drawn_.y; y < drawn_.y + drawn_.height; ++y, kept += drawn_.width)
    std::copy_n(kept, drawn_.width, picture.row(y) + drawn_.x);
  return std::exchange(drawn_, Rect{});
}

}  // namespace texcast::screen
