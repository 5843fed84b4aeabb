// file_coding.h — how the frames of a .mkv store their blocks.
#pragma once

#include <cstdint>

namespace texcast {

enum class FileCoding : uint8_t {
  plain,    // each frame by itself: Hap, or the raw bytes
  compact,  // coded stream: only what changed since the previous frame, with a key frame every second, or every five
            // seconds with transform coding; .mkv only
};

}  // namespace texcast
