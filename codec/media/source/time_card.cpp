#include "media/time_card.h"

#include <cmath>
#include <thread>
#include <utility>

#include "base/ensure.h"
#include "card_frames.h"
#include "media/test_card.h"
#include "media/time_code.h"

namespace texcast::media {
namespace {

constexpr size_t kOwnFrames = 16;  // if no encoder lends any

class TimeCard final : public FrameSource {
 public:
  TimeCard(int width, int height, double fps)
      : card_(width, height), fps_(fps), frames_(FramePool::create(card_.format(), kOwnFrames)) {
    ENSURE(time_code_strip(width, height).cell > 0 && fps > 0);
  }

  // A frame is skipped if all memory is being read.
  std::optional<SourceFrame> next() override {
    if (!begun_) begun_ = steady_now();
    for (;;) {
      const nanoseconds pts(std::llround(static_cast<double>(number_) * 1e9 / fps_));
      std::this_thread::sleep_until(std::chrono::steady_clock::time_point(*begun_ + pts));
      const uint32_t number = number_++;
      const auto [frame, is_new] = frames_.next();
      if (frame == nullptr) continue;
      card_.draw_into(*frame, is_new, number, pts);
      const WallTime now = wall_now();
      draw_time_code(*frame, now);
      return SourceFrame{.view = frame->view(), .times = {.pts = pts, .available = now}, .place = pts};
    }
  }
  FrameFormat format() const override { return card_.format(); }
  double fps() const override { return fps_; }
  bool is_live() const override { return true; }
  bool is_image() const override { return false; }
  std::optional<int64_t> frame_count() const override { return std::nullopt; }
  int64_t damaged_frames() const override { return 0; }
  void decode_into(std::shared_ptr<FramePool> pool) override {
    if (!pool || pool->format() != card_.format()) return;
    frames_ = CardFrames(std::move(pool));
  }

 private:
  TestCard card_;
  const double fps_;
  CardFrames frames_;
  uint32_t number_ = 0;
  std::optional<SteadyTime> begun_{};
};

}  // namespace

std::unique_ptr<FrameSource> make_time_card(int width, int height, double fps) {
  return std::make_unique<TimeCard>(width, height, fps);
}

}  // namespace texcast::media
