// driver_cache.h — guards PoCL's program cache: before PoCL maps files, they are compared with what was written, and
// removed if they differ, so that PoCL compiles the program again.
//
//     const auto before = cache.begin(program);   // its files are good, or gone
//     …                                           // PoCL builds it; it may compile more at the first launches
//     cache.end(program, before);
//     cache.seal();                               // sums of all that it has written so far; call it repeatedly
//
// Files without a sum may have any contents after a power failure. The first process that is alone with the folder
// removes them; each process holds a lock as long as it lives, which shows who is alone. A folder that the user has
// named (POCL_CACHE_DIR) holds files of other programs too; there, only programs with sums are guarded.
//
// Processes that compile the same program at once replace each other's files by other bytes (program_sums.h). While
// another process lives, a file that has been replaced since its sum was written is therefore no damage: its sum is
// taken again. Once a process is alone, such a file counts as any other, because its writer may have ended in a crash.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "program_sums.h"

namespace texcast::ocl {

// Thread-safe. Several processes may use one folder at once.
class DriverCache {
 public:
  // `is_ours`: nobody else keeps anything in the folder. `longest_wait`: for a process that is alone with the folder
  // and removes leftovers. It is long enough for a slow disk, and ends if that process was stopped.
  DriverCache(std::filesystem::path folder, bool is_ours,
              std::chrono::nanoseconds longest_wait = std::chrono::seconds(60));

  const std::filesystem::path& folder() const { return folder_; }
  // Whether PoCL has undamaged files of `program`.
  bool has(const std::string& program);

  // begin() and end() enclose a build by PoCL.
  struct Before {
    bool is_there = false;                                 // as has() returns
    std::map<std::filesystem::path, int64_t> last_used{};  // when each program was built last, by its folder
  };
  Before begin(const std::string& program);
  void end(const std::string& program, const Before& before);
  void seal();

  // Checks all programs with sums now.
  struct State {
    int programs = 0, removed = 0;
  };
  State examine();

  // Removes these programs, and those without sums that were used at or after `since` (in nanoseconds of the system's
  // clock).
  void forget(const std::vector<std::string>& programs, int64_t since);

 private:
  struct Kept {
    ProgramSums sums;
    bool is_checked = false;  // in this process
  };

  void open();
  void sweep();
  void check_replaced();
  bool others_live() const;
  void remove_temporary_files() const;
  void read_again();
  bool check(const std::filesystem::path& program_folder, Kept& kept);
  bool is_good(const std::filesystem::path& program_folder, ProgramSums& sums) const;
  bool check_all_of(const std::string& program);
  void check_all();
  void remove(const std::filesystem::path& program_folder);

  const std::filesystem::path folder_;
  const bool is_ours_;
  const std::chrono::nanoseconds longest_wait_;

  std::mutex mutex_;
  Descriptor lock_;                                              // held from the first access to the folder on
  bool shares_lock_ = false;                                     // else another process has kept the folder to itself
  std::map<std::filesystem::path, Kept> kept_;                   // programs with sums
  std::map<std::filesystem::path, std::set<std::string>> used_;  // by this process: the programs of a folder
  int removed_ = 0;                                              // damaged programs
};

}  // namespace texcast::ocl
