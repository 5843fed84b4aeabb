#include "base/work_ahead.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

using namespace texcast;

TEST_CASE("every posted piece is done once, and before it is needed, whatever the number of threads") {
  for (const int threads : {0, 1, 2, 4, 7}) {
    WorkAhead helpers(threads);
    CHECK(helpers.threads() == threads);
    std::vector<int> done(5000);  // more pieces than may be in flight
    const auto piece = [&](size_t i) { ++done[i]; };
    std::vector<WorkAhead::Ticket> tickets;
    for (int round = 1; round <= 20; ++round) {
      tickets.clear();
      for (size_t i = 0; i < done.size(); ++i) tickets.push_back(helpers.post(piece, i));
      for (size_t i = 0; i < done.size(); i += 7) {
        helpers.need(tickets[i]);
        REQUIRE(done[i] == round);
      }
      helpers.finish();
      for (const int times : done) REQUIRE(times == round);
    }
  }
}

TEST_CASE("pieces begin in the order in which they were posted, so that one may wait for another") {
  for (const int threads : {1, 3}) {
    WorkAhead helpers(threads);
    std::array<size_t, 4> sums{};
    std::vector<WorkAhead::Ticket> tickets(4000);
    // Each piece adds to the result of the piece four before it, and would race with that one in another order.
    const auto piece = [&](size_t i) {
      if (i >= sums.size()) helpers.wait_for(tickets[i - sums.size()]);
      sums[i % sums.size()] = sums[i % sums.size()] * 31 + i;
    };
    for (size_t i = 0; i < tickets.size(); ++i) tickets[i] = helpers.post(piece, i);
    helpers.finish();
    for (size_t chain = 0; chain < sums.size(); ++chain) {
      size_t expected = 0;
      for (size_t i = chain; i < tickets.size(); i += sums.size()) expected = expected * 31 + i;
      CHECK(sums[chain] == expected);
    }
  }
}

TEST_CASE("a helper thread works while nobody waits for a result, also after it has slept") {
  WorkAhead helpers(1);
  for (int round = 0; round < 200; ++round) {
    std::atomic<bool> done = false;
    const auto piece = [&](size_t) {
      done = true;
      done.notify_one();
    };
    helpers.post(piece, 0);
    done.wait(false);  // would never end if no thread woke up
    helpers.finish();
  }
  CHECK(helpers.cpu_time() > nanoseconds(0));
}

TEST_CASE("the caller does the pieces that no helper thread has begun") {
  WorkAhead helpers(1);
  std::atomic<int> begun{0};
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> by_caller = false;
  // One piece keeps the helper thread waiting for another, so that only the caller can do the rest.
  const auto piece = [&](size_t i) {
    ++begun;
    if (std::this_thread::get_id() == caller) by_caller = true;
    if (i == 0)
      while (begun < 2) std::this_thread::yield();
  };
  helpers.post(piece, 0);
  while (begun < 1) std::this_thread::yield();
  helpers.need(helpers.post(piece, 1));
  CHECK(by_caller);
  helpers.finish();
}

TEST_CASE("without helper threads pieces are done when they are posted") {
  WorkAhead helpers(0);
  int done = 0;
  const auto piece = [&](size_t i) { done += static_cast<int>(i); };
  helpers.need(helpers.post(piece, 5));
  CHECK(done == 5);
  helpers.finish();
  CHECK(helpers.cpu_time() == nanoseconds(0));
}
