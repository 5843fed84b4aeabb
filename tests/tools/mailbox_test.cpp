#include "stream/mailbox.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {
FrameRef numbered(FramePool& pool, uint64_t number) {
  FrameRef frame = pool.acquire(16);
  REQUIRE(frame);
  frame->number = number;
  return frame;
}
}  // namespace

TEST_CASE("a pool lends each frame once, and again only when every share is gone") {
  FramePool pool(2);
  FrameRef a = pool.acquire(8);
  FrameRef second_share = a;
  FrameRef b = pool.acquire(8);
  REQUIRE(b);
  CHECK(&*a != &*b);
  CHECK_FALSE(pool.acquire(8));
  a = {};
  CHECK_FALSE(pool.acquire(8));  // second_share still looks at it
  second_share = {};
  const FrameRef again = pool.acquire(24);
  REQUIRE(again);
  CHECK(again->blocks.size() == 24);
}

TEST_CASE("newest wins: a frame not taken is replaced and counted, and its memory is free again") {
  FramePool pool(2);
  Mailbox box(Delivery::newest_wins);
  CHECK_FALSE(box.take());
  for (uint64_t i = 0; i < 5; ++i) box.put(numbered(pool, i));
  CHECK(box.replaced() == 4);
  const FrameRef taken = box.take();
  REQUIRE(taken);
  CHECK(taken->number == 4);
  CHECK_FALSE(box.take());
}

TEST_CASE("every frame: the giver waits, nothing is replaced, order is kept") {
  FramePool pool(3);
  Mailbox box(Delivery::every_frame);
  std::thread giver([&] {
    for (uint64_t i = 0; i < 500; ++i) box.put(numbered(pool, i));
    box.close();
  });
  std::vector<uint64_t> seen;
  const SteadyTime limit = steady_now() + 20s;
  while (seen.size() < 500 && steady_now() < limit) {
    box.wait_until(limit);
    if (const FrameRef frame = box.take()) seen.push_back(frame->number);
  }
  giver.join();
  REQUIRE(seen.size() == 500);
  for (uint64_t i = 0; i < 500; ++i) REQUIRE(seen[i] == i);
  CHECK(box.replaced() == 0);
}

TEST_CASE("closing lets a waiting giver go") {
  FramePool pool(3);
  Mailbox box(Delivery::every_frame);
  box.put(numbered(pool, 0));
  std::thread giver([&] { box.put(numbered(pool, 1)); });
  std::this_thread::sleep_for(20ms);
  box.close();
  giver.join();  // a deadlock here is a time-out of the test
  CHECK(box.take()->number == 0);
  CHECK_FALSE(box.take());
}

TEST_CASE("a waiting taker wakes when a frame comes, long before its limit") {
  FramePool pool(2);
  Mailbox box(Delivery::newest_wins);
  std::thread giver([&] {
    std::this_thread::sleep_for(20ms);
    box.put(numbered(pool, 9));
  });
  const SteadyTime begun = steady_now();
  box.wait_until(begun + 20s);
  CHECK(steady_now() - begun < 10s);
  CHECK(box.take());
  giver.join();
}
