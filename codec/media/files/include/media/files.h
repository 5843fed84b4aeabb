// files.h — what a file's name says about it, and files that are read or written in one go.
//
// Thread-safe: functions only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "container/still.h"

namespace texcast::media {

// In lower case, with its dot: ".mov"; empty where there is none.
std::string lower_extension(const std::string& path);

// FFmpeg's name of the container that a recording of this name is: "mov" or "matroska"; nullptr where texcast records
// no such container.
const char* muxer_of(const std::string& path);

// Of files that hold one texture, by their extension; nothing for others.
std::optional<container::StillKind> still_kind(const std::string& path);
const char* name(container::StillKind kind);  // "dds", "ktx2", "astc"
bool is_still(std::string_view container);    // by that name

// The names of a numbered sequence: the text around the number, and the digits that it has at least. Of "f%05d.dds"
// "f", ".dds" and 5. Nothing and throws as numbered_name().
struct NumberPattern {
  std::string before{}, after{};
  size_t digits = 0;
};
std::optional<NumberPattern> number_pattern(const std::string& pattern);

// "f00007.dds" of "f%05d.dds" and 7; nothing where the path has no such pattern (exactly one %d or %0Nd; %% is
// one %). Different numbers give different names. Throws Error{usage} where N is beyond every number.
std::optional<std::string> numbered_name(const std::string& pattern, int64_t number);

// A file that holds one texture into `bytes`: all that its header speaks of, and no more than the header where that
// says that nothing of it can be read. A Failure names the file and the system's reason, also where it is no regular
// file and where there is more than 2 GiB to read: no texture has.
Result<void> read_still_file(container::StillKind kind, const std::string& path, std::vector<std::byte>& bytes);

// Error{failed}: "cannot write 'show.mov': No space left on device". `system_error` is an errno.
[[noreturn]] void throw_cannot_write(const std::string& path, int system_error);

}  // namespace texcast::media
