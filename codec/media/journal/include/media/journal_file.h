// journal_file.h — the journal beside a recording. It is written with the recording, and read if that was never closed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "container/journal.h"
#include "media/output_claim.h"

namespace texcast::media {

// Reads the journal beside the recording. Returns nothing if there is none, and a Failure if it cannot be read or is
// not a journal. Thread-safe.
std::optional<Result<container::Journal>> journal_of(const std::string& recording);

// Whether a JournalFile for that recording exists now, in this process or another. Thread-safe.
bool is_being_recorded(const std::string& recording);

// The journal of a recording in progress. A thread flushes recording and journal to disk about once a second, so that
// neither a killed program nor a power failure costs more of the recording than that.
//
// Not thread-safe. The file belongs to the claim, and is locked as long as the claim lives, so that other programs can
// distinguish a recording in progress from one that was aborted.
class JournalFile {
 public:
  // Truncates the file. Throws Error{failed}.
  explicit JournalFile(std::shared_ptr<OutputClaim> claim);
  // Neither closes the journal nor removes it: the recording is left as after a crash.
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  // Writes the header and starts the thread. `recording` is the recording's descriptor, which must stay open as long as
  // this lives. Throws Error{failed}.
  void begin(const container::JournalHeader& header, int recording);
  // Appends to memory, until write_pending().
  void add(const container::JournalRecord& record) { container::append_journal_record(pending_, record); }
  // Passes added records to the system; call it after the recording's own bytes were written. Does not wait for the
  // disk; the thread does. Returns 0 or an errno, which may come from the thread.
  int write_pending();
  // Call it once the recording is finished and closed, with its length. Removes the journal. If there are marks
  // (records of kind concealed), keeps it with these only and a record of kind closed. Throws Error{failed}.
  void close(int64_t recording_bytes, const std::vector<container::JournalRecord>& marks);

 private:
  void run();
  void stop();

  const std::shared_ptr<OutputClaim> claim_;
  const std::string path_;
  int recording_ = -1;
  size_t header_bytes_ = 0;
  std::vector<std::byte> pending_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_new_bytes_ = false;  // written since the last flush
  bool stopping_ = false;
  std::atomic<int> error_ = 0;
  std::thread thread_;
};

}  // namespace texcast::media
