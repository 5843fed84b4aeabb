// figures.h — figures as people read them, and the lines of a report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace texcast {

std::string megabits(double bits_per_s);              // "527.1 Mbit/s", "8.4 Gbit/s"
std::string file_size(int64_t bytes);                 // "812 bytes", "20.4 MB"
std::string three_digits(double value);               // "0.62", "15.3", "1225"
std::string plural(uint64_t count, const char* one);  // "1 frame", "2 frames"
std::string joined(const std::vector<std::string>& words, const char* between = " ");

// "label       text" on stdout.
void print_row(const std::string& label, const std::string& text);

}  // namespace texcast
