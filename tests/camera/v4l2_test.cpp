// The system calls on v4l2loopback's device, without the kernel module.
#include <linux/videodev2.h>
#include <poll.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

#include "../check_error.h"
#include "../patience.h"
#include "base/wake_event.h"
#include "camera_check.h"
#include "stream/camera_feed.h"
#include "stream/v4l2_camera.h"

using namespace texcast;
using namespace texcast::stream;
using namespace texcast::test;

namespace {

// A loopback device that takes some pixel formats. As v4l2loopback does, it keeps the format of the first picture until
// all programs have closed it, and says then that it took any other one. It is an output again after a writer, which is
// who has called STREAMON. As the kernel does, it passes on encoding and range only with the magic number.
class FakeLoopback final : public V4l2System {
 public:
  int open(const std::string&) override {
    if (!is_there) return refused(ENOENT);
    ++opens;
    return 7;
  }
  int control(int, unsigned long request, void* argument) override {
    switch (request) {
      case VIDIOC_QUERYCAP: {
        auto& capability = *static_cast<v4l2_capability*>(argument);
        capability.capabilities = V4L2_CAP_DEVICE_CAPS;
        capability.device_caps = capabilities.value_or((is_output_ ? V4L2_CAP_VIDEO_OUTPUT : 0) |
                                                       (keeps_format ? V4L2_CAP_VIDEO_CAPTURE : 0));
        std::memcpy(capability.driver, driver.c_str(), driver.size() + 1);
        return 0;
      }
      case VIDIOC_SUBSCRIBE_EVENT: return says_who_reads ? 0 : refused(ENOTTY);
      case VIDIOC_S_FMT: return set_format(*static_cast<v4l2_format*>(argument));
      case VIDIOC_G_FMT: static_cast<v4l2_format*>(argument)->fmt.pix = format; return 0;
      case VIDIOC_STREAMON: is_writer_ = true; return 0;
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
    keeps_format = true;
    is_output_ = false;
    return static_cast<std::ptrdiff_t>(bytes.size());
  }
  bool wait_for_event(int, int stop_fd) override {
    std::array<pollfd, 2> fds{
        {{.fd = event_.fd(), .events = POLLIN, .revents = 0}, {.fd = stop_fd, .events = POLLIN, .revents = 0}}};
    while (::poll(fds.data(), fds.size(), -1) < 0) {
    }
    event_.take();
    return fds[1].revents == 0;
  }
  void close(int) override {
    is_closed = true;
    if (readers_ == 0) keeps_format = false;
    if (std::exchange(is_writer_, false)) is_output_ = true;
  }

  void set_readers(uint32_t readers) {
    readers_ = readers;
    event_.wake();
  }

  std::optional<uint32_t> capabilities;  // empty: those of exclusive_caps=1
  std::string driver = "v4l2 loopback";
  bool says_who_reads = false, is_there = true, is_gone = false, is_closed = false;
  bool keeps_format = false, loses_encoding = false;
  int opens = 0;
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
    if (keeps_format) {
      wish.fmt.pix = format;
      return 0;
    }
    if (wish.fmt.pix.pixelformat != taken_format) wish.fmt.pix.pixelformat = taken_format;  // as drivers do
    format = wish.fmt.pix;
    format.colorspace = V4L2_COLORSPACE_SRGB;
    if (format.priv != V4L2_PIX_FMT_PRIV_MAGIC || loses_encoding) format.ycbcr_enc = format.quantization = 0;
    return 0;
  }
  bool is_output_ = true, is_writer_ = false;
  WakeEvent event_;
  std::atomic<uint32_t> readers_ = 0;
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

TEST_CASE("a loopback device that says who reads gets the first picture, and then only those that somebody reads") {
  FakeLoopback loopback;
  loopback.says_who_reads = true;
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
  CHECK(feed.counts().converted == 1);
  CHECK(feed.counts().sent == 1);
  CHECK(loopback.writes > VIDEO_MAX_FRAME);  // so that readers do not get buffers from before
  loopback.writes = 1;
  loopback.set_readers(1);
  while (camera->joined() == 0) feed.wait_until(steady_now() + kPatience);
  show(4);
  CHECK(loopback.writes == 2);
  loopback.set_readers(0);
  while (camera->wanted()) feed.wait_until(steady_now() + std::chrono::milliseconds(10));
  show(5);
  CHECK(loopback.writes == 2);
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
  webcam.driver = "uvcvideo";
  webcam.capabilities = V4L2_CAP_VIDEO_CAPTURE;
  const std::string why = message("/dev/video0", webcam);
  CHECK_MESSAGE(has(why, "a camera of its own"), why);
  CHECK(webcam.is_closed);
  FakeLoopback taken;
  taken.capabilities = V4L2_CAP_VIDEO_CAPTURE;
  const std::string other = message("/dev/video7", taken);
  CHECK_MESSAGE(has(other, "another program writes pictures to it"), other);
}

TEST_CASE("a loopback device takes another size once no program reads it") {
  for (const bool says_who_reads : {false, true}) {
    CAPTURE(says_who_reads);
    FakeLoopback loopback;
    loopback.says_who_reads = says_who_reads;
    BlockPool pool(4);
    const auto camera = make_v4l2_camera("/dev/video7", loopback);
    CameraFeed feed(*camera, "cpu-reference");
    SteadyTime now(std::chrono::hours(1));
    const auto show = [&](int width, int height) {
      feed.put(rgb_frame(pool, width, height, 1), 30);
      return feed.step(now += std::chrono::seconds(1));
    };
    show(64, 48);
    show(80, 48);  // nobody reads: at once
    CHECK(loopback.written.size() == 80u * 48 * 2);
    CHECK(loopback.format.width == 80);

    loopback.set_readers(1);
    while (says_who_reads && camera->joined() == 0) feed.wait_until(steady_now() + kPatience);
    const int writes = loopback.writes;
    SteadyTime again = show(32, 48);
    CHECK(again == now + CameraFeed::kOfferAgain);
    again = show(32, 48);
    CHECK(again == now + CameraFeed::kOfferAgain);
    CHECK(loopback.format.width == 80);
    CHECK(loopback.writes == writes);
    loopback.set_readers(0);
    const int opens = loopback.opens;
    feed.step(now += CameraFeed::kOfferAgain);
    CHECK(loopback.opens == opens + 1);
    CHECK(loopback.written.size() == 32u * 48 * 2);
    CHECK(camera->ended() == "");
  }
}

TEST_CASE("a loopback device can be a camera again after texcast, and after programs that left it without an output") {
  FakeLoopback loopback;
  for (int n = 0; n < 3; ++n) {
    BlockPool pool(2);
    const auto camera = make_v4l2_camera("/dev/video7", loopback);
    CameraFeed feed(*camera, "cpu-reference");
    feed.put(rgb_frame(pool, 64, 48, 1), 30);
    feed.step(SteadyTime(std::chrono::hours(1)));
    CHECK(loopback.writes == n + 1);
    if (n == 1) loopback.capabilities = 0;
  }
}

TEST_CASE("a loopback device that is removed while a size waits ends the camera") {
  FakeLoopback loopback;
  BlockPool pool(2);
  const auto camera = make_v4l2_camera("/dev/video7", loopback);
  loopback.keeps_format = true;
  loopback.set_readers(1);
  CHECK_FALSE(camera->offer({.width = 64, .height = 48}));
  CHECK(camera->ended() == "");
  loopback.is_there = false;
  CHECK_FALSE(camera->offer({.width = 64, .height = 48}));
  CHECK(camera->ended().find("/dev/video7") != std::string::npos);
}

TEST_CASE("pictures for a loopback device have the matrix that it tells programs") {
  for (const bool loses_encoding : {false, true}) {
    FakeLoopback loopback;
    loopback.loses_encoding = loses_encoding;
    const auto camera = make_v4l2_camera("/dev/video7", loopback);
    CHECK(camera->offer({.width = 1280, .height = 720}));
    CHECK(loopback.format.ycbcr_enc == (loses_encoding ? V4L2_YCBCR_ENC_DEFAULT : V4L2_YCBCR_ENC_709));
    CHECK(camera->wanted()->picture.color.matrix == (loses_encoding ? ColorMatrix::bt601 : ColorMatrix::bt709));
  }
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
