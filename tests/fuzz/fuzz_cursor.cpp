// A sequence of any bodies of cursor packets through the tracker and the player's cursor view. Input: for each body two
// bytes, of which the lower 15 bits are its length and the highest bit says that it is a part of a shape; then the
// body. A length of 0 stands for a change of sender.
#include <algorithm>

#include "base/bytes.h"
#include "base/ensure.h"
#include "cursor_tracker.h"
#include "textures/cursor_view.h"
#include "transport/cursor_packet.h"

using namespace texcast;
using namespace texcast::transport;

namespace {

constexpr uint32_t kShapeBit = 0x8000;

void check_view(const Cursor& cursor, const ReceivedCursor& received, unsigned& checksum) {
  ENSURE(!cursor.visible || (received.at.visible && cursor.shape));
  if (!cursor.shape) return;
  const CursorShape& shape = *cursor.shape;
  ENSURE(shape.width >= 1 && shape.width <= CursorShapePacket::kMaxSide);
  ENSURE(shape.height >= 1 && shape.height <= CursorShapePacket::kMaxSide);
  ENSURE(shape.hot_x >= 0 && shape.hot_x < shape.width && shape.hot_y >= 0 && shape.hot_y < shape.height);
  ENSURE(shape.texels.size() == static_cast<size_t>(shape.width) * static_cast<size_t>(shape.height));
  for (const uint32_t texel : shape.texels) checksum += texel;  // reads each one
}

void listen(Bytes conversation) {
  CursorTracker tracker;
  stream::CursorView view;
  ByteReader reader(conversation);
  std::optional<uint32_t> newest;
  unsigned checksum = 0;
  while (const auto length = reader.take_le<2>()) {
    const auto body = reader.take(std::min<size_t>(*length & ~kShapeBit, reader.remaining()));
    if (*length == 0) {
      tracker.forget();
      newest.reset();
    } else if ((*length & kShapeBit) != 0) {
      if (const auto shape = parse_cursor_shape(*body)) tracker.on_shape(*shape);
    } else if (const auto position = parse_cursor(*body)) {
      tracker.on_position(*position);
      if (!newest || static_cast<int32_t>(position->number - *newest) > 0) newest = position->number;
    }
    const auto received = tracker.poll();
    ENSURE(!tracker.poll());  // an update is returned once
    if (!received) continue;
    // The position is the newest, never an older one.
    ENSURE(newest ? received->at.number == *newest : received->at == CursorPacket{});
    if (received->shape) {
      ENSURE(received->shape->shape == received->at.shape);
      ENSURE(received->shape->bytes.size() == received->shape->total_bytes);
    }
    check_view(view.see(*received), *received, checksum);
  }
  volatile unsigned keep = checksum;
  (void)keep;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  listen(Bytes(reinterpret_cast<const std::byte*>(data), size));
  return 0;
}
