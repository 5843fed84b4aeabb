// The thread that decodes: what it prepares while there is nothing to decode.
#include "live/decoding_thread.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "../patience.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

struct Work {
  std::atomic<int> prepared = 0, handled = 0, prepared_before = 0;  // before: the first was handled
  const int all;
  DecodingThread thread{false,
                        [this](QueuedFrame&) {
                          if (handled++ == 0) prepared_before = prepared.load();
                          return size_t{0};
                        },
                        [] {}, [this] { return ++prepared < all; }};
  explicit Work(int to_prepare) : all(to_prepare) {}
};

}  // namespace

TEST_CASE("everything is prepared while no frame waits, once") {
  Work work(3);
  for (const SteadyTime limit = steady_now() + test::kPatience; work.prepared < 3 && steady_now() < limit;)
    std::this_thread::sleep_for(1ms);
  for (int i = 0; i < 2; ++i) {
    work.thread.put_sums({});
    work.thread.finish();
  }
  CHECK(work.handled == 2);
  CHECK(work.prepared == 3);
}

TEST_CASE("a frame does not wait until everything is prepared") {
  Work work(INT32_MAX);
  work.thread.put_sums({});
  work.thread.finish();
  CHECK(work.handled == 1);
  CHECK(work.prepared_before < INT32_MAX);
}
