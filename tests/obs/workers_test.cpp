// Workers: threads that OBS never waits for.
#include "workers.h"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <utility>

#include "../patience.h"

using namespace texcast;

namespace {

struct Work {
  explicit Work(std::atomic<int>& copies) : copies(copies) {}
  Work(const Work& other) : copies(other.copies) { ++copies; }
  Work& operator=(const Work&) = delete;
  ~Work() = default;
  void operator()() const {}
  std::atomic<int>& copies;
};

}  // namespace

TEST_CASE("only the worker's thread holds what it works with, so that it ends there") {
  std::atomic<int> copies = 0;
  std::function<void()> work{Work(copies)};
  copies = 0;
  obs::start_worker(std::move(work));
  obs::await_workers(std::chrono::duration_cast<std::chrono::milliseconds>(test::kPatience));
  CHECK(copies == 0);
}
