// frame_intake.h — how encoders keep the frames that they work on: those of their pool where they lie, copies of
// others.
#pragma once

#include "texcast/encoder.h"
#include "texcast/frame_pool.h"

namespace texcast {

struct TakenFrame {
  FrameLease lease;
  bool copied = false;
};
// A share in a frame of `lent`, or a copy in a frame of `copies`. Throws Error{no_device} when there is no memory,
// which `device` is named for.
TakenFrame take_frame(FramePool& lent, FramePool& copies, const FrameView& frame, const std::string& device);

// How many frames Encoder::frame_pool() lends at most, as encoder.h says.
size_t most_lent(const EncoderSettings& settings, size_t devices);

}  // namespace texcast
