// words.h — addresses in properties.
#pragma once

#include <string>
#include <vector>

namespace texcast::gstreamer {

// The parts of `text` between commas, without blanks around them.
std::vector<std::string> words_of(const std::string& text);

// `address` with "rtp://" in front if it is HOST:PORT or a host with a dot, else unchanged: a URL, or the name of a
// stream or player on the network.
std::string with_scheme(const std::string& address);

}  // namespace texcast::gstreamer
