// output_claim.h — reserves the name of a recording from the moment it is requested, by the file of its journal, which
// is locked as long as the claim lives.
//
//     const auto claim = OutputClaim::take("show.mov", IfExists::number);   // claim->path(): "show-2.mov"
//
// .mov, .mkv and numbered sequences have such a file ("show.mov.journal", "f%05d.dds.journal"). A killed program leaves
// it behind unlocked, which distinguishes an unfinished recording from a finished one.
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
// Removes a recording that cannot be completed, and its journal. Failures are ignored.
void discard_recording(const std::string& recording);

// Not thread-safe; distinct objects are independent.
class OutputClaim {
 public:
  // Takes part_name(base, part), or with IfExists::number the first free name from that on. A name is free if nothing
  // uses it: there is no file, no journal that mentions one, and no other claim. An existing sequence is continued
  // after its highest number. Throws NameTaken if the name is not free, or with IfExists::overwrite if a recording to
  // it is in progress, and Error{failed} if the folder is not writable.
  static std::shared_ptr<OutputClaim> take(const std::string& base, IfExists rule, size_t part = 1);
  // As withdraw().
  ~OutputClaim();
  OutputClaim(const OutputClaim&) = delete;
  OutputClaim& operator=(const OutputClaim&) = delete;

  const std::string& path() const { return path_; }
  size_t part() const { return part_; }
  bool replaces() const { return replaces_; }             // an existing file of that name may be overwritten
  int64_t first_number() const { return first_number_; }  // of a sequence: the number of its first file

  // The journal's file, for JournalFile only.
  int descriptor() const { return journal_.get(); }
  // Gives the name back, and removes the journal's file if it is empty. Afterwards the object can only be destroyed.
  void withdraw();
  void remove_journal();  // call it when the recording is complete; does not throw, logs

 private:
  OutputClaim(const std::string& path, size_t part, IfExists rule);
  void lock();
  void check_free(IfExists rule, bool is_sequence);

  std::string path_;
  std::string journal_name_;  // within its folder
  size_t part_;
  bool replaces_;
  bool created_ = false;  // the journal's file
  bool owned_ = false;    // the name is reserved, even if a killed program had created that file
  int64_t first_number_ = 0;
  Descriptor folder_;  // stays valid if the folder is renamed
  Descriptor journal_;
};

// The leftovers of killed programs for an output: of show.mov, show-2.mov …, or of a sequence.
struct Unfinished {
  enum class Kind {
    recording,  // never closed; `texcast recover` may repair it
    sequence,   // its files are complete, but the recording was not ended
    claim,      // nothing was recorded
    journal,    // whose recording is missing
  };
  Kind kind;
  std::string path;
};
// Sorted by part. Recordings in progress are not included.
std::vector<Unfinished> unfinished_of(const std::string& base);

}  // namespace texcast::media
