#include "program_sums.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

#include "cache_files.h"
#include "ocl/cache.h"

namespace texcast::ocl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSums = "texcast-sums";
constexpr std::string_view kFirstLine = "texcast sums 1";
constexpr size_t kLargestSums = 1 << 20, kLargestKernel = 256 << 20;

// Files that PoCL does not map: a time stamp and a log.
bool is_harmless(const std::string& path) { return path == kSums || path == "last_accessed" || path == "build.log"; }

// Removes a word and the blank after it from the start of the line.
std::string_view take_word(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(word.size() + 1, line.size()));
  return word;
}

// False if the line is invalid.
bool take_line(std::string_view line, ProgramSums& sums) {
  const std::string_view first = take_word(line);
  if (first == "program") {
    sums.programs.emplace_back(line);
    return is_content_hash(line);
  }
  const std::string_view size = take_word(line);
  ProgramSums::File file{.bytes = 0, .hash = std::string(first)};
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), file.bytes);
  if (!is_content_hash(first) || error != std::errc() || end != size.data() + size.size() || line.empty()) return false;
  sums.files.emplace(line, std::move(file));
  return true;
}

std::string text_of(const ProgramSums& sums) {
  std::string text = fmt::format("{}\n", kFirstLine);
  for (const std::string& program : sums.programs) text += fmt::format("program {}\n", program);
  for (const auto& [path, file] : sums.files) text += fmt::format("{} {} {}\n", file.hash, file.bytes, path);
  return text;
}

}  // namespace

std::optional<ProgramSums> read_sums(const fs::path& folder) {
  const auto all = read_own_file(folder / kSums, kLargestSums);
  if (!all) return std::nullopt;
  // The last line is the hash of those before it.
  const size_t last = all->rfind('\n', all->size() < 2 ? 0 : all->size() - 2);
  if (last == std::string::npos || !all->ends_with('\n')) return std::nullopt;
  const std::string_view text = std::string_view(*all).substr(0, last + 1);
  if (all->substr(last + 1) != content_hash(text) + "\n") return std::nullopt;
  ProgramSums sums;
  std::string_view rest = text;
  for (bool is_first = true; !rest.empty(); is_first = false) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    if (is_first ? line != kFirstLine : !take_line(line, sums)) return std::nullopt;
  }
  return sums;
}

void write_sums(const fs::path& folder, const ProgramSums& sums) {
  const std::string text = text_of(sums);
  write_own_file(folder / kSums, text + content_hash(text) + "\n");
}

std::optional<std::vector<std::string>> files_in_program(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::file_status status = entry->symlink_status(error);
    if (error) break;
    std::string path = entry->path().lexically_relative(folder).string();
    if (fs::is_directory(status) || is_harmless(path)) continue;
    // left behind by a write_own_file() that was interrupted
    if (path.starts_with(kSums)) continue;
    if (!fs::is_regular_file(status) || path.find('\n') != std::string::npos) return std::nullopt;
    files.push_back(std::move(path));
  }
  if (error) return std::nullopt;
  std::ranges::sort(files);
  return files;
}

std::optional<ProgramSums::File> sum_of_file(const fs::path& file) {
  const auto bytes = read_own_file(file, kLargestKernel);
  if (!bytes) return std::nullopt;
  return ProgramSums::File{.bytes = bytes->size(), .hash = content_hash(*bytes)};
}

bool is_unchanged(const fs::path& folder, const ProgramSums& sums) {
  return std::ranges::all_of(sums.files, [&](const auto& entry) {
    struct stat found {};
    const fs::path file = folder / entry.first;
    if (lstat(file.c_str(), &found) != 0) return errno == ENOENT || errno == ENOTDIR;
    return S_ISREG(found.st_mode) && static_cast<uint64_t>(found.st_size) == entry.second.bytes &&
           sum_of_file(file) == entry.second;
  });
}

}  // namespace texcast::ocl
