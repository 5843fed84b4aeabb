#include "live/cursor_view.h"

#include "live/cursor_sender.h"

namespace texcast::stream {

Cursor CursorView::see(const transport::ReceivedCursor& cursor) {
  if (cursor.at.ssrc != ssrc_ || cursor.at.shape != number_) shape_ = nullptr;
  ssrc_ = cursor.at.ssrc;
  number_ = cursor.at.shape;
  if (cursor.shape && !shape_) shape_ = unpacked(*cursor.shape);
  return {.visible = cursor.at.visible && shape_ != nullptr, .x = cursor.at.x, .y = cursor.at.y, .shape = shape_};
}

}  // namespace texcast::stream
