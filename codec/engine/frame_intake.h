// frame_intake.h — how encoders hold their input frames: frames of their pool by reference, others as copies.
#pragma once

#include "texcast/encoder.h"
#include "texcast/frame_pool.h"

namespace texcast {

struct TakenFrame {
  FrameLease lease;
  bool copied = false;
};
// Returns a share in a frame of `lent`, or else a copy in a frame of `copies`. Throws Error{no_device} with the name
// `device` if there is no memory.
TakenFrame take_frame(FramePool& lent, FramePool& copies, const FrameView& frame, const std::string& device);

// How many frames Encoder::frame_pool() lends at most; encoder.h states the rule.
size_t most_lent(const EncoderSettings& settings, size_t devices);

}  // namespace texcast
