#include "words.h"

#include <algorithm>

namespace texcast::gstreamer {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of(", ", begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string with_scheme(const std::string& address) {
  return address.find("://") == std::string::npos ? "rtp://" + address : address;
}

}  // namespace texcast::gstreamer
