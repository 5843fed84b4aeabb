// The system calls on v4l2loopback's device, without the kernel module.
#include <linux/videodev2.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>

#include "../check_error.h"
#include "../patience.h"
#include "camera_check.h"
#include "stream/camera_feed.h"
#include "stream/v4l2_camera.h"

using namespace texcast;
using namespace texcast::stream;
using namespace texcast::test;

namespace {

// A loopback device that takes some pixel formats.
class FakeLoopback final : public V4l2System {
 public:
  int open(const std::string&) override { return 7; }
  int control(int, unsigned long request, void* argument) override {
    switch (request) {
      case VIDIOC_QUERYCAP: {
        auto& capability = *static_cast<v4l2_capability*>(argument);
        capability.capabilities = V4L2_CAP_DEVICE_CAPS;
        capability.device_caps = capabilities;
        return 0;
      }
      case VIDIOC_SUBSCRIBE_EVENT: return says_who_looks ? 0 : refused(ENOTTY);
      case VIDIOC_S_FMT: return set_format(*static_cast<v4l2_format*>(argument));
      case VIDIOC_S_PARM: {
        const v4l2_fract time = static_cast<v4l2_streamparm*>(argument)->parm.output.timeperframe;
        fps = static_cast<double>(time.denominator) / time.numerator;
        return 0;
      }
      case VIDIOC_DQEVENT: {
        auto& event = *static_cast<v4l2_event*>(argument);
        event.type = 0x10E00001;
        const uint32_t count = readers_;
        std::memcpy(event.u.data, &count, sizeof count);
        return 0;
      }
      default: return refused(EINVAL);
    }
  }
  std::ptrdiff_t write(int, Bytes bytes) override {
    if (is_gone) return refused(ENODEV);
    const auto* first = reinterpret_cast<const uint8_t*>(bytes.data());
    written.assign(first, first + bytes.size());
    ++writes;
    return static_cast<std::ptrdiff_t>(bytes.size());
  }
  bool wait_for_event(int, int stop_fd) override {
    std::unique_lock lock(mutex_);
    (void)stop_fd;
    changed_.wait(lock, [this] { return has_event_ || stops_; });
    return std::exchange(has_event_, false);
  }
  void close(int) override { is_closed = true; }

  void set_readers(uint32_t readers) {
    const std::lock_guard lock(mutex_);
    readers_ = readers;
    has_event_ = true;
    changed_.notify_all();
  }
  void end_waits() {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    changed_.notify_all();
  }

  uint32_t capabilities = V4L2_CAP_VIDEO_OUTPUT;
  bool says_who_looks = false, is_gone = false, is_closed = false;
  uint32_t taken_format = V4L2_PIX_FMT_YUYV;
  v4l2_pix_format format{};
  double fps = 0;
  std::vector<uint8_t> written;
  int writes = 0;

 private:
  static int refused(int why) {
    errno = why;
    return -1;
  }
  int set_format(v4l2_format& wish) {
    if (wish.type != V4L2_BUF_TYPE_VIDEO_OUTPUT) return refused(EINVAL);
    if (wish.fmt.pix.pixelformat != taken_format) wish.fmt.pix.pixelformat = taken_format;  // as drivers do
    format = wish.fmt.pix;
    return 0;
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<uint32_t> readers_ = 0;
  bool has_event_ = false, stops_ = false;
};

}  // namespace

TEST_CASE("pictures are written to a loopback device in a format that it takes") {
  for (const auto& [fourcc, pixels] : {std::pair{V4L2_PIX_FMT_YUYV, PixelFormat::yuyv422},
                                       {V4L2_PIX_FMT_NV12, PixelFormat::nv12},
                                       {V4L2_PIX_FMT_YUV420, PixelFormat::yuv420p},
                                       {V4L2_PIX_FMT_XBGR32, PixelFormat::bgra}}) {
    FakeLoopback loopback;
    loopback.taken_format = fourcc;
    BlockPool pool(4);
    const auto camera = make_v4l2_camera("/dev/video7", loopback);
    CameraFeed feed(*camera, "cpu-reference");
    const FrameRef frame = rgb_frame(pool, 65, 48, 1);
    feed.put(frame, 29.97);
    feed.step(SteadyTime(std::chrono::hours(1)));
    CHECK(loopback.format.width == 64);
    CHECK(loopback.format.height == 48);
    CHECK(loopback.format.bytesperline * (pixels == PixelFormat::nv12 || pixels == PixelFormat::yuv420p ? 72u : 48u) ==
          loopback.format.sizeimage);
    CHECK(loopback.fps == doctest::Approx(29.97));
    CHECK(loopback.written.size() == loopback.format.sizeimage);
    CHECK(psnr_of(loopback.written, pixels, 64, 48, *frame) > 50);
  }
}

TEST_CASE("a loopback device that says who looks gets the first picture, and then only those that somebody reads") {
  FakeLoopback loopback;
  loopback.says_who_looks = true;
  BlockPool pool(4);
  const auto camera = make_v4l2_camera("/dev/video7", loopback);
  CameraFeed feed(*camera, "cpu-reference");
  SteadyTime now(std::chrono::hours(1));
  const auto show = [&](uint32_t seed) {
    feed.put(rgb_frame(pool, 64, 48, seed), 30);
    feed.step(now += std::chrono::seconds(1));
  };
  show(1);
  show(2);
  show(3);
  CHECK(loopback.writes == 1);
  CHECK(feed.counts().converted == 1);
  loopback.set_readers(1);
  while (camera->joined() == 0) feed.wait_until(steady_now() + kPatience);
  show(4);
  CHECK(loopback.writes == 2);
  loopback.set_readers(0);
  while (camera->wanted()) feed.wait_until(steady_now() + std::chrono::milliseconds(10));
  show(5);
  CHECK(loopback.writes == 2);
  loopback.end_waits();
}

TEST_CASE("what is no loopback device is refused with what to install") {
  const auto message = [](const std::string& path, V4l2System& system) {
    try {
      make_v4l2_camera(path, system);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::input);
      return std::string(error.what());
    }
    return std::string();
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  for (const char* path : {"/dev/video-that-is-not-there", "/dev/null"}) {
    const std::string why = message(path, real_v4l2_system());
    CHECK_MESSAGE(has(why, "v4l2loopback-dkms"), why);
    CHECK_MESSAGE(has(why, path), why);
  }
  FakeLoopback webcam;
  webcam.capabilities = V4L2_CAP_VIDEO_CAPTURE;
  const std::string why = message("/dev/video0", webcam);
  CHECK_MESSAGE(has(why, "a camera of its own"), why);
  CHECK(webcam.is_closed);
}

TEST_CASE("a loopback device that goes ends the camera") {
  FakeLoopback loopback;
  BlockPool pool(2);
  const auto camera = make_v4l2_camera("/dev/video7", loopback);
  CameraFeed feed(*camera, "cpu-reference");
  loopback.is_gone = true;
  feed.put(rgb_frame(pool, 64, 48, 1), 30);
  feed.step(SteadyTime(std::chrono::hours(1)));
  CHECK(camera->ended().find("/dev/video7 does not take pictures any more") == 0);
}
