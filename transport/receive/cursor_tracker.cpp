#include "cursor_tracker.h"

#include <algorithm>
#include <utility>

namespace texcast::transport {
namespace {

bool same_shape(const CursorShapePacket& a, const CursorShapePacket& b) {
  return a.shape == b.shape && a.width == b.width && a.height == b.height && a.hot_x == b.hot_x && a.hot_y == b.hot_y &&
         a.total_bytes == b.total_bytes;
}

}  // namespace

void CursorTracker::on_position(const CursorPacket& packet) {
  if (newest_ && static_cast<int32_t>(packet.number - newest_->number) <= 0) return;
  // A repetition, for receivers that lost the packet, changes nothing.
  const bool moved = !newest_ || packet.visible != newest_->visible || packet.shape != newest_->shape ||
                     packet.x != newest_->x || packet.y != newest_->y;
  newest_ = packet;
  news_ = news_ || moved;
}

void CursorTracker::on_shape(const CursorShapePacket& packet) {
  if (same_shape(packet, whole_.is)) return;
  if (!same_shape(packet, coming_.is)) {
    coming_.is = packet;
    coming_.is.bytes = {};
    coming_.parts.reset();
    coming_.bytes.resize(packet.total_bytes);
  }
  std::ranges::copy(packet.bytes,
                    coming_.bytes.begin() + static_cast<std::ptrdiff_t>(packet.part * CursorShapePacket::kPartBytes));
  coming_.parts.set(packet.part);
  if (coming_.parts.count() < packet.parts()) return;
  std::swap(whole_, coming_);
  coming_.is = {};
  news_ = true;
}

void CursorTracker::forget() {
  news_ = news_ || newest_.has_value();
  newest_.reset();
  whole_.is = coming_.is = {};
}

std::optional<ReceivedCursor> CursorTracker::poll() {
  if (!std::exchange(news_, false)) return std::nullopt;
  ReceivedCursor cursor;
  if (newest_) cursor.at = *newest_;
  const CursorShapePacket& shape = whole_.is;
  if (!newest_ || shape.shape == 0 || shape.shape != newest_->shape) return cursor;
  cursor.shape = shape;
  cursor.shape->bytes = whole_.bytes;
  return cursor;
}

}  // namespace texcast::transport
