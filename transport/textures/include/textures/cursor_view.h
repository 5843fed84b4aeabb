// cursor_view.h — converts the mouse pointer that packets describe to the one that the player draws.
#pragma once

#include <cstdint>
#include <memory>

#include "frames/cursor.h"
#include "transport/receive_session.h"

namespace texcast::stream {

// Not thread-safe.
class CursorView {
 public:
  Cursor see(const transport::ReceivedCursor& cursor);

 private:
  uint32_t ssrc_ = 0;  // of the sender of shape_
  uint16_t number_ = 0;
  std::shared_ptr<const CursorShape> shape_{};
};

// The image that the texels of a packet are compressed from (packed() in live/cursor_sender.h). For untrusted packets:
// nullptr unless the data has exactly width x height texels.
std::shared_ptr<const CursorShape> unpacked(const transport::CursorShapePacket& shape);

}  // namespace texcast::stream
