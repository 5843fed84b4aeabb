// store.h — a folder with outputs under their ids: "5e88….ktx2". A file with such a name is complete.
//
//     if (auto stored = store.find(id, ".ktx2")) deliver(*stored, "out/a.ktx2", IfExists::refuse);
//     else { const auto draft = store.begin(id, ".ktx2"); encode_to(draft->path()); deliver(draft->keep(), …); }
//
// Several processes and machines may use one folder at the same time. A process makes its files in a folder of its own
// below ".drafts"; a killed one leaves it behind, and the next one on the same machine removes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "texcast/if_exists.h"

namespace texcast::farm {

// A file that is being made. The destructor removes it, unless it was kept.
class Draft {
 public:
  // `final_path`: its name when it is complete, on the same file system.
  Draft(std::string path, std::string final_path);
  ~Draft();
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  const std::string& path() const { return path_; }
  // Writes the complete file to the disk, makes it read-only, and gives it its final name, which it returns. Another
  // file of that name gives way. Throws Error{failed}.
  std::string keep();

 private:
  const std::string path_, final_path_;
  bool kept_ = false;
};

// Thread-safe.
class Store {
 public:
  // Makes the folder if there is none. Throws Error{failed}.
  explicit Store(const std::string& folder);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // The path of the output; nothing: there is none yet. `extension`: with its dot.
  std::optional<std::string> find(const std::string& id, const std::string& extension) const;
  // The store must outlive the draft.
  std::unique_ptr<Draft> begin(const std::string& id, const std::string& extension);

 private:
  std::string path_of(const std::string& id, const std::string& extension) const;
  const std::string folder_;
  std::string drafts_;  // the folder of this process
  Descriptor lock_;     // of that folder, held as long as this lives
  std::atomic<uint64_t> next_ = 0;
};

// Gives a complete file a second name, by a hard link or, where that is impossible, by a copy. Makes the folders of
// `output`. A file that has the same content already stays, also with IfExists::refuse. Returns the name. Throws
// NameTaken, Error{failed}.
std::string deliver(const std::string& stored, const std::string& output, IfExists rule);

// Throws Error{input} if one of them cannot be read.
bool same_content(const std::string& one, const std::string& other);

}  // namespace texcast::farm
