#include "transport/cursor_packet.h"

#include "base/ensure.h"

namespace texcast::transport {
namespace {

constexpr size_t kShapeBodyHeader = kCursorShapeHeaderBytes - kOwnHeaderBytes;
constexpr uint32_t kVisible = 1;

}  // namespace

std::optional<CursorPacket> parse_cursor(Bytes body) {
  if (body.size() < kCursorBytes - kOwnHeaderBytes) return std::nullopt;
  return CursorPacket{.ssrc = load_be32(body, 0),
                      .number = load_be32(body, 4),
                      .visible = (load_u8(body, 8) & kVisible) != 0,
                      .shape = load_be16(body, 10),
                      .x = static_cast<int32_t>(load_be32(body, 12)),
                      .y = static_cast<int32_t>(load_be32(body, 16)),
                      .captured = WallTime(nanoseconds(static_cast<int64_t>(load_be64(body, 20))))};
}

std::optional<CursorShapePacket> parse_cursor_shape(Bytes body) {
  if (body.size() <= kShapeBodyHeader) return std::nullopt;
  CursorShapePacket packet{.ssrc = load_be32(body, 0),
                           .shape = load_be16(body, 4),
                           .part = load_u8(body, 6),
                           .width = load_be16(body, 8),
                           .height = load_be16(body, 10),
                           .hot_x = load_be16(body, 12),
                           .hot_y = load_be16(body, 14),
                           .total_bytes = load_be32(body, 16),
                           .bytes = body.subspan(kShapeBodyHeader)};
  const auto side_is_good = [](int side) { return side >= 1 && side <= CursorShapePacket::kMaxSide; };
  if (packet.shape == 0 || !side_is_good(packet.width) || !side_is_good(packet.height) ||
      packet.hot_x >= packet.width || packet.hot_y >= packet.height || packet.total_bytes == 0 ||
      packet.total_bytes > CursorShapePacket::kMaxParts * CursorShapePacket::kPartBytes ||
      packet.part >= packet.parts())
    return std::nullopt;
  const bool last = packet.part + size_t{1} == packet.parts();
  const size_t before = packet.part * CursorShapePacket::kPartBytes;
  if (packet.bytes.size() != (last ? packet.total_bytes - before : CursorShapePacket::kPartBytes)) return std::nullopt;
  return packet;
}

size_t write_cursor(MutableBytes out, const CursorPacket& packet) {
  ENSURE(out.size() >= kCursorBytes);
  write_own_header(out, OwnType::cursor);
  store_be32(out, 4, packet.ssrc);
  store_be32(out, 8, packet.number);
  store_be<1>(out, 12, packet.visible ? kVisible : 0);
  store_be<1>(out, 13, 0);
  store_be16(out, 14, packet.shape);
  store_be32(out, 16, static_cast<uint32_t>(packet.x));
  store_be32(out, 20, static_cast<uint32_t>(packet.y));
  store_be64(out, 24, static_cast<uint64_t>(packet.captured.time_since_epoch().count()));
  return kCursorBytes;
}

size_t write_cursor_shape_header(MutableBytes out, const CursorShapePacket& packet) {
  ENSURE(out.size() >= kCursorShapeHeaderBytes);
  write_own_header(out, OwnType::cursor_shape);
  store_be32(out, 4, packet.ssrc);
  store_be16(out, 8, packet.shape);
  store_be<1>(out, 10, packet.part);
  store_be<1>(out, 11, 0);
  store_be16(out, 12, packet.width);
  store_be16(out, 14, packet.height);
  store_be16(out, 16, packet.hot_x);
  store_be16(out, 18, packet.hot_y);
  store_be32(out, 20, packet.total_bytes);
  return kCursorShapeHeaderBytes;
}

}  // namespace texcast::transport
