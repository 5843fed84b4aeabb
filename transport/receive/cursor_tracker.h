// cursor_tracker.h — where the pointer beside a stream is, and what it looks like, from packets that get lost and
// overtake each other. Pure.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/cursor_packet.h"
#include "transport/receive_session.h"

namespace texcast::transport {

// Not thread-safe. Keeps one shape that is whole and one that is coming, 261120 bytes each at most.
class CursorTracker {
 public:
  // Packets of the sender that is followed.
  void on_position(const CursorPacket& packet);
  void on_shape(const CursorShapePacket& packet);
  void forget();  // another sender is followed
  // As ReceiveSession::poll_cursor().
  std::optional<ReceivedCursor> poll();

 private:
  struct Shape {
    CursorShapePacket is{};  // but part and bytes
    std::vector<std::byte> bytes{};
    std::bitset<CursorShapePacket::kMaxParts> parts{};
  };
  std::optional<CursorPacket> newest_;
  Shape whole_, coming_;
  bool news_ = false;
};

}  // namespace texcast::transport
