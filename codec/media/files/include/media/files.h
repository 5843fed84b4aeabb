// files.h — properties that follow from a file's name, and files that are read or written at once.
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

// In lower case, with its dot: ".mov"; empty if there is none.
std::string lower_extension(const std::string& path);

// FFmpeg's name of the container for a recording of this name: "mov" or "matroska"; nullptr if texcast cannot record to
// it.
const char* muxer_of(const std::string& path);

// The kind of a file that holds one texture, by its extension; nothing for other files.
std::optional<container::StillKind> still_kind(const std::string& path);
const char* name(container::StillKind kind);  // "dds", "ktx2", "astc"
bool is_still(std::string_view container);    // by its name()

// The names of a numbered sequence: the text around the number, and its minimum number of digits. For "f%05d.dds" these
// are "f", ".dds" and 5. Returns nothing and throws as numbered_name() does.
struct NumberPattern {
  std::string before{}, after{};
  size_t digits = 0;
};
std::optional<NumberPattern> number_pattern(const std::string& pattern);

// "f00007.dds" for "f%05d.dds" and 7; nothing if the path is not a pattern (exactly one %d or %0Nd; %% is one %).
// Different numbers give different names. Throws Error{usage} if N is larger than any number's length.
std::optional<std::string> numbered_name(const std::string& pattern, int64_t number);

// Reads a file that holds one texture into `bytes`: as much as its header describes, and only the header if that shows
// that nothing of the file can be read. A Failure names the file and the system's reason; it is also returned if the
// file is not a regular one, or if there are more than 2 GiB to read, which no texture has.
Result<void> read_still_file(container::StillKind kind, const std::string& path, std::vector<std::byte>& bytes);

// Throws Error{failed}: "cannot write 'show.mov': No space left on device"; ReaderGone if that is EPIPE. `system_error`
// is an errno.
[[noreturn]] void throw_cannot_write(const std::string& path, int system_error);

}  // namespace texcast::media
