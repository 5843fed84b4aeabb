#include "test_card_source.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "media/test_card.h"

namespace texcast::media {
namespace {

constexpr int kDefaultWidth = 1920, kDefaultHeight = 1080;
constexpr double kDefaultFps = 60;

class TestCardSource final : public FrameSource {
 public:
  TestCardSource(int width, int height, double fps) : card_(width, height), fps_(fps) {}
  std::optional<SourceFrame> next() override {
    const nanoseconds pts(std::llround(static_cast<double>(number_) * 1e9 / fps_));
    SourceFrame frame{.view = card_.draw(number_++, pts), .times = {.pts = pts}};
    frame.times.available = wall_now();
    return frame;
  }
  FrameFormat format() const override { return card_.format(); }
  double fps() const override { return fps_; }
  bool is_live() const override { return false; }
  bool is_image() const override { return false; }
  std::optional<int64_t> frame_count() const override { return std::nullopt; }
  int64_t damaged_frames() const override { return 0; }

 private:
  TestCard card_;
  double fps_;
  uint32_t number_ = 0;
};

}  // namespace

std::unique_ptr<FrameSource> open_test_card(const SourceSettings& settings) {
  const int width = settings.width.value_or(kDefaultWidth), height = settings.height.value_or(kDefaultHeight);
  if (width < kMinTestCardSize || height < kMinTestCardSize || width > kMaxFrameSize || height > kMaxFrameSize)
    throw Error(ErrorKind::usage, fmt::format("the test card has sides of {} to {}, not {}x{}", kMinTestCardSize,
                                              kMaxFrameSize, width, height));
  return std::make_unique<TestCardSource>(width, height, settings.fps.value_or(kDefaultFps));
}

}  // namespace texcast::media
