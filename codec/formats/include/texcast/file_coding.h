// file_coding.h — how the frames of a .mkv store their blocks.
#pragma once

#include <cstdint>

namespace texcast {

enum class FileCoding : uint8_t {
  plain,    // each frame by itself: Hap, or the raw bytes
  compact,  // coded stream: lossless, only what changed since the previous frame, with a key frame every second; .mkv
            // only
};

}  // namespace texcast
