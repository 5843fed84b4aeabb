// time_clicks.h — sound as it would come from a microphone beside a clock: silence, and a click at each half second of
// the wall clock, so that who hears it can tell how old it is. What time_card.h is to pictures.
#pragma once

#include <memory>

#include "media/live_sound.h"
#include "texcast/frame_times.h"

namespace texcast::media {

inline constexpr nanoseconds kClickPeriod = std::chrono::milliseconds(500);

// next() waits until its 5 ms are over.
std::unique_ptr<LiveSound> make_time_clicks();

// How old a click is that is heard at `heard`. All clicks are alike, so of the ages that it may have, which lie half a
// second apart, it is the one next to `about`.
nanoseconds age_of_click(WallTime heard, nanoseconds about);

}  // namespace texcast::media
