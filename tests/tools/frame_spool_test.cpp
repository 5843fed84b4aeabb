#include "stream/frame_spool.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <vector>

#include "temporary_folder.h"

using namespace texcast;
using namespace texcast::stream;
using test::TemporaryFolder;

namespace {

constexpr size_t kFrameBytes = 5000;  // not a multiple of a disk block

std::vector<std::byte> frame_of(int value) {
  std::vector<std::byte> frame(kFrameBytes);
  for (size_t i = 0; i < frame.size(); ++i) frame[i] = static_cast<std::byte>(31 * value + static_cast<int>(i));
  return frame;
}

bool is(Bytes frame, int value) {
  const std::vector<std::byte> wanted = frame_of(value);
  return std::vector(frame.begin(), frame.end()) == wanted;
}

}  // namespace

TEST_CASE("frames come back in order, however they are taken out meanwhile, and leave no file") {
  const TemporaryFolder folder;
  FrameSpool spool(folder.file("show.mov"), kFrameBytes);
  int pushed = 0, popped = 0;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 7; ++i) REQUIRE(spool.push(frame_of(pushed++)));
    CHECK(std::filesystem::is_empty(folder.path));  // the file has no name
    for (int i = 0; i < (round % 2 == 0 ? 3 : 9) && !spool.empty(); ++i) REQUIRE(is(spool.pop(), popped++));
  }
  while (!spool.empty()) REQUIRE(is(spool.pop(), popped++));
  CHECK(popped == pushed);
}

TEST_CASE("a spool has a limit, and accepts frames again when there is room") {
  const TemporaryFolder folder;
  FrameSpool spool(folder.file("show.mov"), kFrameBytes, 5 * 8192);
  for (int i = 0; i < 5; ++i) CHECK(spool.push(frame_of(i)));
  CHECK_FALSE(spool.push(frame_of(5)));
  CHECK(spool.size() == 5);
  CHECK(is(spool.pop(), 0));
  CHECK(spool.push(frame_of(5)));
  for (int i = 1; i <= 5; ++i) CHECK(is(spool.pop(), i));
}

TEST_CASE("a spool that cannot be written rejects frames, and loses none that it holds") {
  FrameSpool nowhere("/nonexistent/show.mov", kFrameBytes);
  CHECK_FALSE(nowhere.push(frame_of(0)));
  CHECK_FALSE(nowhere.push(frame_of(0)));
  CHECK(nowhere.empty());

  const TemporaryFolder folder;
  FrameSpool spool(folder.file("show.mov"), kFrameBytes);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 3 * 8192 + 100, .rlim_max = before.rlim_max};  // like a full disk
  setrlimit(RLIMIT_FSIZE, &small);
  int pushed = 0;
  while (pushed < 10 && spool.push(frame_of(pushed))) ++pushed;
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(pushed == 3);
  CHECK(spool.push(frame_of(3)));
  for (int i = 0; i <= 3; ++i) CHECK(is(spool.pop(), i));
}
