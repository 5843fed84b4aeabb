#include "base/workers.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace texcast;

TEST_CASE("every item is done once, and before the loop ends, whatever the number of threads and items") {
  for (const int threads : {0, 1, 3}) {
    Workers workers(threads);
    CHECK(workers.threads() == threads);
    std::array<int, 200> done{};
    for (size_t round = 0; round < 300; ++round) {
      const size_t count = round % done.size();
      workers.parallel_for(count, [&](size_t i) { ++done[i]; });
    }
    // 300 rounds of 0 to 199 items: item i occurs in the rounds that have more than i.
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
  // Each item waits for the other, so that a single thread would never return.
  workers.parallel_for(2, [&](size_t) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
  });
  CHECK(inside == 2);
}

TEST_CASE("the loop does not end before the last item of another thread") {
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

TEST_CASE("the first exception is thrown from the loop, and the workers serve the next loop") {
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

TEST_CASE("nested loops and loops of several threads at once all complete") {
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

TEST_CASE("threads that stay awake between loops, or fall asleep, do every item of the next one") {
  for (const int threads : {1, 3}) {
    Workers workers(threads);
    const Workers::Awake awake(workers);
    std::vector<int> done(64);
    for (size_t round = 0; round < 2000; ++round) {
      workers.parallel_for(round % done.size(), [&](size_t i) { ++done[i]; });
      if (round % 500 == 499) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    int total = 0;
    for (const int count : done) total += count;
    int wanted = 0;
    for (size_t round = 0; round < 2000; ++round) wanted += static_cast<int>(round % done.size());
    CHECK(total == wanted);
  }
}

TEST_CASE("threads that are woken without a loop do every item of the next one") {
  Workers workers(3);
  for (const bool is_awake : {false, true}) {
    std::optional<Workers::Awake> awake;
    if (is_awake) awake.emplace(workers);
    for (int round = 0; round < 200; ++round) {
      workers.wake();
      if (round % 3 == 0) workers.wake();
      std::atomic<int> done{0};
      workers.parallel_for(10, [&](size_t) { ++done; });
      CHECK(done == 10);
    }
  }
}

TEST_CASE("the workers' own CPU time is reported") {
  Workers workers(1);
  std::atomic<int> inside{0};
  workers.parallel_for(2, [&](size_t) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
  });
  CHECK(workers.cpu_time() > nanoseconds(0));
  CHECK(Workers(0).cpu_time() == nanoseconds(0));
}
