// cursor_packet.h — the mouse cursor of a captured desktop, sent beside the picture in texcast's own datagrams: its
// position and its image. docs/wire.md specifies every bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/own_packet.h"

namespace texcast::transport {

// The position. The newest packet counts.
struct CursorPacket {
  uint32_t ssrc = 0;    // of the stream
  uint32_t number = 0;  // +1 for each datagram; wraps
  bool visible = false;
  uint16_t shape = 0;    // number of the cursor's image; 0: unknown
  int32_t x = 0, y = 0;  // position of the hot spot, in pixels of the picture; may lie outside
  WallTime captured{};   // sender's clock
  bool operator==(const CursorPacket&) const = default;
};
inline constexpr size_t kCursorBytes = 32;

// A part of the image.
struct CursorShapePacket {
  static constexpr int kMaxSide = 256;
  static constexpr size_t kPartBytes = 1024;  // of every part but the last
  static constexpr size_t kMaxParts = 255;
  uint32_t ssrc = 0;
  uint16_t shape = 0;  // from 1
  uint8_t part = 0;
  uint16_t width = 0, height = 0;  // 1..kMaxSide
  uint16_t hot_x = 0, hot_y = 0;   // within the image
  uint32_t total_bytes = 0;        // of all parts
  Bytes bytes{};                   // points into the datagram
  size_t parts() const { return (total_bytes + kPartBytes - 1) / kPartBytes; }
};
inline constexpr size_t kCursorShapeHeaderBytes = 24;

// `body` follows the four bytes 'T', 'C', version, type. Nothing if it is too short or contradicts itself.
std::optional<CursorPacket> parse_cursor(Bytes body);
std::optional<CursorShapePacket> parse_cursor_shape(Bytes body);

// Write to the beginning of `out`, 'T' 'C' included, and return the bytes written. An image's header is written without
// its bytes.
size_t write_cursor(MutableBytes out, const CursorPacket& packet);
size_t write_cursor_shape_header(MutableBytes out, const CursorShapePacket& packet);

}  // namespace texcast::transport
