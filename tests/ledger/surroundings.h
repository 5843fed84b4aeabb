// surroundings.h — inputs of a kernel's result other than the kernel and the program: the drivers' libraries and files,
// the processor, environment variables. Each function returns sorted lines "what value".
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace texcast::test {

std::string hash_of_text(const std::string& text);
std::string hash_of_file(const std::string& path);  // empty if it cannot be read

// "library NAME BUILD-ID" for each library that is mapped executable; the hash of its content if it has no build ID.
// `maps`: as /proc/self/maps. The program itself, `own_path`, is left out.
std::string mapped_libraries(std::istream& maps, const std::string& own_path);

// Model, features and number of processors. `cpuinfo`: as /proc/cpuinfo.
std::string processor(std::istream& cpuinfo);

// Environment variables that drivers and tests read and that can change a result. `variables` has the form of
// `environ`. A variable that only names a place for files has no line. TEXCAST_KERNEL_DIR has a line without its value:
// it matters that it is set, but the text of each kernel is an input of its own.
std::string environment(const char* const* variables);

// "file PATH HASH" for each path that exists; the hash of a folder covers everything in it. Drivers read these files at
// run time: libraries of kernels, headers, programs that link.
std::string driver_files(const std::vector<std::string>& paths);
// Paths of this kind of Debian's drivers, for those among `libraries`, which mapped_libraries() returned.
std::vector<std::string> usual_driver_files(const std::string& libraries);

}  // namespace texcast::test
