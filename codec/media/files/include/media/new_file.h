// new_file.h — creates output files without a race, and never replaces another file unasked.
//
// Thread-safe: functions only. All throw Error{failed} with the system's reason. Those that create a file throw
// NameTaken if a file has the name already and `replace` is false. Devices and pipes do not count as such files: they
// are written to. A read-only file that has several names (farm/store.h) loses this one, and is not changed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "texcast/if_exists.h"

namespace texcast::media {

// "show.mov", then "show-2.mov", "show-3.mov": the names of one output, counted from 1. For a sequence: "f%05d-2.dds".
std::string part_name(const std::string& path, size_t part);

// Whether a regular file has that name, directly or through a symbolic link.
bool is_taken(const std::string& path);

// The numbers of the existing files of a numbered sequence ("f%05d.dds"), sorted.
std::vector<int64_t> existing_numbers(const std::string& pattern);

// The highest number among the existing files of a numbered sequence ("f%05d.dds"); -1 if there are none.
int64_t highest_number(const std::string& pattern);

// "'show.mov' exists already; …", with the possible remedies.
[[noreturn]] void throw_name_taken(const std::string& path);

// Returns make(part_name(path, first), first). With IfExists::number, if that throws NameTaken, tries the next parts up
// to the first free name.
template <typename Make>
auto under_free_name(const std::string& path, IfExists rule, Make make, size_t first = 1) {
  constexpr size_t kMostNames = 1'000'000;
  for (size_t part = first;; ++part) {
    try {
      return make(part_name(path, part), part);
    } catch (const NameTaken&) {
      if (rule != IfExists::number || part >= kMostNames) throw;
    }
  }
}

struct NewFile {
  Descriptor descriptor{};  // for writing
  bool created = false;     // the name did not exist before
};
NewFile create_file(const std::string& path, bool replace);

// Writes the whole file, `pieces` one after the other. The name appears, or changes to the new file, only when all
// bytes are written, so that a killed program leaves no partial file. Exceptions: file systems that cannot do that, and
// an old file that is a link, has several names or belongs to somebody else, which is overwritten.
void write_new_file(const std::string& path, std::span<const Bytes> pieces, bool replace);
inline void write_new_file(const std::string& path, std::initializer_list<Bytes> pieces, bool replace) {
  write_new_file(path, std::span(pieces.begin(), pieces.size()), replace);
}

}  // namespace texcast::media
