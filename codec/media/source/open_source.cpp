#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "card_frames.h"
#include "file_source.h"
#include "media/frame_source.h"
#include "media/test_card.h"
#include "screen/open_capture.h"
#include "screen_source.h"
#include "texcast/error.h"
#include "wrapped_source.h"

namespace texcast::media {
namespace {

constexpr int kDefaultWidth = 1920, kDefaultHeight = 1080;
constexpr double kDefaultFps = 60;

// The endless test card, as fast as it is read: the sender paces it.
class TestCardSource final : public FrameSource {
 public:
  TestCardSource(int width, int height, double fps) : card_(width, height), fps_(fps) {}
  std::optional<SourceFrame> next() override {
    const nanoseconds pts(std::llround(static_cast<double>(number_) * 1e9 / fps_));
    SourceFrame frame{.view = draw(number_++, pts), .times = {.pts = pts}, .place = pts};
    frame.times.available = wall_now();
    return frame;
  }
  FrameFormat format() const override { return card_.format(); }
  double fps() const override { return fps_; }
  bool is_live() const override { return false; }
  bool is_image() const override { return false; }
  std::optional<int64_t> frame_count() const override { return std::nullopt; }
  int64_t damaged_frames() const override { return 0; }
  void decode_into(std::shared_ptr<FramePool> pool) override {
    if (pool && pool->format() == card_.format()) frames_ = CardFrames(std::move(pool));
  }

 private:
  FrameView draw(uint32_t number, nanoseconds pts) {
    const auto [frame, is_new] = frames_.next();
    if (frame == nullptr) return card_.draw(number, pts);
    card_.draw_into(*frame, is_new, number, pts);
    return frame->view();
  }

  TestCard card_;
  double fps_;
  uint32_t number_ = 0;
  CardFrames frames_;  // of the encoder
};

// Ends another source after a time (SourceSettings::duration).
class ShortenedSource final : public WrappedSource {
 public:
  ShortenedSource(std::unique_ptr<FrameSource> whole, nanoseconds duration)
      : WrappedSource(std::move(whole)), duration_(duration) {}
  std::optional<SourceFrame> next() override {
    if (is_over_) return std::nullopt;
    auto frame = whole().next();
    is_over_ = !frame || frame->times.pts >= duration_;
    return is_over_ ? std::nullopt : std::move(frame);
  }
  std::optional<int64_t> frame_count() const override {
    const auto count = whole().frame_count();
    if (is_image() || fps() <= 0) return count;
    const auto most = static_cast<int64_t>(std::ceil(in_seconds(duration_) * fps() - 1e-6));
    return count ? std::min(*count, most) : most;
  }
  std::optional<nanoseconds> length() const override {
    return std::min(whole().length().value_or(duration_), duration_);
  }

 private:
  const nanoseconds duration_;
  bool is_over_ = false;
};

std::unique_ptr<FrameSource> open_test_card(const SourceSettings& settings) {
  const int width = settings.width.value_or(kDefaultWidth), height = settings.height.value_or(kDefaultHeight);
  if (width < kMinTestCardSize || height < kMinTestCardSize || width > kMaxFrameSize || height > kMaxFrameSize)
    throw Error(ErrorKind::usage, fmt::format("the sides of the test card must be {} to {}, not {}x{}",
                                              kMinTestCardSize, kMaxFrameSize, width, height));
  return std::make_unique<TestCardSource>(width, height, settings.fps.value_or(kDefaultFps));
}

std::unique_ptr<FrameSource> open_whole_source(const SourceSettings& settings) {
  if (settings.input == "test") return open_test_card(settings);
  if (const auto target = screen::capture_target(settings.input)) return open_screen_source(*target, settings);
  return open_file_source(settings);
}

}  // namespace

std::unique_ptr<FrameSource> open_source(const SourceSettings& settings) {
  if (settings.fps && !(*settings.fps > 0 && *settings.fps <= 1000))
    throw Error(ErrorKind::usage,
                fmt::format("the frame rate must be more than 0 and up to 1000, not {}", *settings.fps));
  auto source = open_whole_source(settings);
  if (!settings.duration) return source;
  return std::make_unique<ShortenedSource>(std::move(source), *settings.duration);
}

}  // namespace texcast::media
