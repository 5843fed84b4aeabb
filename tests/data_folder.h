// data_folder.h — where the files of tests/data lie, for tests whose object files are the same in every clone.
#pragma once

#include <string>

namespace texcast::test {

std::string source_folder();  // of the repository
std::string data_file(const std::string& name);

}  // namespace texcast::test
