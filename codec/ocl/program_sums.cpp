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
constexpr std::string_view kFirstLine = "texcast sums 2";
constexpr size_t kLargestSums = 1 << 20, kLargestKernel = 256 << 20;

// Files that PoCL does not map: a time stamp and a log.
bool is_harmless(const std::string& path) { return path == kSums || path == "last_accessed" || path == "build.log"; }

// Removes a word and the blank after it from the start of the line.
std::string_view take_word(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(word.size() + 1, line.size()));
  return word;
}

bool take_number(std::string_view& line, auto& number) {
  const std::string_view word = take_word(line);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

// False if the line is invalid.
bool take_line(std::string_view line, ProgramSums& sums) {
  const std::string_view first = take_word(line);
  if (first == "program") {
    sums.programs.emplace_back(line);
    return is_content_hash(line);
  }
  ProgramSums::File file{.bytes = 0, .hash = std::string(first)};
  if (!is_content_hash(first) || !take_number(line, file.bytes) || !take_number(line, file.version.changed) ||
      !take_number(line, file.version.inode) || line.empty())
    return false;
  sums.files.emplace(line, std::move(file));
  return true;
}

std::string text_of(const ProgramSums& sums) {
  std::string text = fmt::format("{}\n", kFirstLine);
  for (const std::string& program : sums.programs) text += fmt::format("program {}\n", program);
  for (const auto& [path, file] : sums.files)
    text += fmt::format("{} {} {} {} {}\n", file.hash, file.bytes, file.version.changed, file.version.inode, path);
  return text;
}

// Nothing if the file does not exist. A file that is not a regular one never has the version of one that was.
std::optional<ProgramSums::Version> version_of(const fs::path& file) {
  struct stat found {};
  if (lstat(file.c_str(), &found) != 0) return std::nullopt;
  return ProgramSums::Version{.changed = int64_t{found.st_ctim.tv_sec} * 1'000'000'000 + found.st_ctim.tv_nsec,
                              .inode = found.st_ino};
}

// The present sum; nothing if the file cannot be read. If it is replaced meanwhile, the version is the earlier one.
std::optional<ProgramSums::File> sum_of_file(const fs::path& file) {
  const auto version = version_of(file);
  const auto bytes = version ? read_own_file(file, kLargestKernel) : std::nullopt;
  if (!bytes) return std::nullopt;
  return ProgramSums::File{.bytes = bytes->size(), .hash = content_hash(*bytes), .version = *version};
}

Difference difference(const fs::path& file, const ProgramSums::File& sum) {
  struct stat found {};
  if (lstat(file.c_str(), &found) != 0)
    return errno == ENOENT || errno == ENOTDIR ? Difference::none : Difference::damaged;
  if (!S_ISREG(found.st_mode)) return Difference::damaged;
  const auto version = version_of(file);
  if (static_cast<uint64_t>(found.st_size) == sum.bytes)
    if (const auto now = sum_of_file(file); now && now->bytes == sum.bytes && now->hash == sum.hash)
      return Difference::none;
  return version == sum.version ? Difference::damaged : Difference::replaced;
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

std::map<std::string, ProgramSums::File> sums_of_files(const fs::path& folder, const std::vector<std::string>& files,
                                                       const ProgramSums& known) {
  std::map<std::string, ProgramSums::File> sums;
  for (const std::string& path : files) {
    const auto old = known.files.find(path);
    if (old != known.files.end() && version_of(folder / path) == old->second.version)
      sums.insert(*old);
    else if (auto sum = sum_of_file(folder / path))
      sums.emplace(path, std::move(*sum));
  }
  return sums;
}

Difference difference(const fs::path& folder, const ProgramSums& sums) {
  Difference worst = Difference::none;
  for (const auto& [path, sum] : sums.files) worst = std::max(worst, difference(folder / path, sum));
  return worst;
}

bool has_replaced_file(const fs::path& folder, const ProgramSums& sums) {
  return std::ranges::any_of(sums.files, [&](const auto& entry) {
    const auto version = version_of(folder / entry.first);
    return version && *version != entry.second.version;
  });
}

}  // namespace texcast::ocl
