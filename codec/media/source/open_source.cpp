#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "file_source.h"
#include "media/frame_source.h"
#include "media/test_card.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

constexpr int kDefaultWidth = 1920, kDefaultHeight = 1080;
constexpr double kDefaultFps = 60;

// The test card without an end, as fast as it is asked for: the sender paces it.
class TestCardSource final : public FrameSource {
 public:
  TestCardSource(int width, int height, double fps) : card_(width, height), fps_(fps) {}
  std::optional<SourceFrame> next() override {
    const nanoseconds pts(std::llround(static_cast<double>(number_) * 1e9 / fps_));
    SourceFrame frame{.view = draw(number_++, pts), .times = {.pts = pts}};
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
    if (pool && pool->format() == card_.format()) pool_ = std::move(pool);
  }

 private:
  FrameView draw(uint32_t number, nanoseconds pts) {
    if (!pool_) return card_.draw(number, pts);
    auto lease = std::find_if(drawn_.begin(), drawn_.end(), [](const FrameLease& l) { return l.shares() == 1; });
    const bool is_new = lease == drawn_.end();
    if (is_new) {
      FrameLease lent = pool_->lend();
      if (!lent) return card_.draw(number, pts);
      lease = drawn_.insert(drawn_.end(), std::move(lent));
    }
    card_.draw_into(*lease, is_new, number, pts);
    return lease->view();
  }

  TestCard card_;
  double fps_;
  uint32_t number_ = 0;
  std::shared_ptr<FramePool> pool_;
  // Frames of the pool that hold the card already, so that only what moves is drawn again. As many as the encoder reads
  // at a time, and one.
  std::vector<FrameLease> drawn_;
};

std::unique_ptr<FrameSource> open_test_card(const SourceSettings& settings) {
  const int width = settings.width.value_or(kDefaultWidth), height = settings.height.value_or(kDefaultHeight);
  if (width < kMinTestCardSize || height < kMinTestCardSize || width > kMaxFrameSize || height > kMaxFrameSize)
    throw Error(ErrorKind::usage, fmt::format("the test card has sides of {} to {}, not {}x{}", kMinTestCardSize,
                                              kMaxFrameSize, width, height));
  return std::make_unique<TestCardSource>(width, height, settings.fps.value_or(kDefaultFps));
}

}  // namespace

std::unique_ptr<FrameSource> open_source(const SourceSettings& settings) {
  if (settings.fps && !(*settings.fps > 0 && *settings.fps <= 1000))
    throw Error(ErrorKind::usage, fmt::format("{} is no frame rate: more than 0 and up to 1000", *settings.fps));
  if (settings.input == "test") return open_test_card(settings);
  return open_file_source(settings);
}

}  // namespace texcast::media
