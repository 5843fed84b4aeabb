// new_file.h — files that are written: created without a race, never in the place of another one unasked.
//
// Thread-safe: functions only. All throw Error{failed} with the system's reason; those that create throw NameTaken
// where a file has the name already and `replace` is false. Devices and pipes are no such files: they are written to.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "texcast/if_exists.h"

namespace texcast::media {

// "show.mov", then "show-2.mov", "show-3.mov": the names of one output, counted from 1. Of a sequence: "f%05d-2.dds".
std::string part_name(const std::string& path, size_t part);

// Whether a regular file has that name, itself or through a symbolic link.
bool is_taken(const std::string& path);

// Of the files of a numbered sequence ("f%05d.dds") that are there, the highest number; -1 where there is none.
int64_t highest_number(const std::string& pattern);

// "'show.mov' exists already; …", with what there is to do about it.
[[noreturn]] void throw_name_taken(const std::string& path);

// What `make` makes of part_name(path, first). With IfExists::number, where that throws NameTaken, of the next parts,
// up to the first name that is free.
template <typename Make>
auto under_free_name(const std::string& path, IfExists rule, Make make, size_t first = 1) {
  constexpr size_t kMostParts = 1'000'000;
  for (size_t part = first;; ++part) {
    try {
      return make(part_name(path, part), part);
    } catch (const NameTaken&) {
      if (rule != IfExists::number || part >= kMostParts) throw;
    }
  }
}

struct NewFile {
  Descriptor descriptor{};  // for writing
  bool created = false;     // there was nothing of that name
};
NewFile create_file(const std::string& path, bool replace);

// The whole file, `pieces` one after the other. Where the file system can do that and nothing is replaced, the name
// comes into being with all the bytes behind it, so that a killed program leaves no half of a file.
void write_new_file(const std::string& path, std::span<const Bytes> pieces, bool replace);
inline void write_new_file(const std::string& path, std::initializer_list<Bytes> pieces, bool replace) {
  write_new_file(path, std::span(pieces.begin(), pieces.size()), replace);
}

}  // namespace texcast::media
