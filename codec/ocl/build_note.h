// build_note.h — a file that exists while a driver compiles or loads programs. A process that dies meanwhile leaves it
// behind, so the next start knows that the driver may have crashed, and on which programs.
//
//     note.begin(folder, "Portable Computing Language", program);   // a hash, under which the caches have it
//     …                                                   // the driver builds it, and launches it for the first time
//     note.end(1);
//
// The file is locked (flock) as long as its process lives, which shows whether the process has ended.
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
    std::vector<std::string> programs;  // those that it was building
    Descriptor lock{};                  // while it is held, no other process handles the note
  };
  static std::vector<Left> left_in(const std::filesystem::path& folder);

  BuildNote() = default;
  ~BuildNote();  // removes the file, as a process that ends normally has not crashed
  BuildNote(const BuildNote&) = delete;
  BuildNote& operator=(const BuildNote&) = delete;

  // `driver` builds `program`. Each begin() needs its end(). The file is in the folder of the first pending begin().
  void begin(const std::filesystem::path& folder, const std::string& driver, const std::string& program);
  void end(int builds);
  // Removes the file if the last build began before `time`, as the first launch of what was built may be hours away.
  void end_before(SteadyTime time);
  void drop();  // removes the file, although builds may be pending
  // Whether another process has such a file there.
  bool others_build_in(const std::filesystem::path& folder);

 private:
  void open(const std::filesystem::path& folder);
  void close();

  std::mutex mutex_;
  int builds_ = 0;  // begun and not ended
  SteadyTime last_begun_{};
  std::filesystem::path file_;
  Descriptor descriptor_;  // the open file; invalid: there is none
};

}  // namespace texcast::ocl
