// When a camera's pictures are converted and sent, in simulated time.
#include <string>

#include "camera_check.h"
#include "frames/from_rgb.h"
#include "stream/camera_feed.h"

using namespace texcast;
using namespace texcast::stream;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

class FakeCamera final : public Camera {
 public:
  void notify(std::function<void()> changed) override { changed_ = std::move(changed); }
  bool offer(const CameraOffer& offer) override {
    offers.push_back(offer);
    return takes_offers;
  }
  std::optional<CameraFormat> wanted() override { return format; }
  uint64_t joined() override { return joins; }
  bool send(const CameraFormat&, Bytes picture, uint64_t version) override {
    if (!takes) return false;
    const auto* bytes = reinterpret_cast<const uint8_t*>(picture.data());
    sent.emplace_back(bytes, bytes + picture.size());
    versions.push_back(version);
    return true;
  }
  std::string ended() override { return {}; }

  // A program reads what was offered last.
  void begin_reading(PixelFormat pixels = PixelFormat::nv12, double fps = 0) {
    format = CameraFormat{.picture = camera_picture(offers.back(), pixels), .fps = fps};
  }

  std::vector<CameraOffer> offers;
  std::optional<CameraFormat> format;
  uint64_t joins = 0;
  bool takes_offers = true, takes = true;
  std::vector<std::vector<uint8_t>> sent;
  std::vector<uint64_t> versions;

 private:
  std::function<void()> changed_;
};

struct Watched {
  BlockPool pool{8};
  FakeCamera camera;
  CameraFeed feed{camera, "cpu-reference"};
  SteadyTime now = SteadyTime(1h);

  SteadyTime show(uint32_t seed, int width = 64, int height = 48) {
    feed.put(rgb_frame(pool, width, height, seed), 60);
    return step();
  }
  SteadyTime step() { return feed.step(now); }
};

}  // namespace

TEST_CASE("nothing is converted while no program reads, and a program that comes gets the newest picture") {
  Watched w;
  CHECK(w.step() == SteadyTime::max());
  for (uint32_t i = 0; i < 20; ++i) CHECK(w.show(i) == SteadyTime::max());
  CHECK(w.camera.offers == std::vector<CameraOffer>{{.width = 64, .height = 48, .fps = 60}});
  CHECK_FALSE(w.feed.is_watched());
  CHECK(w.feed.counts().converted == 0);
  CHECK(w.feed.counts().unwatched == 20);
  CHECK(w.camera.sent.empty());

  w.camera.begin_reading();
  w.step();
  CHECK(w.feed.is_watched());
  REQUIRE(w.camera.sent.size() == 1);
  const FrameRef newest = rgb_frame(w.pool, 64, 48, 19);
  CHECK(psnr_of(w.camera.sent[0], PixelFormat::nv12, 64, 48, *newest) > 50);

  w.camera.format.reset();
  CHECK(w.show(20) == SteadyTime::max());
  CHECK_FALSE(w.feed.is_watched());
  CHECK(w.feed.counts().converted == 1);
}

TEST_CASE("an unchanged picture is not converted again, but sent twice a second and to those who join") {
  Watched w;
  w.camera.format = CameraFormat{.picture = camera_picture({.width = 64, .height = 48}, PixelFormat::yuyv422)};
  w.show(1);
  REQUIRE(w.camera.sent.size() == 1);
  for (int i = 0; i < 25; ++i) {  // another frame with the same content every 20 ms
    w.now += 20ms;
    w.show(1);
  }
  CHECK(w.feed.counts().converted == 1);
  CHECK(w.feed.counts().unchanged == 25);
  CHECK(w.camera.sent.size() == 2);  // half a second later
  CHECK(w.camera.versions == std::vector<uint64_t>{1, 1});
  CHECK(w.feed.counts().repeated == 1);
  CHECK(w.step() == w.now + 500ms);

  ++w.camera.joins;
  w.now += 1ms;
  w.step();
  CHECK(w.camera.sent.size() == 3);
  CHECK(w.step() == w.now + 500ms);
  CHECK(w.feed.counts().converted == 1);
  CHECK(w.camera.sent[2] == w.camera.sent[0]);

  w.now += 1ms;
  w.show(2);
  CHECK(w.feed.counts().converted == 2);
  CHECK(w.camera.versions.back() == 2);
}

TEST_CASE("frames of one sequence say by themselves whether they changed") {
  Watched w;
  w.camera.format = CameraFormat{.picture = camera_picture({.width = 64, .height = 48}, PixelFormat::nv12)};
  const uint64_t sequence = new_sequence();
  const auto show = [&](uint32_t seed, uint64_t number, uint64_t changed) {
    const FrameRef frame = rgb_frame(w.pool, 64, 48, seed);
    const std::array<uint64_t, 2> rows{changed, 0};
    frame->tell_changes({.sequence = sequence, .number = number, .changed_in = rows});
    w.feed.put(frame, 60);
    w.step();
  };
  show(1, 1, 1);
  show(1, 2, 1);
  CHECK(w.feed.counts().converted == 1);
  show(2, 3, 3);
  CHECK(w.feed.counts().converted == 2);
  show(2, 4, 3);
  CHECK(w.feed.counts().converted == 2);
}

TEST_CASE("a program that wants fewer pictures a second gets those, and the newest at last") {
  Watched w;
  w.camera.format = CameraFormat{.picture = camera_picture({.width = 64, .height = 48}, PixelFormat::nv12), .fps = 15};
  SteadyTime next{};
  for (uint32_t i = 0; i < 60; ++i) {  // one second at 60
    next = w.show(i);
    w.now += 16667us;
  }
  CHECK(w.camera.sent.size() >= 15);
  CHECK(w.camera.sent.size() <= 17);
  const size_t before = w.camera.sent.size();
  w.now = next;  // no frame comes any more
  w.step();
  CHECK(w.camera.sent.size() == before + 1);
  const FrameRef newest = rgb_frame(w.pool, 64, 48, 59);
  CHECK(psnr_of(w.camera.sent.back(), PixelFormat::nv12, 64, 48, *newest) > 50);
  // The stream's own rate drops nothing, however irregularly frames come.
  w.camera.format->fps = 60;
  for (uint32_t i = 0; i < 10; ++i) w.show(100 + i);
  CHECK(w.camera.sent.size() == before + 11);
}

TEST_CASE("a picture that no buffer takes is sent later, without converting it again") {
  Watched w;
  w.camera.format = CameraFormat{.picture = camera_picture({.width = 64, .height = 48}, PixelFormat::nv12)};
  w.camera.takes = false;
  const SteadyTime retry = w.show(1);
  CHECK(retry > w.now);
  CHECK(retry < w.now + 100ms);
  w.now = retry;
  w.camera.takes = true;
  w.step();
  CHECK(w.camera.sent.size() == 1);
  CHECK(w.feed.counts().converted == 1);
  CHECK(w.feed.counts().repeated == 0);
}

TEST_CASE("another size is offered, and pictures of the old one are not sent any more") {
  Watched w;
  w.show(1);
  w.camera.begin_reading();
  w.step();
  w.show(2, 35, 27);  // rounded down
  REQUIRE(w.camera.offers.size() == 2);
  CHECK(w.camera.offers[1].width == 32);
  CHECK(w.camera.offers[1].height == 26);
  CHECK(w.camera.sent.size() == 1);  // the old format is larger than the picture
  w.camera.begin_reading(PixelFormat::bgra);
  w.step();
  REQUIRE(w.camera.sent.size() == 2);
  const FrameRef frame = rgb_frame(w.pool, 35, 27, 2);
  CHECK(psnr_of(w.camera.sent[1], PixelFormat::bgra, 32, 26, *frame) > 90);
  w.show(3, 3, 9);  // too small for any
  CHECK(w.camera.offers.size() == 2);
}

TEST_CASE("after a pause of the decoder the old picture is shown only if no newer one comes") {
  Watched w;
  w.show(1);
  w.feed.mark_stale();
  w.camera.begin_reading();
  CHECK(w.step() == w.now + CameraFeed::kFreshWait);
  CHECK(w.camera.sent.empty());
  w.now += 100ms;
  w.show(2);
  REQUIRE(w.camera.sent.size() == 1);
  w.camera.format.reset();
  w.step();
  w.feed.mark_stale();
  CHECK(w.feed.counts().undecoded == 2);
  w.camera.begin_reading();
  w.step();
  CHECK(w.camera.sent.size() == 1);
  w.now += CameraFeed::kFreshWait;
  w.step();
  CHECK(w.camera.sent.size() == 2);
}

TEST_CASE("a size that a camera cannot take at present is offered twice a second until it can") {
  Watched watched;
  watched.camera.takes_offers = false;
  CHECK(watched.show(1) == watched.now + 500ms);
  watched.now += 499ms;
  watched.step();
  CHECK(watched.camera.offers.size() == 1);
  watched.now += 1ms;
  watched.camera.takes_offers = true;
  CHECK(watched.step() == SteadyTime::max());
  CHECK(watched.camera.offers.size() == 2);
  watched.now += 1h;
  watched.show(2);
  CHECK(watched.camera.offers.size() == 2);
  CHECK(watched.camera.offers.front() == watched.camera.offers.back());
}
