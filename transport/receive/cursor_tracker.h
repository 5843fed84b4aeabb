// cursor_tracker.h — tracks the position and image of the mouse cursor beside a stream, from packets that may be lost
// or reordered. No I/O.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/cursor_packet.h"
#include "transport/receive_session.h"

namespace texcast::transport {

// Not thread-safe. Stores one complete image and one that is arriving, 261120 bytes each at most.
class CursorTracker {
 public:
  // Packets of the selected sender.
  void on_position(const CursorPacket& packet);
  void on_shape(const CursorShapePacket& packet);
  void forget();  // another sender was selected
  // See ReceiveSession::poll_cursor().
  std::optional<ReceivedCursor> poll();

 private:
  struct Shape {
    CursorShapePacket is{};  // except part and bytes
    std::vector<std::byte> bytes{};
    std::bitset<CursorShapePacket::kMaxParts> parts{};
  };
  std::optional<CursorPacket> newest_;
  Shape whole_, coming_;
  bool news_ = false;
};

}  // namespace texcast::transport
