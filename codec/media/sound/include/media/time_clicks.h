// time_clicks.h — sound as from a microphone beside a clock: silence, and a click at each half second of the wall
// clock, so that a receiver can measure its age. It is to sound what time_card.h is to pictures.
#pragma once

#include <memory>

#include "media/live_sound.h"
#include "texcast/frame_times.h"

namespace texcast::media {

inline constexpr nanoseconds kClickPeriod = std::chrono::milliseconds(500);

// next() waits until its 5 ms are over.
std::unique_ptr<LiveSound> make_time_clicks();

// The age of a click that is heard at `heard`. All clicks are alike, so among the possible ages, which are half a
// second apart, it is the one nearest to `about`.
nanoseconds age_of_click(WallTime heard, nanoseconds about);

}  // namespace texcast::media
