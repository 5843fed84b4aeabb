// outputs.h — files that commands write: whether they can be, before anything starts, and what becomes of files that
// have their names already.
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

// Throws Error{failed}: the folder is not there, or may not be written to, or its disk is as good as full.
void check_place(const std::string& path);

// Recordings that were cut off, made whole one after the other on a thread of its own. What is not done when this ends
// is given up: the next start finds those as they were. What becomes of each is said in a line.
class Recoveries {
 public:
  explicit Recoveries(std::vector<std::string> recordings);
  ~Recoveries() { stop_ = true; }
  Recoveries(const Recoveries&) = delete;
  Recoveries& operator=(const Recoveries&) = delete;
  // Up to a second, which is enough for most. Says what goes on behind it.
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

// Of a recording that begins: its place and extension are checked, recordings of that name that were never closed are
// recovered and left alone, and the name is claimed (settings.claim). With all that the log tells. Throws NameTaken,
// Error{usage}, Error{failed}. No path: nothing is recorded, nothing is done. What it returns is kept while the new
// recording is made.
enum class Start {
  now /* the input is there */,
  with_the_first_frame /* which may be long: no frame is refused then */
};
[[nodiscard]] std::unique_ptr<Recoveries> claim_output(media::RecorderSettings& settings, IfExists if_exists,
                                                       Start start);

}  // namespace texcast::cli
