// journal_file.h — the journal beside a recording: written with it, and read when the recording was never closed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "container/journal.h"

namespace texcast::media {

// "show.mov.journal"
std::string journal_path(const std::string& recording);

// Nothing where there is no journal beside the recording; a Failure where it cannot be read or is none.
std::optional<Result<container::Journal>> journal_of(const std::string& recording);

// Whether a JournalFile of that recording lives, in this process or another.
bool is_being_recorded(const std::string& recording);

// The journal while it is written. A thread of its own brings recording and journal to the disk about once a second, so
// that neither a killed program nor a power cut costs more of the recording than that.
//
// Not thread-safe. The file is locked (flock) while this lives, so that other programs can tell a recording that goes
// on from one that ended badly.
class JournalFile {
 public:
  // Creates or empties it. Throws Error{failed}, also where somebody is writing that recording right now.
  explicit JournalFile(const std::string& recording);
  // Neither closes the journal nor removes it: the recording is left as after a crash.
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  // Writes the header and starts bringing `recording` (its descriptor, open until the end of this) and the journal to
  // the disk.
  void begin(const container::JournalHeader& header, int recording);
  void add(const container::JournalRecord& record) { container::append_journal_record(pending_, record); }
  // Hands what was added to the system; the recording's bytes went there before. Cheap: the thread waits for the disk.
  // 0 or an errno, also of what the thread met.
  int write_pending();
  // The recording is complete on the disk (the caller's business) and has so many bytes: removes the journal, or where
  // there are marks keeps them and says that it is closed.
  void close(int64_t recording_bytes, const std::vector<container::JournalRecord>& marks);

 private:
  void run();
  void stop();
  int write_all(Bytes bytes);  // 0 or an errno

  const std::string path_;
  int descriptor_ = -1;
  int recording_ = -1;
  size_t header_bytes_ = 0;
  std::vector<std::byte> pending_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool fresh_ = false;  // written since the disk was asked last
  bool stopping_ = false;
  std::atomic<int> error_ = 0;
  std::thread thread_;
};

}  // namespace texcast::media
