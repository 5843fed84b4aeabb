#include "data_folder.h"

namespace texcast::test {

std::string source_folder() { return TEXCAST_SOURCE_FOLDER; }

std::string data_file(const std::string& name) { return source_folder() + "/tests/data/" + name; }

}  // namespace texcast::test
