// program_sums.h — checksums of a folder in which PoCL keeps one program, in a file beside PoCL's. They find empty,
// truncated and corrupted files before PoCL maps them, which would end the process or produce wrong blocks.
//
// PoCL keeps a program in CACHE/XX/HASH: program.bc, and below a folder for each kernel a shared object for each
// configuration in which it was launched. It writes a file under another name and renames it. A process writes only
// files that are missing; but if two processes miss the same file at once, both write it, and the second one replaces
// the file of the first by other bytes, because PoCL does not compile to the same bytes twice. `last_accessed` is
// empty, and touched whenever the program is built.
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
  // Tells a file from another one that has replaced it since. Errors of the disk do not change it.
  struct Version {
    int64_t changed = 0;  // in nanoseconds of the file system's clock (st_ctim)
    uint64_t inode = 0;
    bool operator==(const Version&) const = default;
  };
  struct File {
    uint64_t bytes = 0;
    std::string hash{};  // content_hash()
    Version version{};
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
// The sums of these files: those of `known` for files that nothing has replaced since, and new ones for all others.
// Files that cannot be read have none.
std::map<std::string, ProgramSums::File> sums_of_files(const std::filesystem::path& folder,
                                                       const std::vector<std::string>& files, const ProgramSums& known);

// How the files of `sums` that still exist differ from them. If several files differ, the worst counts.
enum class Difference {
  none,
  replaced,  // every file with other bytes has been replaced since
  damaged,   // a file has other bytes, and is the one that was there
};
Difference difference(const std::filesystem::path& folder, const ProgramSums& sums);
// Whether a file of `sums` has been replaced since, by whichever bytes.
bool has_replaced_file(const std::filesystem::path& folder, const ProgramSums& sums);

}  // namespace texcast::ocl
