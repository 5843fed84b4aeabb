#include "base/work_ahead.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

using namespace texcast;

TEST_CASE("every piece that was posted is done once and before it is needed, whatever the threads") {
  for (const int threads : {0, 1, 2, 4, 7}) {
    WorkAhead helpers(threads);
    CHECK(helpers.threads() == threads);
    std::vector<int> done(5000);  // more than may be under way
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

TEST_CASE("pieces are begun in the order in which they were posted, so that one may wait for another") {
  for (const int threads : {1, 3}) {
    WorkAhead helpers(threads);
    std::array<size_t, 4> sums{};
    std::vector<WorkAhead::Ticket> tickets(4000);
    // Chains: each piece adds to what the fourth before it has left, and would race with it otherwise.
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

TEST_CASE("a helper works while nobody needs anything, also after it has slept") {
  WorkAhead helpers(1);
  for (int round = 0; round < 200; ++round) {
    std::atomic<bool> done = false;
    const auto piece = [&](size_t) {
      done = true;
      done.notify_one();
    };
    helpers.post(piece, 0);
    done.wait(false);  // would never end if no thread woke
    helpers.finish();
  }
  CHECK(helpers.cpu_time() > nanoseconds(0));
}

TEST_CASE("the caller does what no helper has begun") {
  WorkAhead helpers(1);
  std::atomic<int> begun{0};
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> by_caller = false;
  // The helper is held by one piece until another is done: only the caller is left for that.
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

TEST_CASE("without helpers pieces are done where they are posted") {
  WorkAhead helpers(0);
  int done = 0;
  const auto piece = [&](size_t i) { done += static_cast<int>(i); };
  helpers.need(helpers.post(piece, 5));
  CHECK(done == 5);
  helpers.finish();
  CHECK(helpers.cpu_time() == nanoseconds(0));
}
