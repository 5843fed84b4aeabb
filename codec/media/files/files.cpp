#include "media/files.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/errno_text.h"
#include "base/reader_gone.h"
#include "base/regular_file.h"
#include "base/whole_io.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

// The largest picture, in three layers of 16-byte blocks and with its mip levels, is smaller.
constexpr uint64_t kMaxStillBytes = uint64_t{2} << 30;

// The name of a kind of file, which is also its extension.
struct StillName {
  container::StillKind kind;
  const char* name;
};
constexpr std::array kStillNames = {StillName{container::StillKind::dds, "dds"},
                                    StillName{container::StillKind::ktx2, "ktx2"},
                                    StillName{container::StillKind::astc, "astc"}};

}  // namespace

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

const char* muxer_of(const std::string& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".mov") return "mov";
  return extension == ".mkv" ? "matroska" : nullptr;
}

std::optional<container::StillKind> still_kind(const std::string& path) {
  const std::string extension = lower_extension(path);
  const auto is_of = [&](const StillName& row) { return extension == std::string(".") + row.name; };
  const auto found = std::ranges::find_if(kStillNames, is_of);
  return found == kStillNames.end() ? std::nullopt : std::optional(found->kind);
}

const char* name(container::StillKind kind) { return std::ranges::find(kStillNames, kind, &StillName::kind)->name; }

bool is_still(std::string_view container) {
  return std::ranges::any_of(kStillNames, [&](const StillName& row) { return row.name == container; });
}

// Patterns are read as FFmpeg does, except that FFmpeg has only twenty bytes for a number: it truncates longer ones, so
// that all frames of "%99d" have the same name.
std::optional<NumberPattern> number_pattern(const std::string& pattern) {
  constexpr size_t kMostDigits = 18;  // for an int64_t, whatever its value
  NumberPattern parts;
  bool has_number = false;
  for (size_t at = 0; at < pattern.size(); ++at) {
    std::string& text = has_number ? parts.after : parts.before;
    if (pattern[at] != '%') {
      text += pattern[at];
      continue;
    }
    const size_t begin = at++;
    const size_t end = std::min(pattern.find_first_not_of("0123456789", at), pattern.size());
    if (end == at && end < pattern.size() && pattern[end] == '%') {
      text += '%';
      continue;
    }
    if (end == pattern.size() || pattern[end] != 'd' || has_number) return std::nullopt;
    // Out of range: refused below, by its length.
    std::from_chars(pattern.data() + at, pattern.data() + end, parts.digits);
    if (parts.digits > kMostDigits || end - at > kMostDigits)
      throw Error(ErrorKind::usage, fmt::format("'{}' of '{}' has too many digits: give at most {}, for example %05d",
                                                pattern.substr(begin, end + 1 - begin), pattern, kMostDigits));
    has_number = true;
    at = end;
  }
  return has_number ? std::optional(parts) : std::nullopt;
}

std::optional<std::string> numbered_name(const std::string& pattern, int64_t number) {
  const auto parts = number_pattern(pattern);
  if (!parts) return std::nullopt;
  return fmt::format("{}{:0{}}{}", parts->before, number, parts->digits, parts->after);
}

Result<void> read_still_file(container::StillKind kind, const std::string& path, std::vector<std::byte>& bytes) {
  const auto file = open_regular_file(path);
  if (!file) return Failure{fmt::format("cannot open '{}': {}", path, file.error().message)};
  // Another program may truncate the file meanwhile.
  const auto read_into_bytes = [&](uint64_t count) -> Result<void> {
    bytes.resize(static_cast<size_t>(count));
    const auto have = read_all_at(file->descriptor.get(), bytes, 0);
    if (!have) return Failure{fmt::format("cannot read '{}': {}", path, have.error().message)};
    bytes.resize(*have);
    return {};
  };
  const auto head = read_into_bytes(std::min<uint64_t>(file->bytes, container::kStillHead));
  if (!head) return head.error();
  const auto spoken_of = container::still_bytes(kind, bytes);
  const uint64_t wanted = spoken_of ? std::min(file->bytes, *spoken_of) : 0;
  if (wanted <= bytes.size()) return {};
  if (wanted > kMaxStillBytes)
    return Failure{fmt::format("'{}' has {} bytes; the limit for a texture is {}", path, wanted, kMaxStillBytes)};
  return read_into_bytes(wanted);
}

void throw_cannot_write(const std::string& path, int system_error) {
  const std::string text = fmt::format("cannot write '{}': {}", path, errno_text(system_error));
  if (system_error == EPIPE) throw ReaderGone(ErrorKind::failed, text);
  throw Error(ErrorKind::failed, text);
}

}  // namespace texcast::media
