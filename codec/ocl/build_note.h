// build_note.h — a file that is there while a driver compiles or loads programs. A process that ends in the midst of
// that leaves it behind, so the next start knows that the driver may have ended it, and by what.
//
//     note.begin(folder, "Portable Computing Language", program);   // a hash, under which the caches have it
//     …                                                   // the driver builds it, and launches it for the first time
//     note.end(1);
//
// The file is locked (flock) as long as its process lives, so whether that has ended is known without looking for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "texcast/frame_times.h"

namespace texcast::ocl {

// Thread-safe.
class BuildNote {
 public:
  // A note that outlived its process.
  struct Left {
    std::filesystem::path file;
    std::string driver;                 // a platform's name
    int64_t since = 0;                  // when it began, in nanoseconds of the system's clock
    std::vector<std::string> programs;  // that it was at work on
    Descriptor lock{};                  // while it is held, nobody else takes care of it
  };
  static std::vector<Left> left_in(const std::filesystem::path& folder);

  BuildNote() = default;
  ~BuildNote();  // removes the file: a process that ends normally has not crashed
  BuildNote(const BuildNote&) = delete;
  BuildNote& operator=(const BuildNote&) = delete;

  // `driver` is at work on `program`. Each begin() has its end(). The file is in the folder of the first of them.
  void begin(const std::filesystem::path& folder, const std::string& driver, const std::string& program);
  void end(int builds);
  // The first launch of what was built may be hours away: the file goes where the last build began before then.
  void end_before(SteadyTime time);
  // Whether another process has such a file there.
  bool others_build_in(const std::filesystem::path& folder);

 private:
  void open(const std::filesystem::path& folder);
  void close();

  std::mutex mutex_;
  int builds_ = 0;  // that have begun and not ended
  SteadyTime last_begun_{};
  std::filesystem::path file_;
  Descriptor descriptor_;  // the open file; invalid: there is none
};

}  // namespace texcast::ocl
