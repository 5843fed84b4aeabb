// figures.h — formats numbers for people, and prints the rows of a report.
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

// The frame rate of `frames`, of which the last comes `span` after the first. None if there are fewer than two frames
// or less than a second. A rate up to 5 % above `nominal` (0: unknown) is measurement jitter, and gives `nominal`.
std::optional<double> frame_rate(uint64_t frames, nanoseconds span, double nominal);
// ", 59.9 fps"; empty for none.
std::string rate_text(std::optional<double> rate);

// Prints "label       text" on stdout, filtered by printable_text().
void print_row(const std::string& label, const std::string& text);

}  // namespace texcast
