#include "key_file.h"

#include <array>
#include <fstream>
#include <string_view>

#include "texcast/error.h"

namespace texcast::gstreamer {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kLongest = 1024;  // as in the key files of `texcast`

}  // namespace

std::string passphrase_in(const std::string& path) {
  std::array<char, kByteOrderMark.size() + kLongest + sizeof "\r"> memory{};  // mark, line, CR and the final 0
  std::ifstream file(path);
  file.getline(memory.data(), static_cast<std::streamsize>(memory.size()));
  if (!file.is_open() || file.bad()) throw Error(ErrorKind::input, "cannot read the key file '" + path + "'");
  const bool has_newline = file.good(), is_cut = !has_newline && !file.eof();
  std::string_view line(memory.data(), static_cast<size_t>(file.gcount()) - (has_newline ? 1 : 0));
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) throw Error(ErrorKind::input, "the first line of the key file '" + path + "' is empty");
  if (is_cut || line.size() > kLongest)
    throw Error(ErrorKind::input,
                "the first line of the key file '" + path + "' has more than " + std::to_string(kLongest) + " bytes");
  return std::string(line);
}

}  // namespace texcast::gstreamer
