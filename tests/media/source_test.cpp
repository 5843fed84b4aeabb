// Files, images, graphs: the number of frames, their times, starting in the middle, and looping.
#include <cstdlib>

#include "file_source.h"
#include "media/frame_source.h"
#include "media/test_card.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

std::string pixels_of(const FrameView& frame) {
  DecodedImage image;
  convert_to_rgb(frame, image);
  return {image.pixels.begin(), image.pixels.end()};
}

std::vector<nanoseconds> all_times(media::FrameSource& source, size_t limit = 1000) {
  std::vector<nanoseconds> times;
  while (times.size() < limit) {
    const auto frame = source.next();
    if (!frame) break;
    CHECK(frame->view.format == source.format());
    times.push_back(frame->times.pts);
  }
  return times;
}

// A clip whose frame i has gray level 10 * i everywhere, so that frames can be distinguished.
std::string make_steps(const Scratch& scratch, const std::string& name, int frames = 12, int rate = 10) {
  output_of("ffmpeg -v error -y -f lavfi -i 'color=black:size=32x32:rate=" + std::to_string(rate) +
            ":duration=" + std::to_string(static_cast<double>(frames) / rate) +
            ",format=gray,geq=lum=10*N,format=yuv420p' -c:v libx264 -crf 4 -g 5 " + quoted(scratch / name));
  return scratch / name;
}

int step_of(const FrameView& frame) {
  return (std::to_integer<int>(frame.planes[0].data[8 * frame.planes[0].stride_bytes + 8]) - 16 + 4) * 255 / 219 / 10;
}

std::vector<int> all_steps(media::FrameSource& source, size_t limit = 1000) {
  std::vector<int> steps;
  while (steps.size() < limit) {
    const auto frame = source.next();
    if (!frame) break;
    steps.push_back(step_of(frame->view));
  }
  return steps;
}

}  // namespace

TEST_CASE("the repository's clip: size, rate, every frame, times from 0") {
  const auto source = media::open_source({.input = kData + "/clip.mp4"});
  CHECK(source->format() == FrameFormat{PixelFormat::yuv420p, 854, 480, {ColorMatrix::bt601, ColorRange::limited}});
  CHECK(source->fps() == doctest::Approx(24));
  CHECK(source->frame_count() == 240);
  CHECK(!source->is_image());
  CHECK(!source->is_live());
  const auto times = all_times(*source);
  REQUIRE(times.size() == 240);
  for (size_t i = 0; i < times.size(); ++i)
    CHECK(static_cast<double>(times[i].count()) * 24e-9 == doctest::Approx(static_cast<double>(i)).epsilon(1e-4));
  CHECK(source->damaged_frames() == 0);
  CHECK(!source->next());  // the end remains the end
}

TEST_CASE("an image is one frame, and in a loop the same frame over and over") {
  for (const char* name : {"/kodim23_256x192.png", "/kodim05_127x95.png"}) {
    const auto source = media::open_source({.input = kData + name});
    CHECK(source->is_image());
    CHECK(source->fps() == 0);
    CHECK(source->frame_count() == 1);
    CHECK(source->format().pixel_format == PixelFormat::rgb24);
    CHECK(source->format().color.range == ColorRange::full);
    CHECK(all_times(*source).size() == 1);
  }
  const std::string path = kData + "/kodim23_256x192.png";
  const auto source = media::open_source({.input = path});
  CHECK(pixels_of(source->next()->view) ==
        output_of("ffmpeg -v error -i " + quoted(path) + " -f rawvideo -pix_fmt rgb24 -"));
  const auto looped = media::open_source({.input = path, .loop = true, .fps = 50});
  CHECK(all_times(*looped, 4) == std::vector<nanoseconds>{0ms, 20ms, 40ms, 60ms});
  CHECK(looped->fps() == 50);
}

TEST_CASE("other image formats") {
  const Scratch scratch;
  for (const char* name : {"x.jpg", "x.bmp", "x.tiff", "x.ppm", "x.webp"}) {
    CAPTURE(std::string(name));
    output_of("ffmpeg -v error -y -i " + quoted(kData + "/kodim05_127x95.png") + " -update 1 " +
              quoted(scratch / name));
    const auto source = media::open_source({.input = scratch / name});
    CHECK(source->is_image());
    CHECK(source->format().width == 127);
    CHECK(all_times(*source).size() == 1);
  }
  output_of("ffmpeg -v error -y -i " + quoted(kData + "/clip.mp4") + " -frames:v 5 " + quoted(scratch / "f%03d.png"));
  const auto sequence = media::open_source({.input = scratch / "f%03d.png"});
  CHECK(!sequence->is_image());
  CHECK(all_times(*sequence).size() == 5);
}

TEST_CASE("start skips to the frame that is displayed at that time, wherever the key frames are") {
  const Scratch scratch;
  const std::string path = make_steps(scratch, "steps.mp4");
  for (const int start : {0, 1, 4, 5, 7, 11}) {
    const auto source = media::open_source({.input = path, .start = start * 100ms});
    const auto frame = source->next();
    REQUIRE(frame.has_value());
    CHECK(step_of(frame->view) == start);
    CHECK(frame->times.pts == 0ns);
  }
  const Error past = error_of([&] { media::open_source({.input = path, .start = 1h}); });
  CHECK(past.kind() == ErrorKind::input);
  CHECK_MESSAGE(says(past, "no frame at or after 3600"), std::string(past.what()));
}

TEST_CASE("a loop starts over, with times that go on rising by one period") {
  const Scratch scratch;
  const std::string path = make_steps(scratch, "steps.mp4", 5);
  const auto source = media::open_source({.input = path, .loop = true});
  CHECK(all_steps(*source, 13) == std::vector<int>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2});
  const auto again = media::open_source({.input = path, .loop = true, .start = 300ms});
  CHECK(all_steps(*again, 5) == std::vector<int>{3, 4, 3, 4, 3});
  const auto timed = media::open_source({.input = path, .loop = true});
  const auto times = all_times(*timed, 12);
  for (size_t i = 0; i < times.size(); ++i) CHECK(times[i] == i * 100ms);
  // Graphs cannot seek, and are opened again.
  const auto graph = media::open_source({.input = "lavfi:testsrc2=size=32x32:rate=10:duration=0.3", .loop = true});
  CHECK(all_times(*graph, 8).size() == 8);
}

TEST_CASE("frames are dropped or repeated to reach the requested rate") {
  const Scratch scratch;
  const std::string path = make_steps(scratch, "steps.mp4", 6);
  const auto doubled = media::open_source({.input = path, .fps = 20});
  CHECK(doubled->fps() == 20);
  CHECK(all_steps(*doubled) == std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
  const auto halved = media::open_source({.input = path, .fps = 5});
  CHECK(all_steps(*halved).size() == 3);
  const auto timed = media::open_source({.input = path, .fps = 25});
  const auto times = all_times(*timed);
  CHECK(times.size() == 15);
  for (size_t i = 0; i < times.size(); ++i) CHECK(times[i] == i * 40ms);
  const auto looped = media::open_source({.input = path, .loop = true, .fps = 10});
  CHECK(all_steps(*looped, 8) == std::vector<int>{0, 1, 2, 3, 4, 5, 0, 1});
}

TEST_CASE("RateKeeper: each frame fills the slots that round to it, and every slot is filled once") {
  for (const double in : {10.0, 24.0, 29.97, 60.0, 240.0})
    for (const double out : {1.0, 24.0, 25.0, 59.94, 60.0}) {
      media::RateKeeper keeper(out);
      int64_t sent = 0;
      for (int i = 0; i < 1000; ++i)
        while (keeper.due_before(nanoseconds(std::llround((i + 1) * 1e9 / in)))) {
          CHECK(keeper.take() == nanoseconds(std::llround(static_cast<double>(sent) * 1e9 / out)));
          ++sent;
        }
      CHECK(std::abs(static_cast<double>(sent) - 1000 / in * out) <= 1);
    }
}

TEST_CASE("sound is ignored, and a file name that looks like a protocol is a file") {
  const Scratch scratch;
  const std::string path = scratch / "12:30.mkv";
  output_of(
      "ffmpeg -v error -y -f lavfi -i sine=duration=0.5 -f lavfi -i testsrc2=size=32x32:rate=10:duration=0.5 "
      "-c:v libx264 -c:a pcm_s16le -map 0 -map 1 " +
      quoted("file:" + path));
  CHECK(all_times(*media::open_source({.input = path})).size() == 5);
  const auto explicit_demuxer = media::open_source({.input = "matroska::" + path});
  CHECK(all_times(*explicit_demuxer).size() == 5);
}

TEST_CASE("damaged frames are skipped and counted, and the others are read") {
  const Scratch scratch;
  output_of("ffmpeg -v error -y -f lavfi -i testsrc2=size=64x64:rate=10:duration=1 -c:v png " +
            quoted(scratch / "p.mov"));
  std::string bytes = read_file(scratch / "p.mov");
  size_t at = 0;
  for (int i = 0; i < 4; ++i) at = bytes.find("\x89PNG", at + 1);
  REQUIRE(at != std::string::npos);
  bytes.replace(at, 4, "XXXX");
  write_file(scratch / "damaged.mov", bytes);
  const auto source = media::open_source({.input = scratch / "damaged.mov"});
  CHECK(all_times(*source).size() == 9);
  CHECK(source->damaged_frames() == 1);
}
