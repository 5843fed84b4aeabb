#include "stream/passed_frames.h"

#include <doctest/doctest.h>

using namespace texcast::stream;

TEST_CASE("the first file begins with one complete frame, later ones need one more in a row each, at most eight") {
  CHECK(judge({.frames = 1, .whole = 1}, 0) == NextFile::begin);
  for (size_t files = 1; files < 100; ++files) {
    CAPTURE(files);
    const size_t needed = files < 8 ? files + 1 : 8;
    CHECK(judge({.frames = needed - 1, .whole = needed - 1}, files) == NextFile::wait);
    CHECK(judge({.frames = needed, .whole = needed}, files) == NextFile::begin);
    CHECK(judge({.frames = needed - 1, .whole = needed - 1, .is_cut = true}, files) == NextFile::pass_over);
  }
}

TEST_CASE("at the end of a recording one complete frame is enough, and without one there is no file") {
  CHECK(judge({.frames = 1, .whole = 1, .is_last = true}, 20) == NextFile::begin);
  CHECK(judge({.frames = 1, .nearly = 1, .is_last = true}, 0) == NextFile::pass_over);
}

TEST_CASE("two nearly complete frames count as one; no frame waits for long") {
  CHECK(judge({.frames = 1, .nearly = 1}, 0) == NextFile::wait);
  CHECK(judge({.frames = 2, .nearly = 2}, 0) == NextFile::begin);
  CHECK(judge({.frames = kMostHeld, .nearly = kMostHeld}, 50) == NextFile::begin);
  CHECK(judge({.frames = kMostHeld, .whole = 1}, 50) == NextFile::pass_over);
  CHECK(wholeness(0, 8) == Wholeness::whole);
  CHECK(wholeness(2, 8) == Wholeness::nearly);
  CHECK(wholeness(3, 8) == Wholeness::hardly);
  CHECK(wholeness(1, 1) == Wholeness::hardly);
}

TEST_CASE("skipped frames are reported with their causes") {
  PassedFrames passed;
  passed.add(PassedFrames::Why::cannot_hold);
  CHECK(words(passed) == "1 frame: 1 in a format or size that the file cannot hold");
  passed += {.not_whole = 2, .cannot_hold = 1, .too_many_files = 3};
  CHECK(passed.total() == 7);
  CHECK(words(passed) ==
        "7 frames: 2 in a format or size that the file cannot hold, 3 beyond --max-files, 2 of streams with too few "
        "complete frames");
}
