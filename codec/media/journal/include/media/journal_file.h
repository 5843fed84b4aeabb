// journal_file.h — the journal beside a recording: written with it, and read when the recording was never closed.
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

// Reads the journal beside the recording. Nothing where there is none; a Failure where it cannot be read, or what lies
// there is no journal. Thread-safe.
std::optional<Result<container::Journal>> journal_of(const std::string& recording);

// Whether a JournalFile for that recording exists right now, in this process or another. Thread-safe.
bool is_being_recorded(const std::string& recording);

// The journal while it is written. A thread of its own brings recording and journal to the disk about once a second, so
// that neither a killed program nor a power cut costs more of the recording than that.
//
// Not thread-safe. The file is the claim's, and locked as long as that lives, so that other programs can tell a
// recording that goes on from one that ended badly.
class JournalFile {
 public:
  // Empties the file. Throws Error{failed}.
  explicit JournalFile(std::shared_ptr<OutputClaim> claim);
  // Neither closes the journal nor removes it: the recording is left as after a crash.
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  // Writes the header and starts the thread. `recording` is the recording's descriptor, which stays open as long as
  // this lives. Throws Error{failed}.
  void begin(const container::JournalHeader& header, int recording);
  // Into memory, until write_pending().
  void add(const container::JournalRecord& record) { container::append_journal_record(pending_, record); }
  // Hands what was added to the system, after the caller did so with the recording's own bytes. Does not wait for the
  // disk: the thread does. 0 or an errno, which may be one that the thread met.
  int write_pending();
  // To be called once the recording is finished and closed with so many bytes. Removes the journal; where there are
  // marks (records of kind concealed), keeps it with those alone and a record that says "closed". Throws Error{failed}.
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
  bool has_new_bytes_ = false;  // written since the disk was asked last
  bool stopping_ = false;
  std::atomic<int> error_ = 0;
  std::thread thread_;
};

}  // namespace texcast::media
