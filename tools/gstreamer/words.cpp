#include "words.h"

#include <algorithm>

namespace texcast::gstreamer {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const size_t first = std::min(text.find_first_not_of(' ', begin), end);
    const size_t last = text.find_last_not_of(' ', end == 0 ? 0 : end - 1);
    if (end > first) words.push_back(text.substr(first, last + 1 - first));
    begin = end + 1;
  }
  return words;
}

std::string with_scheme(const std::string& address) {
  const bool is_address = address.find_first_of(".:") != std::string::npos || address == "localhost";
  return is_address && address.find("://") == std::string::npos ? "rtp://" + address : address;
}

}  // namespace texcast::gstreamer
