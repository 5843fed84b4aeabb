// recorded_part.h — how a file says which share of a longer recording it holds (`encode --part`), so that `join` can
// put the shares together.
//
// Thread-safe: functions only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "texcast/frame_times.h"

namespace texcast::media {

inline constexpr int kMostParts = 10'000;

// Part `number` of `count`, from 1. Its time 0 is the whole recording's `begin`. Its sound ends at the whole
// recording's `end`; none: with the last frame. `identity`: 64 hex digits that are the same for all parts of one
// recording, and differ for other inputs, options and versions of the encoder; empty: not known.
struct RecordedPart {
  int number = 1;
  int count = 1;
  nanoseconds begin{};
  std::optional<nanoseconds> end{};
  std::string identity{};
  bool operator==(const RecordedPart&) const = default;
};

// A metadata key of the file, with the text as its value: "2/4 from 4000000000 to 8000000000" (nanoseconds), or
// "4/4 from 12000000000"; if the identity is known, " of " and the identity follow.
inline constexpr const char* kPartKey = "com.texcast.part";
std::string part_text(const RecordedPart& part);
std::optional<RecordedPart> part_of_text(std::string_view text);  // nothing: no such text, or numbers out of range

}  // namespace texcast::media
