#include "stream/missing_frames.h"

#include <doctest/doctest.h>

#include "stream/space_watch.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;
using Cause = MissingFrames::Cause;

namespace {

const SteadyTime kStart = SteadyTime(1000s);

}  // namespace

TEST_CASE("the cause of missing frames is measured since the queue was last empty") {
  MissingCause cause;
  cause.add({.disk = 40s, .work = 90s, .compiler = 20s});
  cause.queue_empty();  // earlier measurements do not count
  cause.add({.disk = 1800ms, .work = 100ms});
  CHECK(cause.cause() == Cause::disk);
  cause.add({.work = 1800ms});
  CHECK(cause.cause() == Cause::processor);
  cause.add({.compiler = 1900ms});
  CHECK(cause.cause() == Cause::processor);
  cause.add({.compiler = 1s});
  CHECK(cause.cause() == Cause::compiler);
}

TEST_CASE("a thread that was not scheduled did not wait for the disk") {
  const media::RecorderProgress before{.disk = 10s, .work = 20s}, after{.disk = 12s, .work = 21s, .compiler = 3s};
  const WritingTime quiet = spent_between(before, after, 0s);
  CHECK(quiet.disk == 2s);
  CHECK(quiet.work == 1s);
  CHECK(quiet.compiler == 3s);
  const WritingTime busy = spent_between(before, after, 1800ms);
  CHECK(busy.disk == 200ms);
  CHECK(busy.work == 2800ms);
  // It was also not scheduled outside of what the recorder measures as disk time.
  CHECK(spent_between(before, after, 9s).disk == 0s);
  CHECK(spent_between(before, after, 9s).work == 3s);
}

TEST_CASE("a program that was suspended has no slow disk") {
  const Standstills::Last stopped{.end = kStart + 6s, .duration = 5s};
  CHECK(is_aftermath(stopped, kStart + 6100ms));
  // Packets queued in the socket arrive at once; after the time to write them the disk is the cause.
  CHECK(is_aftermath(stopped, kStart + 10900ms));
  CHECK_FALSE(is_aftermath(stopped, kStart + 12s));
  CHECK_FALSE(is_aftermath({.end = kStart, .duration = 60s}, kStart + 11s));
  CHECK_FALSE(is_aftermath({}, kStart));
}

TEST_CASE("frames at more than four times the stream's rate are a burst") {
  CHECK(is_burst(32, 3ms, 60));
  CHECK(is_burst(32, 130ms, 60));
  CHECK_FALSE(is_burst(32, 140ms, 60));
  CHECK_FALSE(is_burst(32, 533ms, 60));
}

TEST_CASE("a suspension is noticed while it lasts") {
  Standstills standstills;
  CHECK(standstills.last(steady_now() + 5s).duration >= 4s);
  CHECK(standstills.total(steady_now() + 5s) >= 4s);
}

TEST_CASE("missing frames are reported with number, duration and causes") {
  MissingFrames missing{.disk = 312, .time = 5200ms};
  CHECK(words(missing) == "312 frames are missing (5.2 s): the disk was too slow");
  missing = {.disk = 2, .standstill = 1, .time = 50ms, .stood_still = 5s};
  CHECK(words(missing) ==
        "3 frames are missing (0.1 s): 2 because the disk was too slow, 1 because the program was suspended for 5.0 s");
  missing = {.compiler = 1, .time = 20ms};
  CHECK(words(missing) ==
        "1 frame is missing (0.0 s): the kernel for Hap Q was still being compiled, and the disk had no room to spool "
        "them");
}

TEST_CASE("a warning is given when a minute is left, and again only after there was room") {
  SpaceWatch watch;
  constexpr int64_t kRate = 100'000'000;
  int warnings = 0;
  double left_at_warning = 0;
  const auto record = [&](int seconds, int64_t free) {
    for (int s = 0; s < seconds; ++s) {
      static int64_t written = 0;
      static SteadyTime now = kStart;
      REQUIRE(watch.due(now));
      if (const auto warning = watch.look(now, written, free)) {
        ++warnings;
        left_at_warning = static_cast<double>(free) / kRate;
        CHECK(warning->find("on its disk, at 100.0 MB/s") != std::string::npos);
      }
      CHECK_FALSE(watch.due(now + 900ms));
      now += 1s;
      written += kRate;
      free -= kRate;
    }
  };
  record(50, 110 * kRate);
  CHECK(warnings == 0);
  record(20, 70 * kRate);
  CHECK(warnings == 1);
  CHECK(left_at_warning < 60);
  CHECK(left_at_warning > 57);
  record(10, 50 * kRate);
  CHECK(warnings == 1);
  record(5, 500 * kRate);
  record(5, 50 * kRate);
  CHECK(warnings == 2);
}

TEST_CASE("--max-disk is watched like the disk") {
  SpaceWatch watch(10'000'000);
  std::string warning;
  for (int s = 0; s < 5; ++s)
    if (const auto said = watch.look(kStart + s * 1s, s * 1'000'000, 1'000'000'000'000)) warning = *said;
  CHECK(warning == "the recording has room for about 8 s: 8 MB are left until --max-disk, at 1.0 MB/s");
}
