// surroundings.h — what a kernel's result depends on beside the kernel and the program that runs it: the drivers'
// libraries and files, the processor, variables in the environment. Each function gives sorted lines "what value".
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace texcast::test {

std::string hash_of_text(const std::string& text);
std::string hash_of_file(const std::string& path);  // empty where it cannot be read

// "library NAME BUILD-ID" for each library that is mapped executable; for one that has no build ID, the hash of its
// content. `maps`: as /proc/self/maps. The program itself, `own_path`, is left out.
std::string mapped_libraries(std::istream& maps, const std::string& own_path);

// The model, the features and the number of processors. `cpuinfo`: as /proc/cpuinfo.
std::string processor(std::istream& cpuinfo);

// Variables that drivers and the tests read, in the form of `environ`. Of those that only say where something is kept,
// nothing; of TEXCAST_KERNEL_DIR, that it is set, since every kernel that is built counts by its text.
std::string environment(const char* const* variables);

// "file PATH HASH" for each file, and for each folder with the hash of all that is in it, that drivers read at run
// time: libraries of kernels, headers, programs that link. What is not there has no line.
std::string driver_files(const std::vector<std::string>& paths);
// The paths for those of Debian's drivers that are among `libraries`, which mapped_libraries() gave.
std::vector<std::string> usual_driver_files(const std::string& libraries);

}  // namespace texcast::test
