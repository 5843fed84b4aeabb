// same_packets.h — compares recordings by what is in them. Two recordings of the same frames may differ in their bytes:
// Matroska has random numbers, and clusters that follow the clock.
//
// Thread-safe: functions only.
#pragma once

#include <optional>
#include <string>

namespace texcast::media {

// The first difference between the tracks of two .mov or .mkv files and their packets, with times, as text for a
// message ("packet 12 of track 1"); nothing if there is none. Throws Error{input} if a file cannot be read.
std::optional<std::string> first_difference(const std::string& one, const std::string& other);

}  // namespace texcast::media
