// output_claim.h — a name that a recording has for itself, from the moment when it is asked for: through the file of
// its journal, which is locked as long as the claim lives.
//
//     const auto claim = OutputClaim::take("show.mov", IfExists::number);   // claim->path(): "show-2.mov"
//
// .mov, .mkv and numbered sequences have such a file ("show.mov.journal", "f%05d.dds.journal"). A killed program leaves
// it behind, unlocked: that is how an unfinished recording is told from a finished one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "texcast/if_exists.h"

namespace texcast::media {

// "show.mov.journal"
std::string journal_path(const std::string& recording);

// Not thread-safe; distinct objects are independent.
class OutputClaim {
 public:
  // Takes part_name(base, part); with IfExists::number the first free name from that on. A name is free where nothing
  // of it is there: no file, no journal that tells of one, nobody who claims it. A sequence that is there is gone on
  // with behind its highest number. Throws NameTaken where the name is not free, with IfExists::overwrite where
  // somebody records it right now, and Error{failed} where the folder cannot be written to.
  static std::shared_ptr<OutputClaim> take(const std::string& base, IfExists rule, size_t part = 1);
  // Removes the journal's file, if nothing was put into it.
  ~OutputClaim();
  OutputClaim(const OutputClaim&) = delete;
  OutputClaim& operator=(const OutputClaim&) = delete;

  const std::string& path() const { return path_; }
  size_t part() const { return part_; }
  bool replaces() const { return replaces_; }             // what has the name may be overwritten
  int64_t first_number() const { return first_number_; }  // of a sequence: that its first file gets

  // The journal's file, for JournalFile alone.
  int descriptor() const { return journal_.get(); }
  void remove_journal();  // the recording is complete; throws nothing, logs

 private:
  OutputClaim(const std::string& path, size_t part, IfExists rule);
  void lock();
  void check_free(IfExists rule, bool is_sequence);
  void release();

  std::string path_;
  std::string journal_name_;  // in its folder
  size_t part_;
  bool replaces_;
  bool created_ = false;  // the journal's file
  bool owned_ = false;    // the name is ours, also where a killed program had made that file
  int64_t first_number_ = 0;
  Descriptor folder_;  // stays the same where its name changes
  Descriptor journal_;
};

// What programs that were killed have left of an output: of show.mov, show-2.mov …, or of a sequence.
struct Unfinished {
  enum class Kind {
    recording,  // never closed; `texcast recover` may make it whole
    sequence,   // its files are whole; the recording of them was not ended
    claim,      // nothing was recorded
    journal,    // that has lost its recording
  };
  Kind kind;
  std::string path;
};
// Sorted by part. Recordings that go on are none of these.
std::vector<Unfinished> unfinished_of(const std::string& base);

}  // namespace texcast::media
