// time_card.h — the test card as from a camera: live, and with the time at which each frame was drawn in its picture
// (time_code.h), so that a receiver can measure its age.
#pragma once

#include <memory>

#include "media/frame_source.h"

namespace texcast::media {

// A live source: next() waits for the next frame's time, draws, and returns that moment as FrameTimes::available.
// Misuse for pictures too small for a time code (256x16) and for invalid rates.
std::unique_ptr<FrameSource> make_time_card(int width, int height, double fps);

}  // namespace texcast::media
