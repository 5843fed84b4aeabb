// test_sound.h — the click of the clap test: two milliseconds of 2 kHz at each whole second, when the test card
// flashes.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "media/audio_reader.h"

namespace texcast::media {

// One click: its value so many seconds after its beginning, 0 before it and behind it.
double click_at(double seconds);
inline constexpr double kClickSeconds = 0.002;

// Without an end; time 0 has a click.
std::unique_ptr<AudioReader> open_test_sound();

// Where the first click begins in `samples` (one channel, of any loudness), in samples, between them too. Nothing where
// there is none.
std::optional<double> find_click(std::span<const float> samples, int rate);

}  // namespace texcast::media
