#include "latency/screen_grabber.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/latency.h"
#include "cli/interrupt.h"
#include "screen/open_capture.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

constexpr nanoseconds kLongestWait = std::chrono::milliseconds(50);
constexpr int kMoved = 30;  // consecutive updates without a code, after which the window is searched again

std::unique_ptr<screen::ScreenCapture> open_screen(const std::string& where) {
  const auto target = screen::capture_target(where);
  if (!target || target->kind == screen::CaptureTarget::Kind::window)
    throw Error(ErrorKind::usage, fmt::format("--grab '{}': give screen, screen:MONITOR or screen:WxH+X+Y", where));
  return screen::open_capture({.target = *target, .cursor = screen::CursorMode::off}, &interrupt_flag());
}

// Copies a part of the screen, which lies inside it.
void copy_part(const FrameView& screen, int x, int y, int width, int height, DecodedImage& to) {
  to.resize(width, height, 4);
  const size_t bytes = static_cast<size_t>(width) * 4;
  for (int row = 0; row < height; ++row)
    std::memcpy(to.pixels.data() + static_cast<size_t>(row) * bytes,
                screen.planes[0].data + (y + row) * screen.planes[0].stride_bytes + x * 4, bytes);
}

}  // namespace

ScreenGrabber::ScreenGrabber(const std::string& where) : capture_(open_screen(where)) {
  grabs_.reserve(2 * LatencyWindow::kCapacity);
  thread_.emplace([this](const std::stop_token& stop) { run(stop); });
}

void ScreenGrabber::look_for(int width, int height) {
  const std::lock_guard lock(mutex_);
  width_ = width;
  height_ = height;
}

std::vector<Grab> ScreenGrabber::finish() {
  thread_->request_stop();
  capture_->wake();
  thread_->finish();
  return std::move(grabs_);
}

void ScreenGrabber::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const screen::ScreenUpdate update = capture_->wait(steady_now() + kLongestWait);
    const WallTime there = wall_now();
    if (update.damage.empty()) continue;
    if (update.resized) place_.reset();
    const auto code = read(update.picture);
    if (!code || (!grabs_.empty() && grabs_.back().code == *code)) continue;
    if (grabs_.size() == grabs_.capacity()) grabs_.erase(grabs_.begin(), grabs_.begin() + LatencyWindow::kCapacity);
    grabs_.push_back({.code = *code, .drawn = update.captured, .there = there});
  }
}

// Once the position of the code is known, only that part is read.
std::optional<int64_t> ScreenGrabber::read(const FrameView& screen) {
  int width = 0, height = 0;
  {
    const std::lock_guard lock(mutex_);
    width = width_;
    height = height_;
  }
  const media::TimeCodeStrip strip = media::time_code_strip(width, height);
  if (strip.cell == 0) return {};
  if (!place_) {
    copy_part(screen, 0, 0, screen.format.width, screen.format.height, image_);
    place_ = media::find_time_code(image_, width, height);
    not_read_ = 0;
    return place_ ? media::read_time_code(image_, width, height, *place_) : std::nullopt;
  }
  const int left = std::max(0, static_cast<int>(std::floor(place_->x)));
  const int top = std::max(0, static_cast<int>(std::floor(place_->y)));
  const int right = std::min(left + strip.cell * media::kTimeCodeCells + 1, screen.format.width);
  const int bottom = std::min(top + strip.height + 1, screen.format.height);
  copy_part(screen, left, top, right - left, bottom - top, image_);
  media::PicturePlace there = *place_;
  there.x -= left;
  there.y -= top;
  const auto code = media::read_time_code(image_, width, height, there);
  not_read_ = code ? 0 : not_read_ + 1;
  if (not_read_ >= kMoved) place_.reset();
  return code;
}

}  // namespace texcast::cli
