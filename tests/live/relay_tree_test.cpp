// A thousand receivers behind relays, on links that lose one datagram in a hundred: the feedback that reaches the
// sender, the packets that are sent again, and the time until receivers are right again, in simulated time.
#include "relay_tree.h"

#include <doctest/doctest.h>

#include "../tiny.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

const uint32_t kRelays = tiny_only() ? 2 : 10, kReceiversEach = tiny_only() ? 8 : 100;
const int kTreeFrames = tiny_only() ? 10 : 24;

// Received pictures were never mistaken for right ones, and all receivers were right in the end.
void check_all_right(const TreeOutcome& o) {
  CHECK(o.mistaken == 0);
  CHECK(o.never_right == 0);
  CHECK(o.shown > 0);
}

double per_packet(uint64_t count, const HopTraffic& hop) {
  return static_cast<double>(count) / static_cast<double>(hop.packets);
}

}  // namespace

TEST_CASE("relays keep a sender's feedback to that of its own links, however many receivers there are") {
  const TreeOutcome o = simulate_tree({.children = {kRelays, kReceiversEach}, .frames = kTreeFrames});
  check_all_right(o);
  CHECK(o.receivers == kRelays * kReceiversEach);
  REQUIRE(o.hops.size() == 2);
  CHECK(o.hops[0].lost > 0);
  CHECK(o.hops[1].lost > o.hops[0].lost);
  CHECK(o.nacks <= 2 * o.hops[0].lost);
  CHECK(o.tile_requests <= 2 + o.hops[0].lost / 2);
  for (const HopTraffic& hop : o.hops) {
    CHECK(hop.again > 0);
    CHECK(per_packet(hop.again, hop) < 0.02);
  }
  CHECK(static_cast<double>(o.shown_wrong) < 0.001 * static_cast<double>(o.shown) + 8);
  CHECK(percentile(o.wrong_ms, 1) < 200);
}

TEST_CASE("without relays a sender gets the feedback of all receivers") {
  const TreeOutcome o = simulate_tree({.children = {kRelays * kReceiversEach / 4}, .frames = kTreeFrames});
  check_all_right(o);
  CHECK(o.nacks > o.hops[0].lost / 2);
}

TEST_CASE("receivers that join together cost the sender one picture a relay") {
  constexpr uint32_t kEach = 30;
  const TreeOutcome o = simulate_tree({.children = {kRelays, kEach}, .loss = 0, .frames = kTreeFrames, .joining = 0.9});
  check_all_right(o);
  CHECK(o.joined_ms.size() == kRelays * kEach * 9 / 10);
  CHECK(percentile(o.joined_ms, 1) < 100);
  CHECK(o.tile_requests <= 2 * kRelays);
  CHECK(o.nacks == 0);
}

TEST_CASE("on long links, where retransmissions are too late, parity keeps pictures right") {
  const TreeSettings far{.children = {4, 20}, .delay = 8ms, .frames = 20};
  TreeSettings with_parity = far;
  with_parity.parity_percent = 20;
  const TreeOutcome without = simulate_tree(far), with = simulate_tree(with_parity);
  check_all_right(with);
  CHECK(without.shown_wrong > 100);
  CHECK(with.shown_wrong * 5 < without.shown_wrong);
}

TEST_CASE("a relay below a relay answers like one below the sender") {
  const TreeOutcome o = simulate_tree({.children = {2, 2, kReceiversEach / 4}, .frames = kTreeFrames});
  check_all_right(o);
  REQUIRE(o.hops.size() == 3);
  CHECK(o.nacks <= 2 * o.hops[0].lost);
  CHECK(o.hops[2].again > o.hops[0].again);
}
