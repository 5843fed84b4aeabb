#include "textures/cursor_view.h"

#include <span>

#include "zstd_frame.h"

namespace texcast::stream {

Cursor CursorView::see(const transport::ReceivedCursor& cursor) {
  if (cursor.at.ssrc != ssrc_ || cursor.at.shape != number_) shape_ = nullptr;
  ssrc_ = cursor.at.ssrc;
  number_ = cursor.at.shape;
  if (cursor.shape && !shape_) shape_ = unpacked(*cursor.shape);
  return {.visible = cursor.at.visible && shape_ != nullptr, .x = cursor.at.x, .y = cursor.at.y, .shape = shape_};
}

std::shared_ptr<const CursorShape> unpacked(const transport::CursorShapePacket& packet) {
  auto shape = std::make_shared<CursorShape>(
      CursorShape{.width = packet.width, .height = packet.height, .hot_x = packet.hot_x, .hot_y = packet.hot_y});
  shape->texels.resize(size_t{packet.width} * packet.height);
  return unpack_zstd(packet.bytes, std::as_writable_bytes(std::span(shape->texels))) ? shape : nullptr;
}

}  // namespace texcast::stream
