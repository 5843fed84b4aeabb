#include "build_note.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "cache_files.h"
#include "ocl/cache.h"

namespace texcast::ocl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegun = "building-", kUnlocked = "unlocked-";  // followed by six letters of mkostemp()
constexpr size_t kLargestNote = 1 << 20;

std::vector<fs::path> notes_in(const fs::path& folder) {
  std::vector<fs::path> notes;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with(kBegun)) notes.push_back(entry->path());
  return notes;
}

// Invalid if a process holds the lock, or the file is gone.
Descriptor locked(const fs::path& note) {
  Descriptor descriptor(::open(note.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat found {};
  if (!descriptor.valid() || flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0 || fstat(descriptor.get(), &found) != 0 ||
      found.st_nlink == 0)
    return {};
  return descriptor;
}

BuildNote::Left read_note(const fs::path& file, Descriptor lock) {
  BuildNote::Left left{.file = file, .driver = {}, .since = 0, .programs = {}, .lock = std::move(lock)};
  std::istringstream lines(read_own_file(file, kLargestNote).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const size_t blank = line.find(' ');
    if (blank == std::string::npos) continue;
    const std::string what = line.substr(0, blank), value = line.substr(blank + 1);
    if (what == "driver") left.driver = value;
    if (what == "since") std::from_chars(value.data(), value.data() + value.size(), left.since);
    if (what == "program" && is_content_hash(value)) left.programs.push_back(value);
  }
  return left;
}

}  // namespace

std::vector<BuildNote::Left> BuildNote::left_in(const fs::path& folder) {
  std::vector<Left> all;
  for (const fs::path& note : notes_in(folder))
    if (Descriptor lock = locked(note); lock.valid()) all.push_back(read_note(note, std::move(lock)));
  return all;
}

BuildNote::~BuildNote() { close(); }

void BuildNote::begin(const fs::path& folder, const std::string& driver, const std::string& program) {
  const std::lock_guard lock(mutex_);
  ++builds_;
  last_begun_ = steady_now();
  std::string lines;
  if (!descriptor_.valid()) {
    open(folder);
    lines = fmt::format("since {}\n", wall_now().time_since_epoch() / std::chrono::nanoseconds(1));
  }
  if (!descriptor_.valid()) return;
  lines += fmt::format("driver {}\nprogram {}\n", driver, program);
  // On a full disk the note may be empty. Such a note is dropped.
  if (::write(descriptor_.get(), lines.data(), lines.size()) != static_cast<ssize_t>(lines.size())) close();
}

void BuildNote::end(int builds) {
  const std::lock_guard lock(mutex_);
  builds_ = std::max(0, builds_ - builds);
  if (builds_ == 0) close();
}

void BuildNote::end_before(SteadyTime time) {
  const std::lock_guard lock(mutex_);
  if (last_begun_ < time) close();
}

void BuildNote::drop() {
  const std::lock_guard lock(mutex_);
  close();
}

bool BuildNote::others_build_in(const fs::path& folder) {
  const std::lock_guard lock(mutex_);
  const auto notes = notes_in(folder);
  return std::ranges::any_of(notes, [this](const fs::path& note) {
    std::error_code ignored;
    return note != file_ && !locked(note).valid() && fs::exists(note, ignored);
  });
}

// The file is locked before it gets the name by which others look for it.
void BuildNote::open(const fs::path& folder) {
  if (folder.empty()) return;
  std::string name = fmt::format("{}/{}XXXXXX", folder.string(), kUnlocked);
  Descriptor descriptor(::mkostemp(name.data(), O_CLOEXEC | O_APPEND));
  if (!descriptor.valid()) return;
  const fs::path file = folder / (std::string(kBegun) + name.substr(name.size() - 6));
  if (fchmod(descriptor.get(), 0600) != 0 || flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0 ||
      ::rename(name.c_str(), file.c_str()) != 0) {
    ::unlink(name.c_str());
    return;
  }
  file_ = file;
  descriptor_ = std::move(descriptor);
}

void BuildNote::close() {
  if (!descriptor_.valid()) return;
  ::unlink(file_.c_str());
  descriptor_.close();
  file_.clear();
}

}  // namespace texcast::ocl
