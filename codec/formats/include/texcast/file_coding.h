// file_coding.h — how the frames of a .mkv hold their blocks.
#pragma once

#include <cstdint>

namespace texcast {

enum class FileCoding : uint8_t {
  plain,    // each frame by itself: Hap, or the bytes as they are
  compact,  // how each differs from the one before, nothing lost; a frame that needs no other comes every second. .mkv
};

}  // namespace texcast
