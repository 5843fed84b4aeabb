// Pictures that are larger than allowed are refused before memory is allocated; and large pictures of which little
// arrives.
#include <doctest/doctest.h>

#include "support.h"
#include "transport/packet.h"
#include "transport/receive_session.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

// Packets of a nonexistent picture of this size, as a forger sends them.
std::vector<Datagram> packets_of(int width, int height, size_t frame_bytes, uint32_t id, size_t count) {
  PacketizerSettings settings = small_settings();
  settings.mtu = 1500;
  settings.stream.width = width;
  settings.stream.height = height;
  settings.stream.fourcc = {'R', 'G', 'B', 'A'};
  settings.extension = false;
  settings.first_buffer_id = id;
  settings.timestamp_offset = 3000 * id;
  settings.first_sequence = static_cast<uint16_t>(1000 * id);
  PlainPacketizer packetizer(settings);
  std::vector<Datagram> packets = datagrams(packetizer, random_bytes(count * 1424, 1));
  for (Datagram& packet : packets) {
    store_be32(packet, kRtpHeaderBytes + 8, static_cast<uint32_t>(frame_bytes));
    packet[1] &= std::byte{0x7F};  // no marker: more follows
  }
  return packets;
}

// Counts the memory that it lends.
class CountingStore final : public FrameStore {
 public:
  std::optional<LentMemory> lend(size_t bytes) override {
    largest = std::max(largest, bytes);
    ++lent;
    return heap_.lend(bytes);
  }
  void take_back(size_t place) override { heap_.take_back(place); }
  size_t largest = 0;
  int lent = 0;

 private:
  HeapFrameStore heap_;
};

}  // namespace

TEST_CASE("a picture larger than allowed is refused by area and by side, counted, and its size is reported") {
  struct Row {
    int width, height;
    PictureLimit limit;
    bool taken;
  };
  const Row rows[] = {{4096, 4096, {16384, 16384, 4096 * 4096}, true},
                      {16384, 1024, {16384, 16384, 4096 * 4096}, true},
                      {4096, 4200, {16384, 16384, 4096 * 4096}, false},
                      {8192, 8192, {16384, 16384, 4096 * 4096}, false},
                      {1920, 1080, {1920, 1080, 1920 * 1080}, true},
                      {1080, 1920, {1920, 1080, 1920 * 1080}, false},
                      {64, 64, {63, 61, 63 * 61}, true},  // as the header rounds it up
                      {68, 64, {63, 61, 63 * 61}, false}};
  for (const Row& row : rows) {
    CAPTURE(row.width);
    CAPTURE(row.height);
    CountingStore store;
    ReceiveSession session({.max_picture = row.limit}, &store);
    const auto packets =
        packets_of(row.width, row.height, static_cast<size_t>(row.width) * static_cast<size_t>(row.height) * 4, 1, 2);
    const uint64_t before = allocations();
    for (const Datagram& packet : packets) session.on_datagram(packet, SteadyTime(1s), WallTime{});
    CHECK(store.lent == row.taken);
    CHECK(session.counters().oversized == (row.taken ? 0 : packets.size()));
    if (row.taken) continue;
    CHECK(allocations() == before);
    CHECK(session.counters().oversized_width == (row.width + 3) / 4 * 4);
    CHECK(session.counters().oversized_height == (row.height + 3) / 4 * 4);
  }
}

TEST_CASE("4 MB of forged packets of huge pictures deliver no frame, and affect no other stream") {
  constexpr size_t kFrame = size_t{4096} * 4096 * 4;
  CountingStore store;
  ReceiveSession session({.max_frame_bytes = kFrame + 65536, .max_picture = {16384, 16384, 4096 * 4096}}, &store);
  SteadyTime now{1s};
  uint64_t given = 0, sent = 0;
  const auto poll = [&] {
    while (const auto frame = session.poll(now, WallTime{})) given += frame->bytes.size();
  };
  for (uint32_t id = 1; sent < 4'000'000; ++id, now += 8ms)
    for (const Datagram& packet : packets_of(4096, 4096, kFrame, id, 14)) {  // more than 1/4096 of it each
      session.on_datagram(packet, now, WallTime{});
      sent += packet.size();
      poll();
    }
  now += 5s;
  poll();
  CHECK(given == 0);
  CHECK(session.counters().frames_lost > 100);
  CHECK(store.largest <= kFrame + 65536);
}

TEST_CASE("a large picture is shown when a quarter of it arrived, later ones when a 64th did") {
  constexpr int kWidth = 1024, kHeight = 1024;
  constexpr size_t kFrame = size_t{4} * kWidth * kHeight, kAll = kFrame / 1424;
  struct Row {
    double first, second;  // share that arrives
    uint64_t concealed, lost;
  };
  for (const Row& row : {Row{0.3, 0.02, 2, 0}, Row{0.3, 0.01, 1, 1}, Row{0.2, 0.2, 0, 2}}) {
    Bench bench;
    const auto send = [&](uint32_t id, double share) {
      for (const Datagram& packet :
           packets_of(kWidth, kHeight, kFrame, id, static_cast<size_t>(static_cast<double>(kAll) * share)))
        bench.put(packet);
      bench.pass(3s);
    };
    send(1, row.first);
    send(2, row.second);
    CHECK(bench.counters().frames_concealed == row.concealed);
    CHECK(bench.counters().frames_lost == row.lost);
  }
}
