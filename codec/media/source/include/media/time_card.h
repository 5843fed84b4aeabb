// time_card.h — the test card as it would come from a camera: live, and in each frame the moment at which it was drawn
// (time_code.h), so that who sees it can tell how old it is.
#pragma once

#include <memory>

#include "media/frame_source.h"

namespace texcast::media {

// A live source: next() waits for the next frame's time, draws, and gives that moment as FrameTimes::available.
// Misuse for pictures too small for a time code (256x16) and rates that are none.
std::unique_ptr<FrameSource> make_time_card(int width, int height, double fps);

}  // namespace texcast::media
