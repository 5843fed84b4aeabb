// test_sound.h — the click of the clap test: two milliseconds of 2 kHz at each full second, when the test card flashes.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "media/audio_reader.h"

namespace texcast::media {

// The value of a click so many seconds after its beginning; 0 before and after it.
double click_at(double seconds);
inline constexpr double kClickSeconds = 0.002;

// Endless; time 0 has a click.
std::unique_ptr<AudioReader> open_test_sound();

// The position at which the first click begins in `samples` (one channel, of any loudness), in samples, with a
// fraction. Nothing if there is none.
std::optional<double> find_click(std::span<const float> samples, int rate);

}  // namespace texcast::media
