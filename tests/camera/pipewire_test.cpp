// A camera beside PipeWire and WirePlumber in a session of the test's own, and programs that read it.
#include <memory>
#include <optional>

#include "../screen/wayland/own_desktop.h"
#include "camera_check.h"
#include "node_reader.h"
#include "stream/camera_thread.h"
#include "stream/pipewire_camera.h"
#include "texcast/error.h"

using namespace texcast;
using namespace texcast::stream;
using namespace texcast::test;

namespace {

std::unique_ptr<OwnDesktop> camera_desktop() {
  auto desktop = std::make_unique<OwnDesktop>();
  if (desktop->start_bus() && desktop->start_pipewire()) return desktop;
  MESSAGE("SKIP: there is no " << desktop->missing());
  return nullptr;
}

struct Studio {
  BlockPool pool{8};
  std::unique_ptr<Camera> camera = make_pipewire_camera("Studio");
  CameraFeed feed{*camera, "cpu-reference"};
  CameraThread thread{feed};

  FrameRef show(int width, int height, uint32_t seed) {
    FrameRef frame = rgb_frame(pool, width, height, seed);
    feed.put(frame, 30);
    return frame;
  }
};

constexpr const char* kNode = "texcast.Studio";

// Whether the reader's newest picture becomes that of the frame.
bool gets(NodeReader& reader, PixelFormat format, const FrameRef& frame, int width, int height) {
  return comes_true([&] {
    const auto picture = reader.picture();
    const FrameFormat sent{.pixel_format = format, .width = width, .height = height};
    size_t bytes = 0;
    for (int p = 0; p < plane_count(format); ++p)
      bytes += static_cast<size_t>(plane_rows(sent, p)) * static_cast<size_t>(plane_row_bytes(sent, p));
    return picture.size() == bytes && psnr_of(picture, format, width, height, *frame) > 50;
  });
}

}  // namespace

TEST_CASE("programs get the stream's pictures in the format that they ask for, and say how to read its colours") {
  const auto desktop = camera_desktop();
  if (!desktop) return;
  Studio studio;
  const FrameRef frame = studio.show(64, 48, 1);
  for (const auto& [asked, format] : {std::pair{SPA_VIDEO_FORMAT_NV12, PixelFormat::nv12},
                                      {SPA_VIDEO_FORMAT_YUY2, PixelFormat::yuyv422},
                                      {SPA_VIDEO_FORMAT_I420, PixelFormat::yuv420p},
                                      {SPA_VIDEO_FORMAT_BGRx, PixelFormat::bgra}}) {
    NodeReader reader(kNode, asked);
    REQUIRE_MESSAGE(gets(reader, format, frame, 64, 48), desktop->log());
    const spa_video_info_raw said = reader.format();
    CHECK(said.size.width == 64);
    CHECK(said.framerate.num == 30);
    if (format == PixelFormat::bgra) continue;
    CHECK(said.color_range == SPA_VIDEO_COLOR_RANGE_16_235);
    CHECK(said.color_matrix == SPA_VIDEO_COLOR_MATRIX_BT601);
  }
}

TEST_CASE("programs come and go, and a still picture is converted once for each format") {
  const auto desktop = camera_desktop();
  if (!desktop) return;
  Studio studio;
  studio.show(64, 48, 1);
  for (uint32_t i = 2; i < 50; ++i) studio.show(64, 48, i);
  FrameRef frame = studio.show(64, 48, 50);
  CHECK(studio.feed.counts().converted == 0);  // no program reads
  {
    NodeReader first(kNode, SPA_VIDEO_FORMAT_NV12);
    REQUIRE(gets(first, PixelFormat::nv12, frame, 64, 48));
    {
      NodeReader second(kNode, SPA_VIDEO_FORMAT_NV12);  // gets the picture although none is new
      REQUIRE(gets(second, PixelFormat::nv12, frame, 64, 48));
      CHECK(studio.feed.counts().converted == 1);
      frame = studio.show(64, 48, 51);
      CHECK(gets(first, PixelFormat::nv12, frame, 64, 48));
      CHECK(gets(second, PixelFormat::nv12, frame, 64, 48));
    }
    frame = studio.show(64, 48, 52);
    CHECK(gets(first, PixelFormat::nv12, frame, 64, 48));
    CHECK(studio.feed.counts().converted == 3);
    // A still picture goes on being sent, as it is.
    const int before = first.count();
    REQUIRE(first.has_more_than(before + 1, 64));
    CHECK(studio.feed.counts().converted == 3);
    CHECK(studio.feed.counts().repeated >= 2);
  }
  REQUIRE(comes_true([&] { return !studio.feed.is_watched(); }));
  frame = studio.show(64, 48, 53);
  studio.show(64, 48, 54);
  frame = studio.show(64, 48, 55);
  CHECK(studio.feed.counts().converted == 3);
  NodeReader again(kNode, SPA_VIDEO_FORMAT_NV12);
  CHECK(gets(again, PixelFormat::nv12, frame, 64, 48));
  CHECK(studio.feed.counts().converted == 4);
}

TEST_CASE("a program follows a stream that changes its size") {
  const auto desktop = camera_desktop();
  if (!desktop) return;
  Studio studio;
  NodeReader reader(kNode, SPA_VIDEO_FORMAT_YUY2);
  for (const auto& [width, height] : {std::pair{64, 48}, {160, 90}, {32, 32}, {320, 240}}) {
    const FrameRef frame = studio.show(width, height, static_cast<uint32_t>(width));
    REQUIRE_MESSAGE(gets(reader, PixelFormat::yuyv422, frame, width, height), desktop->log());
    CHECK(reader.format().size.width == static_cast<uint32_t>(width));
  }
}

TEST_CASE("without PipeWire there is no camera, and the message says what to start") {
  const OwnDesktop nothing_runs;
  std::string why;
  try {
    make_pipewire_camera("Studio");
  } catch (const Error& error) {
    why = error.what();
  }
  CHECK_MESSAGE(why.find("PipeWire is not running") != std::string::npos, why);
  CHECK_MESSAGE(why.find("wireplumber") != std::string::npos, why);
}

TEST_CASE("the end of PipeWire ends the camera, with one line") {
  const auto desktop = camera_desktop();
  if (!desktop) return;
  Studio studio;
  studio.show(64, 48, 1);
  desktop->end("pipewire");
  CHECK(comes_true([&] { return !studio.camera->ended().empty(); }));
  CHECK(studio.camera->ended().find("PipeWire has ended") == 0);
}
