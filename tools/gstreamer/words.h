// words.h — addresses in properties.
#pragma once

#include <string>
#include <vector>

namespace texcast::gstreamer {

// The parts of `text` between commas or blanks.
std::vector<std::string> words_of(const std::string& text);

// `address` with "rtp://" in front if it has no scheme.
std::string with_scheme(const std::string& address);

}  // namespace texcast::gstreamer
