// cursor_view.h — the pointer of a stream as packets told of it, as the player draws it.
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
  uint32_t ssrc_ = 0;  // of shape_, with its number
  uint16_t number_ = 0;
  std::shared_ptr<const CursorShape> shape_{};
};

}  // namespace texcast::stream
