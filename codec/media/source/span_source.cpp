#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "base/ensure.h"
#include "media/source_span.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

// Frames just after a seek may be damaged, and deinterlacing looks at neighbours.
constexpr nanoseconds kRunUp = std::chrono::seconds(2);

class SpanSource final : public FrameSource {
 public:
  SpanSource(std::unique_ptr<FrameSource> whole, const SourceSpan& span, SpanStart start)
      : whole_(std::move(whole)), span_(span) {
    ENSURE(!whole_->is_live());
    if (start == SpanStart::by_seek && span.begin > kRunUp) whole_->seek(span.begin - kRunUp);
    first_ = next_inside();
    if (!first_)
      throw Error(ErrorKind::input,
                  fmt::format("there are no frames from {:.3f} s on: the input ends before", in_seconds(span.begin)));
  }

  std::optional<SourceFrame> next() override {
    if (first_) return std::exchange(first_, std::nullopt);
    return next_inside();
  }
  FrameFormat format() const override { return whole_->format(); }
  double fps() const override { return whole_->fps(); }
  bool is_live() const override { return false; }
  bool is_image() const override { return false; }
  bool drops_transparency() const override { return whole_->drops_transparency(); }
  std::optional<int64_t> frame_count() const override {
    const auto inside = length();
    if (!inside || fps() <= 0) return std::nullopt;
    return static_cast<int64_t>(std::ceil(in_seconds(*inside) * fps() - 1e-6));
  }
  std::optional<nanoseconds> length() const override {
    const auto end = span_.end ? span_.end : whole_->length();
    return end ? std::optional(*end - span_.begin) : std::nullopt;
  }
  int64_t damaged_frames() const override { return whole_->damaged_frames(); }
  std::string first_damage() const override { return whole_->first_damage(); }
  std::optional<nanoseconds> begin() const override {
    const auto begin = whole_->begin();
    return begin ? std::optional(*begin + span_.begin) : std::nullopt;
  }
  void stop_waiting() override { whole_->stop_waiting(); }
  void decode_into(std::shared_ptr<FramePool> pool) override { whole_->decode_into(std::move(pool)); }
  void skipped() override { whole_->skipped(); }

 private:
  std::optional<SourceFrame> next_inside() {
    while (!is_over_) {
      auto frame = whole_->next();
      is_over_ = !frame || (span_.end && frame->place >= *span_.end);
      if (is_over_) break;
      if (frame->place < span_.begin) {
        whole_->skipped();
        continue;
      }
      frame->times.pts = frame->place;
      return frame;
    }
    return std::nullopt;
  }

  const std::unique_ptr<FrameSource> whole_;
  const SourceSpan span_;
  std::optional<SourceFrame> first_;  // read, but not returned yet
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<FrameSource> only_span(std::unique_ptr<FrameSource> whole, const SourceSpan& span, SpanStart start) {
  return std::make_unique<SpanSource>(std::move(whole), span, start);
}

}  // namespace texcast::media
