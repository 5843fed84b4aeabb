// program_sums.h — checksums of a folder in which PoCL keeps one program, in a file beside PoCL's. They find empty,
// truncated and corrupted files before PoCL maps them, which would end the process or produce wrong blocks.
//
// PoCL keeps a program in CACHE/XX/HASH: program.bc, and below a folder for each kernel a shared object for each
// configuration in which it was launched. It writes a file under another name and renames it, and never writes it
// again. `last_accessed` is empty, and touched whenever the program is built.
//
// Thread-safe: functions only, on distinct folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace texcast::ocl {

struct ProgramSums {
  struct File {
    uint64_t bytes = 0;
    std::string hash{};  // content_hash()
    bool operator==(const File&) const = default;
  };
  std::vector<std::string> programs{};  // content_hash() of the programs that were built when PoCL used this folder
  std::map<std::string, File> files{};  // by the path in the folder
  bool operator==(const ProgramSums&) const = default;
};

// Nothing if there is no such file, or it is damaged.
std::optional<ProgramSums> read_sums(const std::filesystem::path& folder);
void write_sums(const std::filesystem::path& folder, const ProgramSums& sums);

// The paths of all files that PoCL has there now; nothing if the folder contains something that PoCL does not create.
std::optional<std::vector<std::string>> files_in_program(const std::filesystem::path& folder);
// The present sum; nothing if the file cannot be read.
std::optional<ProgramSums::File> sum_of_file(const std::filesystem::path& file);

// Whether all files of `sums` that still exist are unchanged.
bool is_unchanged(const std::filesystem::path& folder, const ProgramSums& sums);

}  // namespace texcast::ocl
