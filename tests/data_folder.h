// data_folder.h — the path of tests/data, for tests whose object files are the same in every clone.
#pragma once

#include <string>

namespace texcast::test {

std::string source_folder();  // the repository
std::string data_file(const std::string& name);

}  // namespace texcast::test
