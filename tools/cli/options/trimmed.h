// trimmed.h — text without what surrounds it.
#pragma once

#include <string>
#include <string_view>

namespace texcast::cli {

inline std::string trimmed(std::string_view text, std::string_view unwanted = " \t\r") {
  const size_t begin = text.find_first_not_of(unwanted);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(unwanted) - begin + 1));
}

}  // namespace texcast::cli
