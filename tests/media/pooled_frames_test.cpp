// Sources that decode into an encoder's pool: the same pictures as without it, in the pool if they fit, and never
// overwritten while somebody reads them.
#include <deque>
#include <utility>

#include "capture_bound.h"
#include "media/frame_source.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;

namespace {

// Reads as an encoder does: keeps shares in the last few frames, and checks each when it releases it.
class Reader {
 public:
  explicit Reader(std::shared_ptr<FramePool> pool) : pool_(std::move(pool)) {}
  void submit(const FrameView& view) {
    FrameLease lease = pool_->share(view);
    if (lease) {
      ++in_pool_;
      held_.emplace_back(std::move(lease), packed_planes(view));
    }
    while (held_.size() > kInFlight) let_go();
  }
  int in_pool() const { return in_pool_; }
  ~Reader() {
    while (!held_.empty()) let_go();
  }

 private:
  static constexpr size_t kInFlight = 4;
  void let_go() {
    CHECK((packed_planes(held_.front().first.view()) == held_.front().second));
    held_.pop_front();
  }
  std::shared_ptr<FramePool> pool_;
  std::deque<std::pair<FrameLease, std::string>> held_;
  int in_pool_ = 0;
};

struct Run {
  int frames = 0;
  int in_pool = 0;
};

// Compares every frame with the same frame without the pool.
Run compare(const media::SourceSettings& settings, size_t most_frames, int limit = 1000) {
  const auto plain = media::open_source(settings), pooled = media::open_source(settings);
  const auto pool = FramePool::create(pooled->format(), most_frames);
  pooled->decode_into(pool);
  Reader reader(pool);
  Run run;
  for (; run.frames < limit; ++run.frames) {
    const auto want = plain->next(), got = pooled->next();
    REQUIRE(want.has_value() == got.has_value());
    if (!want) break;
    CHECK(got->times.pts == want->times.pts);
    REQUIRE((packed_planes(got->view) == packed_planes(want->view)));
    reader.submit(got->view);
  }
  run.in_pool = reader.in_pool();
  CHECK(pool->frames() <= most_frames);
  return run;
}

std::string encoded(const Scratch& scratch, const std::string& name, const std::string& options,
                    const std::string& size = "126x92") {
  output_of("ffmpeg -v error -y -f lavfi -i testsrc2=size=" + size + ":rate=25:duration=1.2 " + options + " " +
            quoted(scratch / name));
  return scratch / name;
}

}  // namespace

TEST_CASE("frames of the repository's clip are in the pool except the first ones, and are the same") {
  const Run run = compare({.input = kData + "/clip.mp4"}, 64);
  CHECK(run.frames == 240);
  CHECK(run.in_pool >= 200);  // frames that were decoded before the pool existed are not: one per thread and a few
}

TEST_CASE("output of decoders of all kinds, written directly into the pool") {
  const Scratch scratch;
  const std::pair<const char*, const char*> kCodecs[] = {
      {"h264.mp4", "-c:v libx264 -bf 3 -refs 8 -pix_fmt yuv420p"},
      {"interlaced.mp4", "-c:v libx264 -flags +ildct+ilme -x264opts tff=1 -pix_fmt yuv420p"},
      {"h264_444.mp4", "-c:v libx264 -pix_fmt yuv444p"},
      {"nv12.nut", "-c:v rawvideo -pix_fmt nv12"},
      {"ten.mp4", "-c:v libx264 -pix_fmt yuv420p10le"},
      {"hevc.mp4", "-c:v libx265 -preset ultrafast -x265-params log-level=error -pix_fmt yuv420p"},
      {"vp9.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -pix_fmt yuv420p"},
      {"mpeg2.mpg", "-c:v mpeg2video -bf 2 -pix_fmt yuv422p"},
      {"mpeg4.mp4", "-c:v mpeg4 -bf 2 -flags +qpel"},
      {"mjpeg.avi", "-c:v mjpeg -pix_fmt yuvj420p"},
      {"ffv1.mkv", "-c:v ffv1 -pix_fmt gray"},
      {"runs.mov", "-c:v qtrle -pix_fmt rgb24"},
      {"png.mov", "-c:v png -pix_fmt rgba"},
      {"huffyuv.avi", "-c:v huffyuv -pix_fmt yuv422p"},
  };
  for (const auto& [name, options] : kCodecs) {
    CAPTURE_BOUND(std::string(name));
    const std::string path = encoded(scratch, name, options);
    // Deinterlaced frames are in the filter's memory.
    const Run run = compare({.input = path, .picture = {.deinterlace = media::Deinterlace::off}}, 64);
    CHECK(run.frames == 30);
    // Raw frames are the packets themselves, and run-length coding continues to write to its first frame.
    const bool lies_elsewhere = std::string(name) == "nv12.nut" || std::string(name) == "runs.mov";
    CHECK((run.in_pool > 10) == !lies_elsewhere);
  }
}

TEST_CASE("sizes that are not a multiple of a macroblock") {
  const Scratch scratch;
  for (const char* size : {"16x16", "18x34", "130x98", "1366x40", "66x258"}) {
    CAPTURE(std::string(size));
    const std::string path = encoded(scratch, "a.mp4", "-c:v libx264 -pix_fmt yuv420p", size);
    CHECK(compare({.input = path}, 64).in_pool > 10);
  }
}

TEST_CASE("a pool that is too small for the decoder, or used up by others, costs copies, not frames") {
  for (const size_t most : {size_t{0}, size_t{1}, size_t{3}, size_t{7}}) {
    const Run run = compare({.input = kData + "/clip.mp4"}, most, 60);
    CHECK(run.frames == 60);
    CHECK(run.in_pool < 60);
  }
  const auto source = media::open_source({.input = kData + "/clip.mp4"});
  const auto pool = FramePool::create(source->format(), 5);
  std::deque<FrameLease> kept;
  while (FrameLease lease = pool->lend()) kept.push_back(std::move(lease));
  source->decode_into(pool);
  for (int i = 0; i < 50; ++i) {
    const auto frame = source->next();
    REQUIRE(frame);
    CHECK(!pool->share(frame->view));
  }
}

TEST_CASE("with a start time, in a loop, and at another rate") {
  const Scratch scratch;
  const std::string path = encoded(scratch, "a.mp4", "-c:v libx264 -g 10 -pix_fmt yuv420p");
  CHECK(compare({.input = path, .start = nanoseconds(500'000'000)}, 64).frames > 10);
  CHECK(compare({.input = path, .loop = true}, 64, 100).in_pool > 80);
  CHECK(compare({.input = path, .fps = 50}, 64).frames == 60);
  const std::string runs = encoded(scratch, "runs.mov", "-c:v qtrle -pix_fmt rgb24");
  CHECK(compare({.input = runs, .loop = true}, 64, 100).frames == 100);
}

TEST_CASE("output of swscale is written into the pool") {
  const Run run = compare({.input = "lavfi:testsrc2=size=126x94:rate=25:duration=0.8,format=gbrp"}, 8);
  CHECK(run.frames == 20);
  CHECK(run.in_pool == 20);
}

TEST_CASE("the test card is drawn into the pool") {
  for (const auto& [width, height] : {std::pair{16, 16}, std::pair{17, 31}, std::pair{320, 180}}) {
    const Run run = compare({.input = "test", .width = width, .height = height}, 64, 30);
    CHECK(run.in_pool == 30);
    CHECK(compare({.input = "test", .width = width, .height = height}, 2, 30).in_pool >= 2);
  }
}

TEST_CASE("a pool of another format is not used") {
  const auto source = media::open_source({.input = kData + "/clip.mp4"});
  FrameFormat other = source->format();
  other.color.range = ColorRange::full;
  const auto pool = FramePool::create(other, 8);
  source->decode_into(pool);
  for (int i = 0; i < 20; ++i) REQUIRE(source->next());
  CHECK(pool->frames() == 0);
  source->decode_into(nullptr);
  CHECK(source->next());
}

TEST_CASE("frames outlive their source") {
  FrameLease lease;
  std::string bytes;
  {
    const auto source = media::open_source({.input = kData + "/clip.mp4"});
    const auto pool = FramePool::create(source->format(), 64);
    source->decode_into(pool);
    for (int i = 0; i < 40 && !lease; ++i) {
      const auto frame = source->next();
      lease = pool->share(frame->view);
      bytes = packed_planes(frame->view);
    }
  }
  REQUIRE(lease);
  CHECK((packed_planes(lease.view()) == bytes));
}
