// cursor_packet.h — the pointer of a captured desktop, in datagrams of texcast's own beside those of the picture: where
// it is, and what it looks like. docs/wire.md has every bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/own_packet.h"

namespace texcast::transport {

// Where it is. Of these the newest counts.
struct CursorPacket {
  uint32_t ssrc = 0;    // of the stream
  uint32_t number = 0;  // +1 each datagram; wraps
  bool visible = false;
  uint16_t shape = 0;    // number of what it looks like; 0: nobody knows
  int32_t x = 0, y = 0;  // where it points, pixels of the picture; may lie outside
  WallTime captured{};   // on the sender's clock
  bool operator==(const CursorPacket&) const = default;
};
inline constexpr size_t kCursorBytes = 32;

// A part of what it looks like.
struct CursorShapePacket {
  static constexpr int kMaxSide = 256;
  static constexpr size_t kPartBytes = 1024;  // of every part but the last
  static constexpr size_t kMaxParts = 255;
  uint32_t ssrc = 0;
  uint16_t shape = 0;  // from 1
  uint8_t part = 0;
  uint16_t width = 0, height = 0;  // 1..kMaxSide
  uint16_t hot_x = 0, hot_y = 0;   // inside
  uint32_t total_bytes = 0;        // of all parts
  Bytes bytes{};                   // points into the datagram
  size_t parts() const { return (total_bytes + kPartBytes - 1) / kPartBytes; }
};
inline constexpr size_t kCursorShapeHeaderBytes = 24;

// `body` is what follows the four bytes 'T', 'C', version, type. Nothing for what is too short, or contradicts itself.
std::optional<CursorPacket> parse_cursor(Bytes body);
std::optional<CursorShapePacket> parse_cursor_shape(Bytes body);

// 'T' 'C' included, to the front of `out`; give the bytes written. Of a shape without its bytes.
size_t write_cursor(MutableBytes out, const CursorPacket& packet);
size_t write_cursor_shape_header(MutableBytes out, const CursorShapePacket& packet);

}  // namespace texcast::transport
