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

// The environment variables that drivers and tests read and that can change a result. `variables` has the form of
// `environ`. A variable that only names a place for files has no line. TEXCAST_KERNEL_DIR has one without its value: it
// matters that it is set, and the text of each kernel is an input of its own.
std::string environment(const char* const* variables);

// "file PATH HASH" for each of the paths that exists; the hash of a folder covers everything in it. Drivers read these
// files at run time: libraries of kernels, headers, programs that link.
std::string driver_files(const std::vector<std::string>& paths);
// The paths for those of Debian's drivers that are among `libraries`, which mapped_libraries() gave.
std::vector<std::string> usual_driver_files(const std::string& libraries);

}  // namespace texcast::test
