// figures.h — figures as people read them, and the lines of a report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "texcast/frame_times.h"

namespace texcast {

std::string bit_rate(double bits_per_s);              // "17.1 kbit/s", "527.1 Mbit/s", "18.40 Gbit/s"
std::string file_size(int64_t bytes);                 // "812 bytes", "20.4 MB"
std::string three_digits(double value);               // "0.62", "15.3", "1225"
std::string plural(uint64_t count, const char* one);  // "1 frame", "2 frames"
std::string joined(const std::vector<std::string>& words, const char* between = " ");

// Frames a second out of `frames` that lie `span` apart, from the first to the last. Nothing where that is too short to
// tell: less than a second, or one frame. A little more than `nominal` (0: not known) is the jitter of who looked at
// the clock, and is `nominal`: a source of 60 a second has no 60.3.
std::optional<double> frame_rate(uint64_t frames, nanoseconds span, double nominal);
// ", 59.9 a second"; empty for nothing.
std::string rate_text(std::optional<double> rate);

// "label       text" on stdout, as printable_text() has it.
void print_row(const std::string& label, const std::string& text);

}  // namespace texcast
