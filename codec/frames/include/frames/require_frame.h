// require_frame.h — what a public function asks of the frame that it is given. Error{misuse} in the name of `function`
// (__func__) where it is otherwise. Thread-safe.
#pragma once

#include "texcast/frame.h"

namespace texcast {

// A pixel format that there is, sides of 1..kMaxFrameSize, colours and a shape of pixels that there are.
void require_valid(const FrameFormat& format, const char* function);
void require_valid(const ColorSpec& color, const char* function);
void require_valid(PixelAspect aspect, const char* function);

// Besides: memory for every plane, and rows that do not overlap (negative strides are for rows from bottom to top).
void require_readable(const FrameView& frame, const char* function);

}  // namespace texcast
