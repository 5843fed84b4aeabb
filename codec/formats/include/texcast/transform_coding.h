// transform_coding.h — whether a lossy coded stream uses transform coding (docs/compact.md): macroblocks with motion
// compensation and a transformed residual, as video codecs have them, whose result is fitted to blocks. Film needs a
// third of the bits. The formats are those of three planes of BC4: ycocg-bc4, in 4:2:0, 4:2:2 and 4:4:4.
#pragma once

#include <cstdint>

namespace texcast {

enum class TransformCoding : uint8_t {
  automatic,  // if the format can have it
  on,         // the format must have it
  off,        // for receivers older than codec version 4
};

}  // namespace texcast
