// The cursor beside a stream, in packets that may be lost or reordered.
#include "transport/cursor_packet.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "support.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

Datagram position(const CursorPacket& packet) {
  Datagram out(kCursorBytes);
  CHECK(write_cursor(out, packet) == kCursorBytes);
  return out;
}

Datagram shape_part(const CursorShapePacket& packet) {
  Datagram out(kCursorShapeHeaderBytes);
  CHECK(write_cursor_shape_header(out, packet) == kCursorShapeHeaderBytes);
  out.insert(out.end(), packet.bytes.begin(), packet.bytes.end());
  return out;
}

CursorShapePacket shape(Bytes all, uint16_t number, uint8_t part) {
  CursorShapePacket packet{.ssrc = 1, .shape = number, .part = part, .width = 30, .height = 20, .hot_x = 3, .hot_y = 4};
  packet.total_bytes = static_cast<uint32_t>(all.size());
  const size_t begin = part * CursorShapePacket::kPartBytes;
  packet.bytes = all.subspan(begin, std::min(CursorShapePacket::kPartBytes, all.size() - begin));
  return packet;
}

// A session that has selected SSRC 1.
class CursorReceiver {
 public:
  CursorReceiver() {
    PlainPacketizer packetizer({.stream = {.fourcc = kFourCcDxt1, .width = 64, .height = 32, .fps = 60}, .ssrc = 1});
    for (const auto& packet : datagrams(packetizer, random_bytes(1024, 1))) say(packet);
  }
  void say(Bytes datagram) { session_.on_datagram(datagram, time_ += 1ms, wall_of(time_)); }
  std::optional<ReceivedCursor> poll() { return session_.poll_cursor(); }
  const ReceiveCounters& counters() const { return session_.counters(); }

 private:
  SteadyTime time_{1s};
  ReceiveSession session_;
};

}  // namespace

TEST_CASE("cursor: packets match the specification byte for byte") {
  const CursorPacket packet{.ssrc = 0x01020304,
                            .number = 0x05060708,
                            .visible = true,
                            .shape = 0x090A,
                            .x = -2,
                            .y = 0x0B0C0D0E,
                            .captured = WallTime(nanoseconds(0x1112131415161718))};
  const uint8_t expected[] = {'T',  'C',  1,    8,    1,    2,    3,    4,    5,    6,    7,
                              8,    1,    0,    9,    10,   0xFF, 0xFF, 0xFF, 0xFE, 0x0B, 0x0C,
                              0x0D, 0x0E, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18};
  const Datagram written = position(packet);
  CHECK(std::ranges::equal(written, std::as_bytes(std::span(expected))));
  CHECK(parse_cursor(Bytes(written).subspan(4)) == packet);
  CHECK_FALSE(parse_cursor(Bytes(written).subspan(4, 27)));

  const auto all = random_bytes(1500, 2);
  const Datagram part = shape_part(shape(all, 0x0708, 1));
  const uint8_t header[] = {'T', 'C', 1, 9, 0, 0, 0, 1, 7, 8, 1, 0, 0, 30, 0, 20, 0, 3, 0, 4, 0, 0, 0x05, 0xDC};
  REQUIRE(part.size() == 24 + 1500 - 1024);
  CHECK(std::equal(part.begin(), part.begin() + 24, std::as_bytes(std::span(header)).begin()));
}

TEST_CASE("cursor: images that contradict themselves are refused") {
  const auto all = random_bytes(1500, 2);
  const Datagram good = shape_part(shape(all, 7, 1));
  const auto parses = [](const Datagram& datagram) {
    return parse_cursor_shape(Bytes(datagram).subspan(4)).has_value();
  };
  REQUIRE(parses(good));
  const auto with = [&](size_t at, int value) {
    Datagram bad = good;
    bad[at] = static_cast<std::byte>(value);
    return bad;
  };
  Datagram zero = with(8, 0);
  zero[9] = std::byte{0};
  CHECK_FALSE(parses(zero));          // no number
  CHECK_FALSE(parses(with(10, 2)));   // a part after the last
  CHECK_FALSE(parses(with(10, 0)));   // too short for the first
  CHECK_FALSE(parses(with(13, 0)));   // no width
  CHECK_FALSE(parses(with(14, 2)));   // 532 rows
  CHECK_FALSE(parses(with(17, 30)));  // hot spot outside
  CHECK_FALSE(parses(with(19, 20)));
  CHECK_FALSE(parses(with(20, 1)));  // 16 MB
  CHECK_FALSE(parses(with(23, 0xDD)));
  Datagram empty(good.begin(), good.begin() + 24);
  CHECK_FALSE(parses(empty));
}

TEST_CASE("cursor: the newest position counts, and is returned once") {
  CursorReceiver receiver;
  CHECK_FALSE(receiver.poll());
  receiver.say(position({.ssrc = 1, .number = 5, .visible = true, .x = 10, .y = 20}));
  receiver.say(position({.ssrc = 1, .number = 4, .visible = true, .x = 1, .y = 2}));  // reordered
  const auto first = receiver.poll();
  REQUIRE(first);
  CHECK(first->at.x == 10);
  CHECK_FALSE(first->shape);
  CHECK_FALSE(receiver.poll());
  receiver.say(position({.ssrc = 1, .number = 6, .visible = true, .x = 10, .y = 20}));  // a repetition
  CHECK_FALSE(receiver.poll());
  receiver.say(position({.ssrc = 2, .number = 7, .visible = true, .x = 3, .y = 4}));  // of another stream
  CHECK_FALSE(receiver.poll());
  receiver.say(position({.ssrc = 1, .number = 0xFFFFFFFF, .visible = true}));  // long ago
  CHECK_FALSE(receiver.poll());
  receiver.say(Datagram{std::byte{'T'}, std::byte{'C'}, std::byte{1}, std::byte{8}, std::byte{0}});
  CHECK(receiver.counters().beside == 4);
  CHECK(receiver.counters().foreign == 1);
  CHECK(receiver.counters().malformed == 1);
}

TEST_CASE("cursor: an image is complete once all of its parts have arrived, in any order") {
  CursorReceiver receiver;
  const auto arrow = random_bytes(3000, 3), hand = random_bytes(2049, 4);
  receiver.say(shape_part(shape(arrow, 1, 2)));
  receiver.say(position({.ssrc = 1, .number = 1, .visible = true, .shape = 1, .x = 10, .y = 20}));
  receiver.say(shape_part(shape(arrow, 1, 0)));
  receiver.say(shape_part(shape(arrow, 1, 0)));  // a duplicate
  REQUIRE(receiver.poll());
  CHECK_FALSE(receiver.poll());
  receiver.say(shape_part(shape(arrow, 1, 1)));
  const auto whole = receiver.poll();
  REQUIRE(whole);
  REQUIRE(whole->shape);
  CHECK(std::ranges::equal(whole->shape->bytes, arrow));
  CHECK(whole->shape->hot_y == 4);

  // The next image is shown once it is complete and the cursor refers to it.
  receiver.say(shape_part(shape(hand, 2, 0)));
  receiver.say(shape_part(shape(hand, 2, 1)));
  receiver.say(position({.ssrc = 1, .number = 2, .visible = true, .shape = 2, .x = 10, .y = 20}));
  CHECK_FALSE(receiver.poll()->shape);
  receiver.say(shape_part(shape(hand, 2, 2)));
  CHECK(std::ranges::equal(receiver.poll()->shape->bytes, hand));
  receiver.say(shape_part(shape(hand, 2, 2)));  // a repetition for new receivers
  CHECK_FALSE(receiver.poll());
}
