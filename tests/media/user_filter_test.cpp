// Filters of the user (--vf), and sources that end after a time. The reference is the ffmpeg program with the same
// filters.
#include <string>
#include <vector>

#include "media/frame_source.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

struct Read {
  std::vector<nanoseconds> times;
  std::string pixels;  // RGB, one frame after the other
  int width = 0, height = 0;
  double fps = 0;
};

Read read(const media::SourceSettings& settings) {
  const auto source = media::open_source(settings);
  Read all;
  all.width = source->format().width;
  all.height = source->format().height;
  all.fps = source->fps();
  while (const auto frame = source->next()) {
    CHECK(frame->view.format == source->format());
    all.times.push_back(frame->times.pts);
    all.pixels += packed_planes(frame->view);
  }
  return all;
}

}  // namespace

TEST_CASE("filters give the frames that ffmpeg gives with them") {
  const Scratch scratch;
  const std::string file = scratch / "in.mkv";
  output_of("ffmpeg -v error -f lavfi -i testsrc2=s=128x96:r=25:d=2 -c:v ffv1 -pix_fmt yuv420p " + quoted(file));
  struct Case {
    const char* graph;
    int width, height;
    double fps;
  };
  for (const Case& one : {Case{"crop=64:48,eq=brightness=0.1", 64, 48, 25},
                          {"scale=256:-2:flags=neighbor", 256, 192, 25},
                          {"fps=30", 128, 96, 30},
                          {"fps=10", 128, 96, 10},
                          {"hflip", 128, 96, 25},
                          {"select='not(mod(n,2))',setpts=N/25/TB", 128, 96, 25}}) {
    CAPTURE(std::string(one.graph));
    const Read got = read({.input = file, .filters = one.graph});
    const std::string want = output_of("ffmpeg -v error -i " + quoted(file) + " -vf \"" + one.graph +
                                       "\" -fps_mode passthrough -pix_fmt yuv420p -f rawvideo -");
    CHECK(got.width == one.width);
    CHECK(got.height == one.height);
    CHECK(got.fps == one.fps);
    CHECK(got.pixels == want);
    for (size_t i = 0; i < got.times.size(); ++i)
      CHECK(std::abs(in_seconds(got.times[i]) - static_cast<double>(i) / one.fps) < 0.001);
  }
  CHECK(read({.input = file, .start = 1s, .filters = "fps=50"}).times.size() == 50);
}

TEST_CASE("filters are applied to pictures, graphs of FFmpeg and loops") {
  const auto image = media::open_source({.input = kData + "/kodim23_256x192.png", .filters = "scale=64:48,hflip"});
  CHECK(image->format().width == 64);
  CHECK(image->next());
  CHECK_FALSE(image->next());
  CHECK(read({.input = "lavfi:testsrc2=s=64x48:r=25:d=1", .filters = "fps=50"}).times.size() == 50);
  const Scratch scratch;
  output_of("ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v ffv1 " + quoted(scratch / "in.mkv"));
  const Read looped = read({.input = scratch / "in.mkv", .loop = true, .filters = "fps=50", .duration = 2500ms});
  CHECK(looped.times.size() == 125);
  CHECK(std::abs(in_seconds(looped.times.back()) - 2.48) < 0.002);
}

TEST_CASE("filters that FFmpeg does not take are errors of usage, with its reason") {
  const std::string input = "lavfi:testsrc2=s=64x48:r=25:d=1";
  for (const auto& wrong : {std::pair{"nosuch", "No such filter: 'nosuch'"},
                            {"crop=640:480", "Invalid too big"},
                            {"scale=abc", "Invalid size 'abc'"},
                            {"split[a][b]", "not connected"},
                            {"volume=2", "Media type mismatch"}}) {
    const std::string graph = wrong.first;
    CAPTURE(graph);
    const Error error = error_of([&] { media::open_source({.input = input, .filters = graph}); });
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(says(error, "--vf '" + graph + "'"));
    CHECK(says(error, wrong.second));
  }
}

TEST_CASE("a source ends after its time, and tells how many frames that is") {
  const auto card = media::open_source({.input = "test", .fps = 60, .width = 64, .height = 64, .duration = 1s});
  CHECK(card->frame_count() == 60);
  size_t frames = 0;
  while (card->next()) ++frames;
  CHECK(frames == 60);
  CHECK_FALSE(card->next());
  CHECK(read({.input = "lavfi:testsrc2=s=64x48:r=30000/1001:d=3", .duration = 1s}).times.size() == 30);
  CHECK(read({.input = "lavfi:testsrc2=s=64x48:r=25:d=1", .duration = 1h}).times.size() == 25);
}
