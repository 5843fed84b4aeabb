// outputs.h — checks output files before anything starts, and handles existing and unfinished files of the same name.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "media/recorder.h"
#include "texcast/if_exists.h"

namespace texcast::cli {

// Throws Error{failed} if the folder does not exist or is not writable, or its disk is almost full.
void check_place(const std::string& path);

// Repairs unfinished recordings one after the other on a thread of its own, and logs the result of each. The destructor
// stops the thread: the next start finds the remaining recordings unchanged.
class Recoveries {
 public:
  explicit Recoveries(std::vector<std::string> recordings);
  ~Recoveries() { stop_ = true; }
  Recoveries(const Recoveries&) = delete;
  Recoveries& operator=(const Recoveries&) = delete;
  // Waits for at most a second, which is enough for most files. Logs which repairs go on in the background.
  void wait_a_moment();

 private:
  void run();

  const std::vector<std::string> recordings_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t done_ = 0;
  std::jthread thread_;  // last: it uses the members above
};

enum class Start {
  now,                  // the input is open
  with_the_first_frame  // which may come much later, and must not be refused then because a file exists meanwhile
};
// Prepares a recording: checks its folder and extension, repairs unfinished recordings of that name and keeps them, and
// claims the name (settings.claim). Logs what it does. Keep the returned object during the new recording. Does nothing
// and returns nullptr if the path is empty. Throws NameTaken, Error{usage}, Error{failed}.
[[nodiscard]] std::unique_ptr<Recoveries> claim_output(media::RecorderSettings& settings, IfExists if_exists,
                                                       Start start);

}  // namespace texcast::cli
