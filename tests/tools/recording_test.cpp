#include "stream/recording.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "base/error.h"
#include "media/clip_reader.h"
#include "temporary_folder.h"

using namespace texcast;
using namespace texcast::stream;
using test::TemporaryFolder;
using namespace std::chrono_literals;

namespace {

FrameRef frame_of(FramePool& pool, int width, nanoseconds pts) {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = width, .height = 8};
  FrameRef frame = pool.acquire(texture_layout(desc).total_bytes);
  REQUIRE(frame);
  frame->desc = desc;
  frame->times.pts = pts;
  return frame;
}

std::vector<nanoseconds> times_in(const std::string& file) {
  std::vector<nanoseconds> times;
  const auto clip = media::open_clip(file);
  while (true) {
    const auto next = clip->next();
    if (!next || !*next) return times;
    times.push_back((*next)->pts);
  }
}

}  // namespace

TEST_CASE("a stream that changes its size goes on in a second file") {
  const TemporaryFolder folder;
  const std::string path = folder.path / "show.mov";
  FramePool pool(8);
  Recording recording({.path = path}, WhenFull::wait);
  for (int i = 0; i < 5; ++i) recording.put(frame_of(pool, i < 3 ? 16 : 32, i * 40ms), 25);
  const RecordingReport report = recording.finish();
  CHECK(report.frames == 5);
  REQUIRE(report.files.size() == 2);
  CHECK(report.files[1] == (folder.path / "show-2.mov").string());
  CHECK(times_in(report.files[0]).size() == 3);
  const auto second = times_in(report.files[1]);
  REQUIRE(second.size() == 2);
  CHECK(second[0] == 0ns);  // each file begins at zero
}

TEST_CASE("time stamps from outside that jump back still rise in the file") {
  const TemporaryFolder folder;
  const std::string path = folder.path / "show.mov";
  FramePool pool(8);
  Recording recording({.path = path}, WhenFull::wait);
  for (const nanoseconds pts : {100ms, 140ms, 140ms, 20ms, 60ms}) recording.put(frame_of(pool, 16, pts), 25);
  CHECK(recording.finish().frames == 5);
  const auto times = times_in(path);
  REQUIRE(times.size() == 5);
  for (size_t i = 0; i < times.size(); ++i)
    CHECK(std::chrono::duration<double>(times[i]).count() ==
          doctest::Approx(0.04 * static_cast<double>(i)).epsilon(0.01));
}

TEST_CASE("a file that cannot be written is an error for whoever records, once") {
  FramePool pool(8);
  Recording recording({.path = "/nonexistent/show.mov"}, WhenFull::wait);
  recording.put(frame_of(pool, 16, 0ms), 25);
  CHECK_THROWS_AS(recording.finish(), Error);
  CHECK_NOTHROW(recording.finish());
}

TEST_CASE("nothing put: no file") {
  const TemporaryFolder folder;
  Recording recording({.path = folder.path / "show.mov"}, WhenFull::drop);
  CHECK(recording.finish().files.empty());
  CHECK(std::filesystem::is_empty(folder.path));
}
