// Limits of what senders of coded streams can cause: bounds, contradictions, other senders, other streams.
#include <doctest/doctest.h>

#include "compact_support.h"
#include "frame_parity.h"
#include "payload_slots.h"
#include "transport/compact_packet.h"
#include "transport/own_packetizer.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

CompactDescription some_description(uint16_t width = 64, uint16_t height = 64) {
  return {.texture_format = 1, .width = width, .height = height, .rate = {60, 1}};
}

// Packet `number` of `packets` of frame `buffer_id`.
Datagram data_packet(uint16_t number, uint16_t packets, Bytes payload, uint32_t buffer_id = 7,
                     std::optional<CompactDescription> description = some_description(), uint8_t description_number = 0,
                     bool answers = false) {
  static uint16_t sequence = 0;
  Datagram datagram(kCompactHeaderBytes + kCompactDescriptionBytes + payload.size());
  const size_t header = write_compact_header(datagram, {.head = {.ssrc = 1,
                                                                 .timestamp = 1500 * buffer_id,
                                                                 .answers_requests = answers,
                                                                 .description_number = description_number,
                                                                 .buffer_id = buffer_id},
                                                        .sequence = sequence++,
                                                        .number = number,
                                                        .packets = packets,
                                                        .description = description});
  std::ranges::copy(payload, datagram.begin() + static_cast<std::ptrdiff_t>(header));
  datagram.resize(header + payload.size());
  return datagram;
}

Datagram parity_packet(const CompactParityPacket& packet) {
  Datagram datagram(kCompactParityHeaderBytes + packet.symbol.size());
  write_compact_parity_header(datagram, packet);
  std::ranges::copy(packet.symbol, datagram.begin() + kCompactParityHeaderBytes);
  return datagram;
}

}  // namespace

TEST_CASE("coded: packets that contradict their frame are malformed, and do not change the frame") {
  Bench bench;
  const auto payload = random_bytes(50, 1);
  bench.put(data_packet(0, 3, payload));
  bench.put(data_packet(3, 4, payload));  // another count
  bench.put(data_packet(5, 0, payload));  // beyond it
  bench.put(data_packet(1, 2, payload));  // fewer
  Datagram other_time = data_packet(1, 3, payload);
  other_time[8] = std::byte{0x55};
  bench.put(other_time);
  bench.put(data_packet(1, 3, payload, 7, some_description(), 1));  // another description
  const auto symbol = random_bytes(32, 2);
  CompactParityPacket parity{.head = {.ssrc = 1, .timestamp = 1500 * 7, .buffer_id = 7},
                             .packets = 3,
                             .groups = 1,
                             .symbol_bytes = 32,  // the existing payload has 50
                             .parity = 1,
                             .description = some_description(),
                             .symbol = symbol};
  bench.put(parity_packet(parity));
  const auto long_symbol = random_bytes(64, 2);
  parity.symbol = long_symbol;
  parity.symbol_bytes = 64;
  parity.packets = 4;  // another count
  bench.put(parity_packet(parity));
  CHECK(bench.counters().malformed == 7);
  CHECK(bench.counters().packets == 1);
  bench.put(data_packet(1, 3, payload));
  bench.put(data_packet(2, 3, payload));
  REQUIRE(bench.shown.size() == 1);
  CHECK(bench.shown[0].frame.payloads_missing == 0);
  CHECK(bench.counters().frames_complete == 1);
}

TEST_CASE("coded: a payload that is longer than its frame's symbols is malformed") {
  CompactPacketizer packetizer(compact_settings(), {.parity_percent = 100});
  const Payloads payloads(4, random_bytes(20, 1));
  const auto all = datagrams(packetizer, payloads);
  Bench bench;
  bench.put(all[5]);
  Datagram longer = all[1];
  longer.resize(longer.size() + 4000);
  bench.put(longer);
  CHECK(bench.counters().malformed == 1);
  for (const size_t i : {size_t{0}, size_t{2}, size_t{3}}) bench.put(all[i]);
  REQUIRE(bench.shown.size() == 1);
  CHECK(bench.shown[0].frame.payloads_missing == 0);
  CHECK(bench.counters().recovered_parity == 1);
}

TEST_CASE("coded: the end of a frame is requested, packet by packet if the number of packets is unknown") {
  CompactPacketizer packetizer(compact_settings(), {.answers_requests = true});
  const auto send = [&](int index, size_t count) {
    packetizer.begin(pts_only(index * 16ms));
    const Payloads payloads(count, random_bytes(20, 1));
    const auto views = views_of(payloads);
    std::vector<Datagram> all;
    for (const OutgoingPacket& packet : packetizer.add(views)) all.push_back(join(packet));
    for (const OutgoingPacket& packet : packetizer.add({}, static_cast<uint32_t>(count))) all.push_back(join(packet));
    return all;
  };
  Bench bench({.request_lost = true});
  for (const Datagram& datagram : send(0, 3)) bench.put(datagram);
  const auto frame = send(1, 6);
  for (size_t i = 0; i < 4; ++i) bench.put(frame[i]);  // 4 and 5 are lost
  bench.pass(10ms);
  CHECK_FALSE(bench.session.poll_feedback(bench.now));  // its encoder may also be slow
  for (const Datagram& datagram : send(2, 3)) bench.put(datagram);
  CHECK(bench.shown.size() == 1);
  for (const size_t asked : {size_t{4}, size_t{5}}) {
    bench.pass(2ms);
    const auto feedback = bench.session.poll_feedback(bench.now);
    REQUIRE(feedback);
    const auto request = parse_request(feedback->subspan(kOwnHeaderBytes));
    REQUIRE(request);
    CHECK(request->ssrc == 1);
    CHECK(request->buffer_id == 8);
    REQUIRE(request->ranges == 1);
    CHECK(request->range(0) == PacketRange{static_cast<uint32_t>(asked), 1});
    bench.put(frame[asked]);
  }
  REQUIRE(bench.shown.size() == 3);
  CHECK(bench.shown[1].frame.payloads_missing == 0);
  CHECK(bench.counters().recovered_retransmission == 2);
}

TEST_CASE("coded: parity must recover a valid payload, otherwise its result is dropped") {
  // One payload of two, and a symbol from which the other one is recovered with an invalid length.
  for (const bool lie : {false, true}) {
    CAPTURE(lie);
    CompactPacketizer packetizer(compact_settings(), {.parity_percent = 50});
    const Payloads payloads = {random_bytes(20, 1), random_bytes(20, 2)};
    auto all = datagrams(packetizer, payloads);
    REQUIRE(all.size() == 3);
    if (lie) all[2][68] ^= std::byte{0x80};
    Bench bench;
    bench.put(all[0]);
    bench.put(all[2]);
    bench.put(all[2]);
    CHECK(bench.shown.size() == (lie ? 0 : 1));
    bench.pass(1s);
    REQUIRE(bench.shown.size() == 1);
    CHECK(bench.shown[0].frame.payloads_missing == (lie ? 1 : 0));
    CHECK(bench.counters().recovered_parity == (lie ? 0 : 1));
  }
}

TEST_CASE("coded: a recovery that yields an invalid payload is not repeated") {
  PayloadPages pages(1 << 20);
  PayloadSlots payloads;
  payloads.begin(pages);
  FrameParity parity;
  ParityCodes codes;
  parity.begin();
  REQUIRE(parity.learn(SymbolLayout::checked_payloads(4, 32, 1, 4)));
  for (const uint32_t here : {0u, 1u}) {
    REQUIRE(payloads.add(here, random_bytes(20, here)));
    parity.arrived(here);
  }
  for (const uint8_t number : {uint8_t{0}, uint8_t{1}})
    CHECK(parity.add(0, number, random_bytes(32, number + 7u)) == FrameParity::Added::taken);
  CHECK(parity.repairable(0));
  CHECK(parity.repair(0, payloads, codes) < 2);  // noise: lengths are mostly beyond 30
  CHECK_FALSE(parity.repairable(0));
}

TEST_CASE("coded: payloads are bounded by the picture, and by the largest accepted frame") {
  struct Row {
    const char* name;
    std::optional<CompactDescription> description;
    size_t max_frame_bytes, most;
  };
  // 64x64 at 4 bytes a pixel, and 64 KiB.
  const Row rows[] = {{"picture", some_description(), size_t{1} << 28, 64 * 64 * 4 + 65536},
                      {"frame", some_description(), 50'000, 50'000},
                      {"no description", std::nullopt, 100'000, 100'000}};
  const auto payload = random_bytes(1000, 1);
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Bench bench({.max_frame_bytes = row.max_frame_bytes});
    for (uint16_t i = 0; i < 200; ++i) bench.put(data_packet(i, 0, payload, 7, row.description));
    CHECK(bench.counters().packets == row.most / 1000);
    CHECK(bench.counters().malformed == 200 - row.most / 1000);
  }
}

TEST_CASE("coded: too large pictures are reported, whichever packets arrive") {
  Bench bench({.max_picture = {.width = 1920, .height = 1080, .pixels = 1920 * 1080}});
  const auto payload = random_bytes(10, 1), symbol = random_bytes(16, 1);
  bench.put(data_packet(0, 1, payload, 7, some_description(3840, 2160)));
  bench.put(parity_packet({.head = {.ssrc = 1, .timestamp = 99, .buffer_id = 8},
                           .packets = 1,
                           .groups = 1,
                           .symbol_bytes = 16,
                           .parity = 1,
                           .description = some_description(3840, 2160),
                           .symbol = symbol}));
  CHECK(bench.counters().oversized == 2);
  CHECK(bench.counters().oversized_width == 3840);
  CHECK(bench.counters().oversized_height == 2160);
  bench.put(data_packet(0, 1, payload, 9, some_description(1920, 1080)));
  CHECK(bench.shown.size() == 1);
}

TEST_CASE("coded: a frame without a description uses the previous frame's, if its packets have that one's number") {
  const auto payload = random_bytes(10, 1);
  Bench bench;
  bench.put(data_packet(0, 1, payload, 6, std::nullopt));  // without any description
  CHECK(bench.shown.empty());
  CHECK(bench.counters().frames_lost == 1);
  bench.put(data_packet(0, 1, payload, 7));
  bench.put(data_packet(0, 1, payload, 8, std::nullopt));
  bench.put(data_packet(0, 1, payload, 9, std::nullopt, 1));  // a description number that has not been seen
  bench.put(data_packet(0, 1, payload, 10, some_description(80, 64), 1));
  bench.pass(250ms);
  REQUIRE(bench.shown.size() == 3);
  CHECK(bench.shown[0].frame.new_stream);
  CHECK_FALSE(bench.shown[1].frame.new_stream);
  CHECK(bench.shown[1].frame.stream == bench.shown[0].frame.stream);
  CHECK(bench.shown[2].frame.new_stream);
  CHECK(bench.shown[2].frame.stream.width == 80);
  CHECK(bench.counters().frames_lost == 2);
}

TEST_CASE("coded: frames without their end are delivered in time, as far as they arrived") {
  Bench bench;
  const auto payload = random_bytes(10, 1);
  bench.put(data_packet(0, 0, payload));
  bench.put(data_packet(2, 0, payload));
  bench.pass(99ms);
  CHECK(bench.shown.empty());
  bench.pass(2ms);
  REQUIRE(bench.shown.size() == 1);
  CHECK(bench.shown[0].frame.payloads_missing == 2);  // the one in between, and at least one more
  CHECK(bench.counters().frames_concealed == 1);
  // The next one is complete and does not wait for it.
  bench.put(data_packet(0, 0, payload, 8));
  bench.put(data_packet(0, 2, payload, 9));
  bench.put(data_packet(1, 2, payload, 9));
  bench.pass(4ms);
  CHECK(bench.shown.size() == 3);
}

TEST_CASE("coded: a raw stream takes over, and a coded one after it, without mixing") {
  Bench bench;
  CompactPacketizer compact(compact_settings(1), {.parity_percent = 10});
  OwnPacketizer plain(small_settings(2), {});
  CompactPacketizer again(compact_settings(3), {.parity_percent = 10});
  for (int i = 0; i < 3; ++i)
    for (const Datagram& datagram : datagrams(compact, payloads_of(i, 9, 300), pts_only(i * 16ms))) bench.put(datagram);
  bench.pass(1s);
  const auto bytes = random_bytes(kSmallFrame, 4);
  for (int i = 0; i < 3; ++i)
    for (const Datagram& datagram : datagrams(plain, bytes, pts_only(i * 16ms))) bench.put(datagram);
  bench.pass(1s);
  for (int i = 0; i < 3; ++i)
    for (const Datagram& datagram : datagrams(again, payloads_of(i, 9, 300), pts_only(i * 16ms))) bench.put(datagram);
  REQUIRE(bench.shown.size() == 9);
  for (size_t i = 0; i < 9; ++i) {
    CAPTURE(i);
    const bool is_plain = i / 3 == 1;
    CHECK(bench.shown[i].frame.stream.compact() != is_plain);
    CHECK(bench.shown[i].frame.new_stream == (i % 3 == 0));
    CHECK(bench.shown[i].bytes.size() == (is_plain ? kSmallFrame : 0));
    CHECK(bench.shown[i].frame.number == i % 3);
  }
  CHECK(bench.counters().streams == 3);
  CHECK(bench.counters().malformed + bench.counters().frames_concealed + bench.counters().frames_lost == 0);
}

TEST_CASE("coded: packets that another sender sent before it was selected are not lost") {
  Bench bench;
  CompactPacketizer first(compact_settings(1), {}), second(compact_settings(2), {});
  for (const Datagram& datagram : datagrams(first, payloads_of(0, 9, 300))) bench.put(datagram);
  CHECK(bench.shown.size() == 1);
  // Nothing more from the first sender. The second one's packets are stored, and shown when it is selected.
  Payloads sent[20];
  for (int i = 0; i < 20; ++i) {
    sent[i] = payloads_of(i, 9, 300);
    bench.pass(16ms);
    for (const Datagram& datagram : datagrams(second, sent[i], pts_only(i * 16ms))) bench.put(datagram);
  }
  CHECK(bench.shown.size() == 21);
  CHECK(bench.counters().frames_lost == 0);
  CHECK(bench.counters().foreign == 0);
}

TEST_CASE("coded: types of older and of newer versions are foreign") {
  Bench bench;
  for (const char type : {char{6}, char{7}, char{100}}) {
    Datagram datagram = data_packet(0, 1, random_bytes(10, 1));
    datagram[3] = static_cast<std::byte>(type);
    bench.put(datagram);
  }
  CHECK(bench.counters().foreign == 3);
  CHECK(bench.counters().malformed == 0);
}

TEST_CASE("coded: frames like the previous ones do not allocate") {
  CompactPacketizer packetizer(compact_settings(), {.parity_percent = 20});
  ReceiveSession session;
  std::vector<Datagram> all;
  for (int i = 0; i < 40; ++i) {
    int k = 0;
    const Payloads payloads(90, random_bytes(400, 3));
    for (Datagram& datagram : datagrams(packetizer, payloads, pts_only(i * 16ms)))
      if (k++ % 40 != 7) all.push_back(std::move(datagram));
  }
  uint64_t before = 0;
  int shown = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == all.size() / 2) before = allocations();
    session.on_datagram(all[i], SteadyTime(1s), WallTime(1s));
    while (session.poll(SteadyTime(1s), WallTime(1s))) ++shown;
  }
  CHECK(shown == 40);
  CHECK(session.counters().recovered_parity > 0);
  CHECK(allocations() == before);
}

TEST_CASE("coded: payloads of the next frame are available as they arrive, and do not move") {
  CompactPacketizer packetizer(compact_settings(), {.parity_percent = 50});
  std::vector<Payloads> sent;
  std::vector<std::vector<Datagram>> all;
  for (int i = 0; i < 4; ++i) {
    sent.push_back(Payloads(6, random_bytes(100 + static_cast<size_t>(i), static_cast<uint32_t>(i))));
    all.push_back(datagrams(packetizer, sent.back(), pts_only(i * 16ms)));
  }
  Bench bench;
  bench.put(all[0][0]);
  CHECK_FALSE(bench.session.payload_progress());  // the previous frame is unknown
  for (const Datagram& datagram : all[0]) bench.put(datagram);
  REQUIRE(bench.shown.size() == 1);

  bench.put(all[1][3]);
  bench.put(all[1][1]);
  auto progress = bench.session.payload_progress();
  REQUIRE(progress);
  REQUIRE(progress->arrived.size() == 2);
  CHECK(progress->buffer_id == 8);
  CHECK(progress->stream.width == 1920);
  CHECK(progress->stream.compact());
  const uint64_t id = progress->id;
  const Bytes first = progress->arrived[0];
  CHECK(same(first, sent[1][3]));
  CHECK(same(progress->arrived[1], sent[1][1]));

  // A later frame is not next, whatever has arrived of it.
  bench.put(all[2][0]);
  REQUIRE(bench.session.payload_progress());
  CHECK(bench.session.payload_progress()->id == id);
  for (const size_t i : {size_t{0}, size_t{2}, size_t{6}}) bench.put(all[1][i]);
  progress = bench.session.payload_progress();
  REQUIRE(progress);
  CHECK(progress->id == id);
  CHECK(progress->arrived.size() == 4);
  CHECK(progress->arrived[0].data() == first.data());
  bench.put(all[1][7]);  // recovers the other two: the frame is complete
  REQUIRE(bench.shown.size() == 2);
  CHECK(bench.shown[1].frame.id == id);
  CHECK(bench.shown[1].frame.payloads[3].data() == first.data());
  bench.put(all[2][1]);
  progress = bench.session.payload_progress();
  REQUIRE(progress);
  CHECK(progress->arrived.size() == 2);
  // The previous frame is missing.
  Bench late;
  for (const Datagram& datagram : all[0]) late.put(datagram);
  late.put(all[2][0]);
  CHECK_FALSE(late.session.payload_progress());
}

TEST_CASE("payload pages: never more than allowed, and few unused ones") {
  PayloadPages pages(4 * PayloadPages::kPageBytes);
  PayloadSlots a, b;
  a.begin(pages);
  b.begin(pages);
  const auto payload = random_bytes(PayloadPages::kPageBytes - 64, 1);
  for (uint32_t i = 0; i < 3; ++i) CHECK(a.add(i, payload));
  CHECK(b.add(9, payload));
  CHECK(b.add(8, payload));
  CHECK_FALSE(b.add(7, payload));
  CHECK_FALSE(b.has(7));
  CHECK(b.count() == 2);
  CHECK(b.front() == 10);
  CHECK(b.prefix() == 0);
  a.release();
  CHECK(b.add(7, payload));
  CHECK(same(b.payload(9), payload));
  CHECK(a.front() == 0);
}

namespace {

// A coded stream of 64x64 with one packet per frame, and forged packets with the same sender's address.
struct Described {
  explicit Described(nanoseconds frame_time) : frame_time_(frame_time) {}
  // Sends the next frame with the sender's current description.
  void send(const CompactDescription& description = some_description(), uint8_t number = 0) {
    bench.put(data_packet(0, 1, payload_, next_++, description, number));
    bench.pass(frame_time_);
  }
  // Sends a complete forged frame, this many frames ahead of the next one.
  void forge(const CompactDescription& description, uint8_t number, uint32_t ahead = 0) {
    bench.put(data_packet(0, 1, lie_, next_ + ahead, description, number));
  }
  size_t shown_as(uint16_t width) const {
    return static_cast<size_t>(
        std::ranges::count(bench.shown, width, [](const Shown& shown) { return shown.frame.stream.width; }));
  }
  Bench bench;

 private:
  const nanoseconds frame_time_;
  uint32_t next_ = 7;
  const std::vector<std::byte> payload_ = random_bytes(40, 1), lie_ = random_bytes(40, 2);
};

}  // namespace

TEST_CASE(
    "coded: forged descriptions have no effect on a stream that continues, whatever they are and whenever they "
    "arrive") {
  struct Row {
    const char* name;
    nanoseconds frame_time;
    uint8_t number;    // of the forged description; the stream's is 0
    uint32_t ahead;    // of the forged frame, relative to the next genuine one
    int forged;        // in a row
    bool is_the_same;  // all have the same description, so it is repeated
  };
  const Row rows[] = {
      {"another number", 16ms, 1, 0, 1, false},       {"the stream's number", 16ms, 0, 0, 1, false},
      {"two that repeat", 16ms, 1, 0, 2, true},       {"far ahead", 16ms, 1, 500, 2, true},
      {"five frames a second", 200ms, 1, 0, 2, true}, {"more than there are places for", 16ms, 1, 3, 40, true}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Described stream(row.frame_time);
    for (int i = 0; i < 10; ++i) stream.send();
    for (uint16_t i = 0; i < 100; ++i) {
      for (uint32_t k = 0; k < static_cast<uint32_t>(row.forged); ++k)
        stream.forge(some_description(row.is_the_same ? 80 : static_cast<uint16_t>(80 + 4 * i), 64), row.number,
                     row.ahead + k);
      stream.bench.pass(row.frame_time / 2);
      stream.send();
    }
    stream.bench.pass(1s);
    CHECK(stream.bench.counters().streams == 1);
    CHECK(stream.shown_as(64) == 110);
    CHECK(stream.bench.shown.size() == 110);
  }
}

TEST_CASE("coded: a sender that changes its stream loses no frame, and is shown two frames later") {
  for (const nanoseconds frame_time : {nanoseconds(4ms), nanoseconds(16ms), nanoseconds(200ms)}) {
    CAPTURE(frame_time.count());
    Described stream(frame_time);
    for (int i = 0; i < 10; ++i) stream.send();
    REQUIRE(stream.shown_as(64) == 10);
    const SteadyTime changed = stream.bench.now;
    while (stream.shown_as(80) == 0 && stream.bench.now < changed + 5s) stream.send(some_description(80), 1);
    CHECK(stream.bench.now - changed <= std::max<nanoseconds>(2 * frame_time, 12ms));
    for (int i = 0; i < 10; ++i) stream.send(some_description(80), 1);
    const size_t sent = stream.bench.shown.size() - 10;
    REQUIRE(stream.shown_as(80) == sent);
    for (size_t i = 0; i < sent; ++i) {
      CHECK(stream.bench.shown[10 + i].frame.number == i);
      CHECK(stream.bench.shown[10 + i].frame.new_stream == (i == 0));
    }
    CHECK(stream.bench.counters().streams == 2);
    CHECK(stream.bench.counters().frames_lost + stream.bench.counters().frames_unread == 0);
  }
}

TEST_CASE("coded: a sender that changes its stream and immediately changes back loses no frame") {
  for (const nanoseconds frame_time : {nanoseconds(0), nanoseconds(1ms), nanoseconds(16ms)}) {
    CAPTURE(frame_time.count());
    Described stream(frame_time);
    for (const int width : {64, 80, 96, 64, 112, 64})
      for (int i = 0; i < 3; ++i)
        stream.send(some_description(static_cast<uint16_t>(width)), static_cast<uint8_t>(width));
    stream.bench.pass(1s);
    CHECK(stream.bench.shown.size() == 18);
    for (const auto& [width, frames] : {std::pair<uint16_t, size_t>{64, 9}, {80, 3}, {96, 3}, {112, 3}})
      CHECK(stream.shown_as(width) == frames);
    CHECK(stream.bench.counters().streams == 6);
  }
}

TEST_CASE("coded: a single frame of another stream, followed by nothing, is shown once the stream has stopped") {
  Described stream(16ms);
  for (int i = 0; i < 10; ++i) stream.send();
  stream.send(some_description(80), 1);
  stream.bench.pass(200ms);
  CHECK(stream.shown_as(80) == 0);
  const auto deadline = stream.bench.session.next_deadline();
  REQUIRE(deadline);
  CHECK(*deadline > stream.bench.now);
  stream.bench.pass(*deadline - stream.bench.now);
  CHECK(stream.shown_as(80) == 1);
  CHECK_FALSE(stream.bench.session.next_deadline());
}

TEST_CASE("coded: tile checksums are accepted from the stream's sender, and returned once") {
  Bench bench;
  std::array<std::byte, kMostTileSumsBytes> memory{};
  const std::vector<uint32_t> sums{0xAABBCCDD, 7, 0xFFFFFFFF};
  const auto say = [&](uint32_t ssrc) {
    bench.put(Bytes(memory).first(write_tile_sums(memory, {.ssrc = ssrc, .buffer_id = 7, .first_row = 2}, sums)));
  };
  say(1);
  CHECK_FALSE(bench.session.poll_tile_sums());  // this alone selects no sender
  bench.put(data_packet(0, 1, random_bytes(10, 1)));
  say(2);
  CHECK_FALSE(bench.session.poll_tile_sums());
  say(1);
  const auto told = bench.session.poll_tile_sums();
  REQUIRE(told);
  CHECK(told->buffer_id == 7);
  CHECK(told->first_row == 2);
  REQUIRE(told->rows == 3);
  for (size_t i = 0; i < sums.size(); ++i) CHECK(told->sum(i) == sums[i]);
  CHECK_FALSE(bench.session.poll_tile_sums());
  memory.fill(std::byte{0});
  write_own_header(memory, OwnType::tile_sums);
  bench.put(Bytes(memory).first(20));  // of no row
  CHECK(bench.counters().beside == 2);
  CHECK(bench.counters().foreign == 1);
  CHECK(bench.counters().malformed == 1);
}
