#include "stream/mailbox.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "../manual_clock.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {
FrameRef numbered(stream::BlockPool& pool, uint64_t number) {
  FrameRef frame = pool.acquire(16);
  REQUIRE(frame);
  frame->number = number;
  return frame;
}
}  // namespace

TEST_CASE("a pool lends each frame once, and again only when every reference is gone") {
  stream::BlockPool pool(2);
  FrameRef a = pool.acquire(8);
  FrameRef second_share = a;
  FrameRef b = pool.acquire(8);
  REQUIRE(b);
  CHECK(&*a != &*b);
  CHECK_FALSE(pool.acquire(8));
  a = {};
  CHECK_FALSE(pool.acquire(8));  // second_share still refers to it
  second_share = {};
  const FrameRef again = pool.acquire(24);
  REQUIRE(again);
  CHECK(again->blocks.size() == 24);
}

TEST_CASE("newest wins: a frame that is not taken is replaced and counted, and its memory is reused") {
  stream::BlockPool pool(2);
  Mailbox box(Delivery::newest_wins);
  CHECK_FALSE(box.take({}));
  for (uint64_t i = 0; i < 5; ++i) box.put(numbered(pool, i));
  CHECK(box.overtaken() == 4);
  const FrameRef taken = box.take({});
  REQUIRE(taken);
  CHECK(taken->number == 4);
  CHECK_FALSE(box.take({}));
}

TEST_CASE("frames wait for their time; the newest due frame is taken, older ones are dropped as overtaken") {
  stream::BlockPool pool(8);
  test::ManualClock clock;
  Mailbox box(Delivery::newest_wins, clock);
  const SteadyTime now = clock.now() + 1ms;  // nothing is overtaken yet
  for (uint64_t i = 0; i < 5; ++i) box.put(numbered(pool, i), now + i * 10ms);
  CHECK_FALSE(box.take(now - 1ns));
  CHECK(box.take(now)->number == 0);
  CHECK_FALSE(box.take(now + 9ms));
  CHECK(box.take(now + 30ms)->number == 3);
  CHECK(box.overtaken() == 2);
  CHECK_FALSE(box.empty());
  CHECK(box.take(now + 40ms)->number == 4);
  CHECK(box.empty());
}

TEST_CASE("frames that are overtaken return their memory before the next take()") {
  stream::BlockPool pool(3);
  test::ManualClock clock;
  Mailbox box(Delivery::newest_wins, clock);
  const SteadyTime begin = clock.now();
  for (uint64_t i = 0; i < 3; ++i) box.put(numbered(pool, i), begin + (i + 1) * 10ms);
  CHECK(box.overtaken() == 0);
  CHECK_FALSE(pool.acquire(16));
  clock.advance(20ms);  // now the second is due, and the first is not needed
  box.put({}, begin + 1s);
  CHECK(box.overtaken() == 1);
  CHECK(pool.acquire(16));
  CHECK(box.next()->number == 1);
}

TEST_CASE("a waiting reader wakes when a frame is to be drawn: when it is due, or at the refresh before") {
  stream::BlockPool pool(2);
  test::ManualClock clock;
  Mailbox box(Delivery::newest_wins, clock);
  const SteadyTime begin = clock.now();
  box.wait_until(begin + 5ms);  // there is no frame
  CHECK(clock.now() == begin + 5ms);
  box.put(numbered(pool, 0), begin + 30ms);
  box.wait_until(begin + 10ms);
  CHECK(clock.now() == begin + 10ms);
  box.wait_until(begin + 25ms, player::SwapGrid(begin, 10ms));  // a frame that is drawn after 20 ms is visible at 30 ms
  CHECK(clock.now() == begin + 20ms);
  box.wait_until(begin + 1h);
  CHECK(clock.now() == begin + 30ms);
  box.wait_until(begin + 1h);  // it is still available, and due
  CHECK(clock.now() == begin + 30ms);
}

TEST_CASE("the number of waiting frames is bounded: the oldest is dropped") {
  stream::BlockPool pool(Mailbox::kPlaces + 2);
  Mailbox box(Delivery::newest_wins);
  const SteadyTime due = steady_now() + 24h;
  for (uint64_t i = 0; i <= Mailbox::kPlaces; ++i) box.put(numbered(pool, i), due + i * 1ms);
  CHECK(box.crowded_out() == 1);
  CHECK(box.take(due + 1ms)->number == 1);
}

TEST_CASE("every frame: the writer waits, nothing is replaced, order is kept") {
  stream::BlockPool pool(3);
  Mailbox box(Delivery::every_frame);
  std::thread giver([&] {
    for (uint64_t i = 0; i < 500; ++i) box.put(numbered(pool, i));
    box.close();
  });
  std::vector<uint64_t> seen;
  while (seen.size() < 500) {
    box.wait_until(steady_now() + 1h);
    if (const FrameRef frame = box.take({})) seen.push_back(frame->number);
  }
  giver.join();
  REQUIRE(seen.size() == 500);
  for (uint64_t i = 0; i < 500; ++i) REQUIRE(seen[i] == i);
  CHECK(box.overtaken() == 0);
}

TEST_CASE("closing releases a waiting writer") {
  stream::BlockPool pool(3);
  Mailbox box(Delivery::every_frame);
  box.put(numbered(pool, 0));
  std::thread giver([&] { box.put(numbered(pool, 1)); });
  std::this_thread::sleep_for(20ms);
  box.close();
  giver.join();  // a deadlock here times the test out
  CHECK(box.take({})->number == 0);
  CHECK_FALSE(box.take({}));
}

TEST_CASE("a waiting reader wakes when a frame arrives, long before its limit") {
  stream::BlockPool pool(2);
  Mailbox box(Delivery::newest_wins);
  std::thread giver([&] {
    std::this_thread::sleep_for(20ms);
    box.put(numbered(pool, 9));
  });
  box.wait_until(steady_now() + 24h);  // if it does not wake, CTest times the test out
  CHECK(box.take({}));
  giver.join();
}

TEST_CASE("a nudge ends one wait, and the next frame can be inspected before it is due") {
  stream::BlockPool pool(2);
  Mailbox box(Delivery::newest_wins);
  CHECK_FALSE(box.next());
  const SteadyTime due = steady_now() + 24h;
  box.put(numbered(pool, 7), due);
  REQUIRE(box.next());
  CHECK(box.next()->number == 7);
  CHECK_FALSE(box.take(steady_now()));  // it is still available, and not due
  box.nudge();
  box.wait_until(due);  // returns at once, else CTest times the test out
  CHECK(box.take(due)->number == 7);
}
