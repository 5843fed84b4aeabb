#include "key_file.h"

#include <fstream>

#include "texcast/error.h"

namespace texcast::gstreamer {

std::string passphrase_in(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) throw Error(ErrorKind::input, "cannot read the key file '" + path + "'");
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.empty()) throw Error(ErrorKind::input, "the first line of the key file '" + path + "' is empty");
  return line;
}

}  // namespace texcast::gstreamer
