// source_span.h — a source's frames between two times: a share of a file that several programs encode.
#pragma once

#include <memory>
#include <optional>

#include "media/frame_source.h"

namespace texcast::media {

// Places in the input (SourceFrame::place): frames from `begin` on, and before `end`.
struct SourceSpan {
  nanoseconds begin{};
  std::optional<nanoseconds> end{};  // none: that of the input
};

enum class SpanStart : uint8_t {
  by_seek,     // seeks to a little before `begin`, if the input can
  by_reading,  // reads the input from its start: for filters and rates, whose frames depend on all earlier ones
};

// The frames of the span as `whole` gives them, with the place as pts. `whole` is at its first frame, is not live, and
// has no limit of its own (SourceSettings::duration). Reads the first frame of the span; throws Error{input} if there
// is none.
std::unique_ptr<FrameSource> only_span(std::unique_ptr<FrameSource> whole, const SourceSpan& span, SpanStart start);

}  // namespace texcast::media
