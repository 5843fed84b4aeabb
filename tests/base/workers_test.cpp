#include "base/workers.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace texcast;

TEST_CASE("every item is done once and before the loop is over, whatever the threads and items") {
  for (const int threads : {0, 1, 3}) {
    Workers workers(threads);
    CHECK(workers.threads() == threads);
    std::array<int, 200> done{};
    for (size_t round = 0; round < 300; ++round) {
      const size_t count = round % done.size();
      workers.parallel_for(count, [&](size_t i) { ++done[i]; });
    }
    // 300 rounds of 0 to 199 items: item i is in those of more than i.
    for (size_t i = 0; i < done.size(); ++i) {
      int rounds = 0;
      for (size_t round = 0; round < 300; ++round) rounds += round % done.size() > i ? 1 : 0;
      CHECK(done[i] == rounds);
    }
  }
}

TEST_CASE("other threads take part") {
  Workers workers(1);
  std::atomic<int> inside{0};
  // Each item waits for the other: one thread alone would never come back.
  workers.parallel_for(2, [&](size_t) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
  });
  CHECK(inside == 2);
}

TEST_CASE("the loop is over only when the last item of another thread is") {
  Workers workers(1);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> begun{0}, done{0};
    const auto caller = std::this_thread::get_id();
    workers.parallel_for(2, [&](size_t) {
      ++begun;
      while (begun < 2) std::this_thread::yield();  // one item on each thread
      if (std::this_thread::get_id() != caller)
        for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      ++done;
    });
    CHECK(done == 2);
  }
}

TEST_CASE("the first exception comes out of the loop, and the workers serve the next one") {
  Workers workers(2);
  for (int round = 0; round < 50; ++round) {
    CHECK_THROWS_AS(workers.parallel_for(16,
                                         [](size_t i) {
                                           if (i % 4 == 1) throw std::runtime_error("item");
                                         }),
                    std::runtime_error);
    std::atomic<int> done{0};
    workers.parallel_for(16, [&](size_t) { ++done; });
    CHECK(done == 16);
  }
}

TEST_CASE("loops inside loops and from several threads at once are all done") {
  Workers workers(2);
  std::atomic<int> done{0};
  const auto loops = [&] {
    for (int round = 0; round < 50; ++round)
      workers.parallel_for(4, [&](size_t) { workers.parallel_for(4, [&](size_t) { ++done; }); });
  };
  std::thread other(loops);
  loops();
  other.join();
  CHECK(done == 2 * 50 * 16);
}

TEST_CASE("the workers' own processor time is told") {
  Workers workers(1);
  std::atomic<int> inside{0};
  workers.parallel_for(2, [&](size_t) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
  });
  CHECK(workers.cpu_time() > nanoseconds(0));
  CHECK(Workers(0).cpu_time() == nanoseconds(0));
}
