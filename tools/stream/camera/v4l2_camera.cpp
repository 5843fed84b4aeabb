#include "stream/v4l2_camera.h"

#include <fmt/core.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/loop_thread.h"
#include "base/wake_event.h"
#include "frames/from_rgb.h"
#include "texcast/error.h"

namespace texcast::stream {
namespace {

// The event of v4l2loopback 0.13 and later when a program begins or ceases to read; its data is 1 or 0.
constexpr uint32_t kClientUsage = V4L2_EVENT_PRIVATE_START + 0x08E00000 + 1;

// v4l2loopback 0.13 and later show a new program all pictures since the module was loaded, from buffers that may be
// empty since, unless there were more pictures than it has buffers: the first picture is written that often.
constexpr int kMostBuffers = VIDEO_MAX_FRAME;

// YUYV first, as every program takes it.
constexpr std::pair<PixelFormat, uint32_t> kV4l2Formats[] = {
    {PixelFormat::yuyv422, V4L2_PIX_FMT_YUYV},
    {PixelFormat::nv12, V4L2_PIX_FMT_NV12},
    {PixelFormat::yuv420p, V4L2_PIX_FMT_YUV420},
    {PixelFormat::bgra, V4L2_PIX_FMT_XBGR32},
};

constexpr std::string_view kLoopbackDriver = "v4l2 loopback";

constexpr const char* kAdvice =
    "install v4l2loopback-dkms, and load it with a device of that number: sudo modprobe v4l2loopback video_nr=N "
    "exclusive_caps=1 card_label=texcast; or use pipewire:NAME, which needs no kernel module";

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& advice) {
  throw Error(ErrorKind::input, fmt::format("there can be no camera {}: {}; {}", path, why, advice));
}

v4l2_format format_request(const FrameFormat& picture, uint32_t pixels) {
  const FramePlacement placed = place_tightly(picture);
  v4l2_format format{};
  format.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
  v4l2_pix_format& pix = format.fmt.pix;
  pix.width = static_cast<uint32_t>(picture.width);
  pix.height = static_cast<uint32_t>(picture.height);
  pix.pixelformat = pixels;
  pix.field = V4L2_FIELD_NONE;
  pix.bytesperline = static_cast<uint32_t>(placed.stride[0]);
  pix.sizeimage = static_cast<uint32_t>(placed.bytes);
  pix.priv = V4L2_PIX_FMT_PRIV_MAGIC;  // else the kernel ignores the encoding and the range
  pix.colorspace = V4L2_COLORSPACE_REC709;
  if (is_rgb(picture.pixel_format)) pix.colorspace = V4L2_COLORSPACE_SRGB;
  pix.ycbcr_enc = picture.color.matrix == ColorMatrix::bt601 ? V4L2_YCBCR_ENC_601 : V4L2_YCBCR_ENC_709;
  pix.quantization = is_rgb(picture.pixel_format) ? V4L2_QUANTIZATION_FULL_RANGE : V4L2_QUANTIZATION_LIM_RANGE;
  return format;
}

// The matrix with which programs decode pictures of this format.
ColorMatrix matrix_of(const v4l2_pix_format& pix) {
  uint32_t encoding = pix.ycbcr_enc;
  if (encoding == V4L2_YCBCR_ENC_DEFAULT) encoding = V4L2_MAP_YCBCR_ENC_DEFAULT(pix.colorspace);
  return encoding == V4L2_YCBCR_ENC_709 ? ColorMatrix::bt709 : ColorMatrix::bt601;
}

class V4l2Camera final : public Camera {
 public:
  V4l2Camera(std::string path, V4l2System& system) : path_(std::move(path)), system_(system) {
    open();
    if (!has_events_)
      log_info(
          "{} does not say whether programs read it, so that every changed picture is converted (v4l2loopback 0.13 "
          "does)",
          path_);
  }
  ~V4l2Camera() override { close(); }
  V4l2Camera(const V4l2Camera&) = delete;
  V4l2Camera& operator=(const V4l2Camera&) = delete;

  void notify(std::function<void()> changed) override {
    const std::lock_guard lock(mutex_);
    changed_ = std::move(changed);
  }

  bool offer(const CameraOffer& offer) override {
    const bool is_new = std::exchange(offered_, offer) != offer;
    const bool was_refused = !is_new && !format_;
    const bool is_taken = choose_format() || reopen_for_format();
    if (is_taken && was_refused)
      log_info("{} takes pictures of {}x{} now", path_, offer.width, offer.height);
    else if (!is_taken && is_new && ended().empty())
      log_warning(
          "{} does not take pictures of {}x{}: a program still reads others, or a format is set for it; once "
          "that has ended, it goes on",
          path_, offer.width, offer.height);
    return is_taken;
  }

  // Programs see the device as a camera only once it has had a picture.
  std::optional<CameraFormat> wanted() override {
    const std::lock_guard lock(mutex_);
    return !has_events_ || !is_announced_ || is_read_ ? format_ : std::nullopt;
  }

  uint64_t joined() override {
    const std::lock_guard lock(mutex_);
    return joined_;
  }

  bool send(const CameraFormat& format, Bytes picture, uint64_t /*version*/) override {
    if (format_ != format) return false;
    const std::lock_guard lock(mutex_);
    if (!write(picture)) return false;
    for (int n = 0; has_events_ && !is_announced_ && n < kMostBuffers; ++n) write(picture);
    if (!std::exchange(is_announced_, true)) be_writer();
    return true;
  }

  std::string ended() override {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

 private:
  void open() {
    fd_ = system_.open(path_);
    if (fd_ < 0)
      refuse(path_, std::strerror(errno),
             errno == EACCES ? "this user needs to be in the group video" : std::string(kAdvice));
    try {
      check();
      has_events_ = subscribe();
      if (has_events_) thread_.emplace([this](const std::stop_token& stop) { watch(stop); });
    } catch (...) {
      close();
      throw;
    }
  }

  void close() {
    if (thread_) {
      thread_->request_stop();
      stop_.wake();
      thread_.reset();
      stop_.take();
    }
    if (fd_ >= 0) system_.close(std::exchange(fd_, -1));
  }

  bool write(Bytes picture) {  // with mutex_
    const std::ptrdiff_t written = system_.write(fd_, picture);
    if (written < 0 && errno != EAGAIN && errno != EINTR)
      ended_ = fmt::format("{} does not take pictures any more ({})", path_, std::strerror(errno));
    return written == static_cast<std::ptrdiff_t>(picture.size());
  }

  void check() {
    v4l2_capability capability{};
    if (system_.control(fd_, VIDIOC_QUERYCAP, &capability) < 0) refuse(path_, "it is not a video device", kAdvice);
    const uint32_t can =
        capability.capabilities & V4L2_CAP_DEVICE_CAPS ? capability.device_caps : capability.capabilities;
    if ((can & V4L2_CAP_VIDEO_OUTPUT) != 0) return;
    const bool is_free = (can & V4L2_CAP_VIDEO_CAPTURE) == 0;  // see be_writer()
    const std::string_view driver(reinterpret_cast<const char*>(capability.driver),
                                  strnlen(reinterpret_cast<const char*>(capability.driver), sizeof capability.driver));
    if (driver == kLoopbackDriver && is_free) return;
    if (driver == kLoopbackDriver)
      refuse(path_, "another program writes pictures to it",
             fmt::format("end that program, or load the module with more devices; if there is none: "
                         "v4l2-ctl -d {} -c keep_format=0",
                         path_));
    refuse(path_, "it is a camera of its own, to which no pictures can be written", kAdvice);
  }

  bool subscribe() {
    v4l2_event_subscription wish{};
    wish.type = kClientUsage;
    wish.flags = V4L2_EVENT_SUB_FL_SEND_INITIAL;
    return system_.control(fd_, VIDIOC_SUBSCRIBE_EVENT, &wish) == 0;
  }

  // Sets offered_ in the first pixel format that the device takes.
  bool choose_format() {
    std::optional<CameraFormat> taken;
    for (const auto& [pixels, fourcc] : kV4l2Formats) {
      FrameFormat picture = camera_picture(*offered_, pixels);
      if (!set_format(picture, fourcc)) continue;
      set_rate(offered_->fps);
      taken = CameraFormat{.picture = picture, .fps = offered_->fps};
      break;
    }
    format_ = taken;
    const std::lock_guard lock(mutex_);
    is_announced_ = false;
    return taken.has_value();
  }

  // The module keeps a format until all programs have closed the device, this one included.
  bool reopen_for_format() {
    close();
    {
      const std::lock_guard lock(mutex_);
      is_read_ = false;
    }
    try {
      open();
      return choose_format();
    } catch (const Error& error) {
      const std::lock_guard lock(mutex_);
      ended_ = error.what();
      return false;
    }
  }

  // Sets the matrix of `picture` to the one that the device tells programs.
  bool set_format(FrameFormat& picture, uint32_t fourcc) {
    v4l2_format format = format_request(picture, fourcc);
    if (system_.control(fd_, VIDIOC_S_FMT, &format) < 0) return false;
    system_.control(fd_, VIDIOC_G_FMT, &format);
    const v4l2_pix_format& pix = format.fmt.pix;
    if (!is_rgb(picture.pixel_format)) picture.color.matrix = matrix_of(pix);
    return static_cast<int>(pix.width) == picture.width && static_cast<int>(pix.height) == picture.height &&
           pix.pixelformat == fourcc;
  }

  // After the first picture. To v4l2loopback 0.12, programs that only write are no writers, and once they have closed a
  // device with exclusive_caps, it is an output no more until the module is loaded anew.
  void be_writer() {
    int type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    system_.control(fd_, VIDIOC_STREAMON, &type);
  }

  void set_rate(double fps) {
    if (fps <= 0) return;
    v4l2_streamparm rate{};
    rate.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    rate.parm.output.timeperframe = {1000, static_cast<uint32_t>(std::lround(fps * 1000))};
    system_.control(fd_, VIDIOC_S_PARM, &rate);  // only informs programs
  }

  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested() && system_.wait_for_event(fd_, stop_.fd())) {
      v4l2_event event{};
      if (system_.control(fd_, VIDIOC_DQEVENT, &event) < 0 || event.type != kClientUsage) continue;
      uint32_t readers = 0;
      std::memcpy(&readers, event.u.data, sizeof readers);
      take_readers(readers > 0);
    }
  }

  void take_readers(bool is_read) {
    const std::lock_guard lock(mutex_);
    if (is_read && !is_read_) ++joined_;
    is_read_ = is_read;
    if (changed_) changed_();
  }

  const std::string path_;
  V4l2System& system_;
  // Used by the feed's thread only, but for fd_:
  int fd_ = -1;  // changes only while thread_ does not run
  bool has_events_ = false;
  std::optional<CameraOffer> offered_;
  std::optional<CameraFormat> format_;  // empty: the device does not take offered_
  std::mutex mutex_;                    // protects the following
  std::function<void()> changed_;
  bool is_announced_ = false;  // has had a picture
  bool is_read_ = false;
  uint64_t joined_ = 0;
  std::string ended_;
  WakeEvent stop_;
  std::optional<LoopThread> thread_;  // last: it uses the above
};

}  // namespace

std::unique_ptr<Camera> make_v4l2_camera(const std::string& path, V4l2System& system) {
  return std::make_unique<V4l2Camera>(path, system);
}

}  // namespace texcast::stream
