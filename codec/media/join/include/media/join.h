// join.h — makes one recording of the parts that several programs have encoded (RecorderSettings::part).
//
// Thread-safe on distinct outputs.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "texcast/frame_times.h"
#include "texcast/if_exists.h"

namespace texcast::media {

struct JoinSettings {
  std::vector<std::string> parts;  // files, in any order
  std::string output;              // .mov or .mkv, as the parts
  IfExists if_exists = IfExists::refuse;
  const std::atomic<bool>* stop = nullptr;  // set it to end early; null: never
};

struct JoinReport {
  std::string output;
  int parts = 0;
  int64_t frames = 0;
  nanoseconds duration{};
  int64_t bytes = 0;
};

// Copies the packets of all parts, without decoding them: the frames and their times are those of one recording of the
// whole. The parts are unchanged. Throws Error{usage} if a part is missing, there twice, or of another recording;
// Error{input} for files that are no parts; Error{corrupt} for parts that were not closed; Error{failed} if the output
// cannot be written, or after `stop`, and then there is no output; NameTaken.
JoinReport join_parts(const JoinSettings& settings);

}  // namespace texcast::media
