#include "media/output_claim.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file_place.h"
#include "base/log.h"
#include "media/files.h"
#include "media/journal_file.h"
#include "media/new_file.h"
#include "media/recording_state.h"

namespace texcast::media {
namespace {

namespace fs = std::filesystem;

bool is_sequence(const std::string& path) {
  return still_kind(path) != std::nullopt && numbered_name(path, 0) != std::nullopt;
}

// A single image is written at once, and has no journal.
bool is_single_still(const std::string& path) { return still_kind(path) != std::nullopt && !is_sequence(path); }

int64_t bytes_in(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 ? status.st_size : 0;
}

// The number of the part that a file name denotes: 1 for "show.mov" itself, 3 for "show-3.mov".
std::optional<size_t> part_of(const std::string& name, const std::string& base_name) {
  if (name == base_name) return 1;
  const size_t dot = std::min(base_name.rfind('.'), base_name.size());
  const std::string before = base_name.substr(0, dot) + "-", after = base_name.substr(dot);
  if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after))
    return std::nullopt;
  size_t part = 0;
  const char* const end = name.data() + name.size() - after.size();
  const auto [read_to, code] = std::from_chars(name.data() + before.size(), end, part);
  // It must be written as part_name() does, without leading zeros.
  if (code != std::errc{} || read_to != end || part_name(base_name, part) != name) return std::nullopt;
  return part;
}

std::optional<Unfinished> unfinished(const std::string& path) {
  using Kind = Unfinished::Kind;
  if (is_being_recorded(path)) return std::nullopt;
  if (is_sequence(path)) return Unfinished{highest_number(path) >= 0 ? Kind::sequence : Kind::claim, path};
  std::error_code error;
  const bool has_records = fs::file_size(journal_path(path), error) > 0 && !error;
  if (!is_taken(path)) return Unfinished{has_records ? Kind::journal : Kind::claim, path};
  const auto journal = journal_of(path);
  if (!journal || (*journal && (*journal)->closed() != nullptr)) return std::nullopt;
  return Unfinished{Kind::recording, path};
}

}  // namespace

std::string journal_path(const std::string& recording) { return recording + ".journal"; }

void discard_recording(const std::string& recording) {
  std::error_code ignored;
  fs::remove(recording, ignored);
  fs::remove(journal_path(recording), ignored);
}

std::shared_ptr<OutputClaim> OutputClaim::take(const std::string& base, IfExists rule, size_t part) {
  return under_free_name(
      base, rule,
      [&](const std::string& name, size_t of_name) {
        return std::shared_ptr<OutputClaim>(new OutputClaim(name, of_name, rule));
      },
      part);
}

OutputClaim::OutputClaim(const std::string& path, size_t part, IfExists rule)
    : path_(path),
      journal_name_(journal_path(fs::path(path).filename().string())),
      part_(part),
      replaces_(rule == IfExists::overwrite) {
  try {
    if (is_single_still(path)) {
      if (!replaces_ && is_taken(path)) throw_name_taken(path);
      return;
    }
    const bool sequence = is_sequence(path);
    if (!replaces_ && !sequence && is_taken(path) && !is_being_recorded(path)) throw_name_taken(path);
    lock();
    check_free(rule, sequence);
    owned_ = true;
  } catch (...) {
    withdraw();
    throw;
  }
}

void OutputClaim::lock() {
  folder_ = Descriptor(open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.valid()) throw_cannot_write(path_, errno);
  while (true) {
    journal_ = Descriptor(openat(folder_.get(), journal_name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    created_ = journal_.valid();
    if (!created_) {
      if (errno != EEXIST) throw_cannot_write(path_, errno);
      journal_ = Descriptor(openat(folder_.get(), journal_name_.c_str(), O_RDWR | O_CLOEXEC));
      if (!journal_.valid() && errno == ENOENT) continue;  // its owner has removed it between the two calls
      if (!journal_.valid()) throw_cannot_write(path_, errno);
    }
    if (flock(descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      created_ = false;  // another process was quicker and owns it now
      throw NameTaken(
          fmt::format("cannot write '{}': it is being recorded already; --number takes the next free name", path_));
    }
    // The previous owner of the lock may have removed the file: then its name is free, or belongs to a newer file.
    struct stat ours {
    }, named{};
    if (fstat(descriptor(), &ours) == 0 && fstatat(folder_.get(), journal_name_.c_str(), &named, 0) == 0 &&
        ours.st_ino == named.st_ino && ours.st_dev == named.st_dev)
      return;
    journal_.close();
  }
}

void OutputClaim::check_free(IfExists rule, bool sequence) {
  if (sequence) {
    const int64_t highest = highest_number(path_);
    if (rule == IfExists::refuse && highest >= 0) throw_name_taken(numbered_name(path_, highest).value_or(path_));
    // A further part needs its own files, and does not continue those of another recording.
    if (rule == IfExists::number && highest >= 0 && part_ > 1) throw_name_taken(path_);
    if (rule == IfExists::number) first_number_ = highest + 1;
    return;
  }
  if (replaces_) return;
  if (is_taken(path_)) throw_name_taken(path_);
  if (bytes_in(descriptor()) > 0)
    throw NameTaken(
        fmt::format("'{}' belongs to a recording that is missing; --number takes the next free "
                    "name, --overwrite replaces it",
                    journal_path(path_)));
}

void OutputClaim::remove_journal() {
  if (journal_.valid() && unlinkat(folder_.get(), journal_name_.c_str(), 0) != 0 && errno != ENOENT)
    log_warning("cannot remove '{}'", journal_path(path_));
  created_ = owned_ = false;
}

// Called with the lock held: a process that waits for the lock sees that the name is gone.
void OutputClaim::withdraw() {
  if (journal_.valid() && (created_ || owned_) && bytes_in(descriptor()) == 0)
    unlinkat(folder_.get(), journal_name_.c_str(), 0);
  journal_.close();
  folder_.close();
}

OutputClaim::~OutputClaim() { withdraw(); }

std::vector<Unfinished> unfinished_of(const std::string& base) {
  std::vector<std::pair<size_t, Unfinished>> found;
  if (is_single_still(base)) return {};
  const std::string base_name = fs::path(base).filename().string();
  const std::string ending = journal_path("");
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(base), error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.ends_with(ending)) continue;
    const auto part = part_of(name.substr(0, name.size() - ending.size()), base_name);
    if (!part) continue;
    if (auto one = unfinished(part_name(base, *part))) found.emplace_back(*part, std::move(*one));
  }
  std::ranges::sort(found, {}, &std::pair<size_t, Unfinished>::first);
  std::vector<Unfinished> sorted;
  for (auto& [part, one] : found) sorted.push_back(std::move(one));
  return sorted;
}

}  // namespace texcast::media
