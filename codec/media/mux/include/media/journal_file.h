// journal_file.h — the journal beside a recording while it is written, and a thread that brings both to the disk about
// once a second, so that neither a kill nor a power cut takes more than that.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/frame_times.h"
#include "container/journal.h"

namespace texcast::media {

// Not thread-safe; its own thread is inside. The file is locked (flock) while this lives, so that others can tell a
// recording that goes on from one that ended badly.
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
