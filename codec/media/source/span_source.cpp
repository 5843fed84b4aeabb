#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "base/ensure.h"
#include "media/source_span.h"
#include "texcast/error.h"
#include "wrapped_source.h"

namespace texcast::media {
namespace {

// Frames just after a seek may be damaged, and deinterlacing looks at neighbours.
constexpr nanoseconds kRunUp = std::chrono::seconds(2);

class SpanSource final : public WrappedSource {
 public:
  SpanSource(std::unique_ptr<FrameSource> from, const SourceSpan& span, SpanStart start)
      : WrappedSource(std::move(from)), span_(span) {
    ENSURE(!is_live());
    if (start == SpanStart::by_seek && span.begin > kRunUp) whole().seek(span.begin - kRunUp);
    first_ = next_inside();
    if (!first_)
      throw Error(ErrorKind::input,
                  fmt::format("there are no frames from {:.3f} s on: the input ends before", in_seconds(span.begin)));
  }

  std::optional<SourceFrame> next() override {
    if (first_) return std::exchange(first_, std::nullopt);
    return next_inside();
  }
  std::optional<int64_t> frame_count() const override {
    const auto inside = length();
    if (!inside || fps() <= 0) return std::nullopt;
    return static_cast<int64_t>(std::ceil(in_seconds(*inside) * fps() - 1e-6));
  }
  std::optional<nanoseconds> length() const override {
    const auto end = span_.end ? span_.end : whole().length();
    return end ? std::optional(*end - span_.begin) : std::nullopt;
  }
  std::optional<nanoseconds> begin() const override {
    const auto begin = whole().begin();
    return begin ? std::optional(*begin + span_.begin) : std::nullopt;
  }
  std::shared_ptr<SoundQueue> sound() const override { return nullptr; }  // its first packets belong to other spans
  bool seek(nanoseconds /*place*/) override { return false; }

 private:
  std::optional<SourceFrame> next_inside() {
    while (!is_over_) {
      auto frame = whole().next();
      is_over_ = !frame || (span_.end && frame->place >= *span_.end);
      if (is_over_) break;
      if (frame->place < span_.begin) {
        whole().skipped();
        continue;
      }
      frame->times.pts = frame->place;
      return frame;
    }
    return std::nullopt;
  }

  const SourceSpan span_;
  std::optional<SourceFrame> first_;  // read, but not returned yet
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<FrameSource> only_span(std::unique_ptr<FrameSource> whole, const SourceSpan& span, SpanStart start) {
  return std::make_unique<SpanSource>(std::move(whole), span, start);
}

}  // namespace texcast::media
