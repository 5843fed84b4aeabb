// require_frame.h — checks the frame that is passed to a public function. Throws Error{misuse} in the name of
// `function` (__func__) if a check fails. Thread-safe.
#pragma once

#include "texcast/frame.h"

namespace texcast {

// Checks that the pixel format, the colours and the pixel aspect are valid, and the sides 1..kMaxFrameSize.
void require_valid(const FrameFormat& format, const char* function);
void require_valid(const ColorSpec& color, const char* function);
void require_valid(PixelAspect aspect, const char* function);

// Also checks that every plane has memory, and that rows do not overlap (negative strides are for rows from bottom to
// top).
void require_readable(const FrameView& frame, const char* function);

}  // namespace texcast
