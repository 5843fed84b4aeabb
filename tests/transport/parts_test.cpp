// Building blocks of the session, each compared with a simple model.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "picture.h"
#include "sequence_numbers.h"
#include "support.h"
#include "tile_buffer.h"
#include "transport/byte_coverage.h"
#include "transport/pacer.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

TEST_CASE("byte coverage equals a byte map under random intervals") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    ByteCoverage coverage;
    std::vector<bool> map(300, false);
    for (int i = 0; i < 40; ++i) {
      const auto begin = static_cast<uint32_t>(random() % 290);
      const auto end = static_cast<uint32_t>(begin + 1 + random() % std::min<uint32_t>(20, 300 - begin));
      const bool any_new = std::find(map.begin() + begin, map.begin() + end, false) != map.begin() + end;
      std::fill(map.begin() + begin, map.begin() + end, true);
      const auto added = coverage.add(begin, end);
      REQUIRE((added == ByteCoverage::Added::new_bytes) == any_new);
      REQUIRE(coverage.covered() == static_cast<uint64_t>(std::count(map.begin(), map.end(), true)));
      std::vector<bool> from_intervals(300, false);
      uint32_t previous_end = 0;
      bool first = true;
      for (const auto& interval : coverage.intervals()) {
        REQUIRE((first || interval.begin > previous_end));  // sorted, never touching
        first = false;
        previous_end = interval.end;
        std::fill(from_intervals.begin() + interval.begin, from_intervals.begin() + interval.end, true);
      }
      REQUIRE(from_intervals == map);
    }
  }
}

TEST_CASE("byte coverage refuses too many intervals, and still accepts bytes that join them") {
  ByteCoverage coverage;
  for (uint32_t i = 0; i < ByteCoverage::kMaxIntervals; ++i) coverage.add(4 * i, 4 * i + 1);
  CHECK(coverage.covered() == ByteCoverage::kMaxIntervals);
  const auto beyond = static_cast<uint32_t>(4 * ByteCoverage::kMaxIntervals);
  CHECK(coverage.add(beyond, beyond + 1) == ByteCoverage::Added::refused);
  CHECK(coverage.add(1, 5) == ByteCoverage::Added::new_bytes);
  CHECK(coverage.add(beyond, beyond + 1) == ByteCoverage::Added::new_bytes);
}

TEST_CASE("concealment replaces whole units and counts each byte once") {
  const auto now = random_bytes(100, 1);
  const auto before = random_bytes(80, 2);  // shorter: zero beyond
  struct Row {
    const char* name;
    std::vector<std::pair<uint32_t, uint32_t>> arrived;
    std::vector<std::pair<size_t, size_t>> from_before;  // everything else is from `now`
  };
  const Row rows[] = {
      {"nothing missing", {{0, 100}}, {}},
      {"a hole of whole units", {{0, 32}, {48, 100}}, {{32, 48}}},
      {"a hole inside a unit takes all of it", {{0, 35}, {36, 100}}, {{32, 48}}},
      {"two holes in one unit, and into the next", {{0, 33}, {34, 40}, {50, 100}}, {{32, 64}}},
      {"head and tail", {{20, 90}}, {{0, 32}, {80, 100}}},
      {"the tail's unit is cut off by the end", {{0, 97}}, {{96, 100}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    HeapFrameStore store;
    TileBuffer frame;
    frame.begin(FrameLoan::from(store, 100), 100);
    for (const auto& [begin, end] : row.arrived) frame.add(begin, Bytes(now).subspan(begin, end - begin));
    std::vector<std::byte> expected = now;
    uint64_t expected_bytes = 0;
    for (const auto& [begin, end] : row.from_before)
      for (size_t i = begin; i < end; ++i, ++expected_bytes) expected[i] = i < before.size() ? before[i] : std::byte{0};
    std::vector<ByteRange> concealed;
    CHECK(conceal(frame.memory(), frame.coverage().intervals(), before, 16, concealed) == expected_bytes);
    REQUIRE(concealed.size() == row.from_before.size());
    for (size_t i = 0; i < row.from_before.size(); ++i) {
      CHECK(concealed[i].begin == row.from_before[i].first);
      CHECK(concealed[i].end == row.from_before[i].second);
    }
    CHECK(same(frame.bytes(), expected));
  }
}

TEST_CASE("sequence numbers: lost, reordered, duplicate, wrapped") {
  using Arrival = SequenceTracker::Arrival;
  SequenceTracker tracker;
  CHECK(tracker.arrived(65533) == Arrival::newest);
  CHECK(tracker.arrived(65534) == Arrival::newest);
  CHECK(tracker.arrived(1) == Arrival::newest);  // 65535 and 0 are missing
  CHECK(tracker.arrived(0) == Arrival::reordered);
  CHECK(tracker.arrived(0) == Arrival::seen);
  CHECK(tracker.lost() == 0);  // may still arrive
  tracker.settle(tracker.last() + 100);
  CHECK(tracker.lost() == 1);
  CHECK(tracker.arrived(65535) == Arrival::reordered);  // late
  CHECK(tracker.lost() == 0);
  CHECK(tracker.arrived(65532) == Arrival::reordered);  // before the first: never counted as missing
  CHECK(tracker.lost() == 0);

  SUBCASE("one far number is rejected, two in a row are accepted, and a jump does not count as that much loss") {
    CHECK(tracker.arrived(30000) == Arrival::implausible);
    CHECK(tracker.arrived(2) == Arrival::newest);
    CHECK(tracker.arrived(40000) == Arrival::implausible);
    CHECK(tracker.arrived(40001) == Arrival::newest);
    CHECK(tracker.arrived(40003) == Arrival::newest);
    tracker.settle(tracker.last());
    CHECK(tracker.lost() == 1);
  }
}

TEST_CASE("sequence numbers: 5 % loss and reordering over many wraps are counted exactly") {
  SequenceTracker tracker;
  std::mt19937 random(3);
  uint64_t lost = 0;
  uint64_t seen_twice = 0;
  std::vector<uint16_t> window;
  tracker.arrived(0);
  for (uint32_t n = 1; n <= 400'000; ++n) {
    if (random() % 20 == 0 && n != 400'000)
      ++lost;
    else
      window.push_back(static_cast<uint16_t>(n));
    if (n % 50 == 0 || n == 400'000) {
      std::shuffle(window.begin(), window.end(), random);
      for (const uint16_t s : window) seen_twice += tracker.arrived(s) == SequenceTracker::Arrival::seen;
      window.clear();
    }
  }
  tracker.settle(~uint64_t{0});
  CHECK(tracker.lost() == lost);
  CHECK(seen_twice == 0);
}

TEST_CASE("frame numbers: the order continues over the 22-bit wrap, far jumps need confirmation") {
  FrameOrder order;
  const auto first = order.place(0x3FFFFE);
  REQUIRE(first);
  CHECK(order.place(1)->order == first->order + 3);
  CHECK(order.place(0x3FFFFF)->order == first->order + 1);
  CHECK(order.place(0x3FFFF0)->order == first->order - 14);
  CHECK(order.place(1)->run == first->run);

  SUBCASE("one damaged number changes nothing") {
    CHECK_FALSE(order.place(0x100000));
    CHECK(order.place(2)->order == first->order + 4);
    CHECK_FALSE(order.place(0x100001));  // the earlier one is forgotten
  }
  SUBCASE("forward after a long silence") {
    CHECK_FALSE(order.place(5000));
    CHECK(order.place(5000)->order == first->order + 5002);
    CHECK(order.place(5001)->run == first->run);
  }
  SUBCASE("backward: another run, but later") {
    CHECK_FALSE(order.place(0x300000));
    const auto again = order.place(0x300001);
    REQUIRE(again);
    CHECK(again->run != first->run);
    CHECK(order.place(0x300000)->order == again->order - 1);
    CHECK(again->order > first->order + 4);
  }
  SUBCASE("another sender") {
    order.restart();
    const auto other = order.place(77);
    REQUIRE(other);
    CHECK(other->run != first->run);
    CHECK(other->order > first->order + 4);
  }
}

TEST_CASE("pacer: rises evenly to the whole frame within its share of the frame time") {
  const Pacer pacer({.fps = 50});  // 20 ms, of which 15 ms are used
  CHECK(pacer.duration(1'000'000) == 15ms);
  CHECK(pacer.bytes_due(1'000'000, 0ms) == 33334);  // 500 µs of 15 ms
  CHECK(pacer.bytes_due(1'000'000, 499us) == 33334);
  CHECK(pacer.bytes_due(1'000'000, 7ms) == 500'000);
  CHECK(pacer.bytes_due(1'000'000, 14500us) == 1'000'000);
  CHECK(pacer.bytes_due(1'000'000, 1h) == 1'000'000);
  CHECK(pacer.bytes_due(1, 0ms) == 1);
  size_t before = 0;
  for (auto t = 0us; t < 15ms; t += 10us) {
    const size_t due = pacer.bytes_due(1'000'000, t);
    REQUIRE(due >= before);
    before = due;
  }
}

TEST_CASE("pacer: a rate limits it; without rate and spread it is a burst") {
  const Pacer capped({.fps = 50, .rate_bits_per_s = 100e6});
  CHECK(capped.duration(1'000'000) == 80ms);
  CHECK(capped.bytes_due(1'000'000, 0ms) == 6250);  // 500 µs at 100 Mbit/s
  CHECK(capped.duration(1000) == 15ms);             // below the limit the frame time determines it
  CHECK(capped.line_time(1'250'000) == 100ms);
  CHECK(Pacer({.fps = 50}).line_time(1'250'000) == 0ms);
  CHECK(wire_overhead(false) == 66);  // 8 UDP, 20 IP, 14 Ethernet, 4 checksum, 8 preamble, 12 gap
  CHECK(wire_overhead(true) == 86);
  // Small frames are sent at once, others at this rate per tick at least, and none above the limit.
  const Pacer quick({.fps = 50, .least_a_tick = 16'000});
  CHECK(quick.bytes_due(10'000, 0ms) == 10'000);
  CHECK(quick.bytes_due(40'000, 0ms) == 16'000);
  CHECK(quick.bytes_due(40'000, 600us) == 32'000);
  CHECK(quick.bytes_due(40'000, 1ms) == 40'000);
  CHECK(quick.bytes_due(1'500'000, 0ms) == 50'000);
  const Pacer quick_and_capped({.fps = 50, .rate_bits_per_s = 80e6, .least_a_tick = 16'000});
  CHECK(quick_and_capped.bytes_due(40'000, 0ms) == 5'000);
  CHECK(quick_and_capped.bytes_due(40'000, 1ms) == 15'000);
  CHECK(Pacer({.fps = 50, .spread = 0}).bytes_due(1'000'000, 0ms) == 1'000'000);
  CHECK(Pacer({.fps = 0}).bytes_due(1'000'000, 0ms) == 1'000'000);
}
