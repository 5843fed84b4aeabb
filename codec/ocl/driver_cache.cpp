#include "driver_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/log.h"

namespace texcast::ocl {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kNanoseconds = 1'000'000'000;
constexpr int64_t kHour = 3600 * kNanoseconds;
constexpr const char* kInUse = "in-use";
constexpr auto kLockPause = std::chrono::milliseconds(5);

int64_t in_nanoseconds(const timespec& time) { return int64_t{time.tv_sec} * kNanoseconds + time.tv_nsec; }

int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return in_nanoseconds(time);
}

// In file system time; 0 if the file does not exist.
int64_t changed_at(const fs::path& file) {
  struct stat found {};
  return lstat(file.c_str(), &found) == 0 ? in_nanoseconds(found.st_ctim) : 0;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (std::error_code ignored; entry->symlink_status(ignored).type() == fs::file_type::directory)
      folders.push_back(entry->path());
  return folders;
}

// CACHE/XX/HASH: SHA-1 in letters from A to P, the third of which is the slash.
std::vector<fs::path> program_folders(const fs::path& cache) {
  const auto is_named_so = [](const fs::path& folder, size_t letters) {
    const std::string name = folder.filename().string();
    return name.size() == letters && name.find_first_not_of("ABCDEFGHIJKLMNOP") == std::string::npos;
  };
  std::vector<fs::path> programs;
  for (const fs::path& first : folders_in(cache)) {
    if (!is_named_so(first, 2)) continue;
    for (const fs::path& second : folders_in(first))
      if (is_named_so(second, 37)) programs.push_back(second);
  }
  return programs;
}

// When PoCL used it last; PoCL touches a file there. 0 if there is none yet.
int64_t used_at(const fs::path& program_folder) {
  struct stat found {};
  return lstat((program_folder / "last_accessed").c_str(), &found) == 0 ? in_nanoseconds(found.st_mtim) : 0;
}

std::map<fs::path, int64_t> last_used_in(const fs::path& cache) {
  std::map<fs::path, int64_t> times;
  for (const fs::path& folder : program_folders(cache)) times[folder] = used_at(folder);
  return times;
}

// `type`: F_RDLCK or F_WRLCK. The locks belong to the open file, so they also conflict within this process.
bool take_lock(const Descriptor& file, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  int result = 0;
  do result = fcntl(file.get(), F_OFD_SETLK, &lock);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

// Waits for a process that is alone at present. False: it takes too long. True also if the file system has no locks.
bool share_lock(const Descriptor& file, std::chrono::nanoseconds longest_wait) {
  for (const SteadyTime limit = steady_now() + longest_wait; !take_lock(file, F_RDLCK);) {
    if (errno != EAGAIN && errno != EACCES) return true;
    if (steady_now() > limit) return false;
    std::this_thread::sleep_for(kLockPause);
  }
  return true;
}

// A process holds it while it reads, updates and writes sums, so that it loses nothing that another one adds. If the
// file system does not lock folders, a loss costs one compilation.
class WriterLock {
 public:
  explicit WriterLock(const fs::path& folder)
      : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)) {
    while (folder_.valid() && flock(folder_.get(), LOCK_EX) != 0 && errno == EINTR) continue;
  }

 private:
  Descriptor folder_;
};

// Makes the file accessible to this user alone, whatever the umask was.
void make_private(const fs::path& file) {
  struct stat found {};
  if (lstat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode) && (found.st_mode & 077) != 0)
    chmod(file.c_str(), found.st_mode & 0700);
}

}  // namespace

DriverCache::DriverCache(fs::path folder, bool is_ours, std::chrono::nanoseconds longest_wait)
    : folder_(std::move(folder)), is_ours_(is_ours), longest_wait_(longest_wait) {}

bool DriverCache::has(const std::string& program) {
  const std::lock_guard lock(mutex_);
  read_again();
  return check_all_of(program);
}

DriverCache::Before DriverCache::begin(const std::string& program) {
  const std::lock_guard lock(mutex_);
  read_again();
  Before before{.is_there = check_all_of(program)};
  // PoCL finds programs by its own hash, so any folder may belong to a program that no sums name.
  if (!before.is_there) check_all();
  before.last_used = last_used_in(folder_);
  return before;
}

// A folder that another process used meanwhile is attributed to this program too. It is then checked more often than
// necessary.
void DriverCache::end(const std::string& program, const Before& before) {
  const std::lock_guard lock(mutex_);
  for (const auto& [folder, time] : last_used_in(folder_)) {
    const auto known = before.last_used.find(folder);
    if (known == before.last_used.end() || known->second != time) used_[folder].insert(program);
  }
}

// Sums of files that nothing has replaced are kept, so that the next start notices a file that has changed since. Other
// processes write sums of the same folder.
void DriverCache::seal() {
  const std::lock_guard lock(mutex_);
  for (const auto& [folder, programs] : used_) {
    const WriterLock writer(folder);
    const auto files = files_in_program(folder);
    if (!files || files->empty()) continue;
    for (const std::string& path : *files) make_private(folder / path);
    make_private(folder / "last_accessed");
    const auto written = read_sums(folder);
    ProgramSums sums = written.value_or(ProgramSums{});
    for (const std::string& program : programs)
      if (std::ranges::count(sums.programs, program) == 0) sums.programs.push_back(program);
    sums.files = sums_of_files(folder, *files, sums);
    if (sums != written) write_sums(folder, sums);
    kept_[folder] = {.sums = std::move(sums), .is_checked = true};
  }
}

DriverCache::State DriverCache::examine() {
  const std::lock_guard lock(mutex_);
  const int removed_before = removed_;
  read_again();
  check_all();
  return {.programs = static_cast<int>(kept_.size()), .removed = removed_ - removed_before};
}

void DriverCache::forget(const std::vector<std::string>& programs, int64_t since) {
  const std::lock_guard lock(mutex_);
  for (const fs::path& folder : program_folders(folder_)) {
    const auto sums = read_sums(folder);
    const auto used = used_.find(folder);
    const bool is_named = std::ranges::any_of(programs, [&](const std::string& program) {
      return (sums && std::ranges::count(sums->programs, program) > 0) ||
             (used != used_.end() && used->second.contains(program));
    });
    const bool is_later = std::max(used_at(folder), changed_at(folder)) >= since;
    if (!is_named && (sums || !is_later)) continue;
    remove(folder);
    kept_.erase(folder);
  }
}

// A process that is alone removes leftovers while others wait, for longest_wait_ at most. From then on all share the
// lock. Tried again if the folder does not exist yet, or another process kept it to itself.
void DriverCache::open() {
  if (lock_.valid()) {
    if (!shares_lock_) shares_lock_ = share_lock(lock_, {});
    return;
  }
  lock_ = Descriptor(::open((folder_ / kInUse).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_.valid()) return;
  if (take_lock(lock_, F_WRLCK)) {
    if (is_ours_) sweep();
    check_replaced();
  }
  shares_lock_ = share_lock(lock_, longest_wait_);
  if (!shares_lock_)
    log_warning("a process that is stopped or hangs keeps the kernels in '{}' to itself; going on without waiting",
                folder_.string());
}

bool DriverCache::others_live() const {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock_.valid() && fcntl(lock_.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Removes what has no sum, as nobody is writing it any more.
void DriverCache::sweep() {
  remove_temporary_files();
  for (const fs::path& folder : program_folders(folder_)) {
    const auto sums = read_sums(folder);
    const auto files = files_in_program(folder);
    if (!sums || !files) {
      remove(folder);
      continue;
    }
    std::error_code ignored;
    for (const std::string& path : *files)
      if (!sums->files.contains(path)) fs::remove(folder / path, ignored);
  }
}

// By a process that is alone. Later ones may no longer be alone, and would believe what has been replaced.
void DriverCache::check_replaced() {
  for (const fs::path& folder : program_folders(folder_))
    if (auto sums = read_sums(folder); sums && has_replaced_file(folder, *sums))
      check(folder, kept_[folder] = {.sums = std::move(*sums)});
}

// PoCL 3.1 leaves an empty one behind at each start, and others if a process ends early.
void DriverCache::remove_temporary_files() const {
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    struct stat found {};
    if (!entry->path().filename().string().starts_with("temp") || lstat(entry->path().c_str(), &found) != 0 ||
        now() - in_nanoseconds(found.st_mtim) < kHour)
      continue;
    std::error_code ignored;
    fs::remove_all(entry->path(), ignored);
  }
}

// Other processes write sums meanwhile.
void DriverCache::read_again() {
  open();
  for (const fs::path& folder : program_folders(folder_))
    if (!kept_.contains(folder))
      if (auto sums = read_sums(folder)) kept_[folder] = {.sums = std::move(*sums)};
}

// Whether PoCL may use the folder.
bool DriverCache::check(const fs::path& program_folder, Kept& kept) {
  if (kept.is_checked) return true;
  if (is_good(program_folder, kept.sums)) return kept.is_checked = true;
  log_warning("the kernels that {} holds are damaged and are compiled again", program_folder.string());
  ++removed_;
  remove(program_folder);
  kept_.erase(program_folder);
  return false;
}

// Updates sums of files that another process has replaced.
bool DriverCache::is_good(const fs::path& program_folder, ProgramSums& sums) const {
  if (difference(program_folder, sums) == Difference::none) return files_in_program(program_folder).has_value();
  const WriterLock writer(program_folder);
  if (auto written = read_sums(program_folder)) sums = std::move(*written);  // they may be later than those known
  const auto files = files_in_program(program_folder);
  const Difference now = difference(program_folder, sums);
  if (!files || now == Difference::damaged) return false;
  if (now == Difference::none) return true;
  if (!others_live()) return false;
  sums.files = sums_of_files(program_folder, *files, sums);
  write_sums(program_folder, sums);
  return true;
}

void DriverCache::check_all() {
  for (auto each = kept_.begin(); each != kept_.end();) {
    const auto kept = each++;  // advanced before check(), which may remove it
    check(kept->first, kept->second);
  }
}

bool DriverCache::check_all_of(const std::string& program) {
  int good = 0, damaged = 0;
  for (auto each = kept_.begin(); each != kept_.end();) {
    const auto kept = each++;
    if (std::ranges::count(kept->second.sums.programs, program) > 0)
      ++(check(kept->first, kept->second) ? good : damaged);
  }
  return good > 0 && damaged == 0;
}

void DriverCache::remove(const fs::path& program_folder) {
  std::error_code ignored;
  fs::remove_all(program_folder, ignored);
  used_.erase(program_folder);
}

}  // namespace texcast::ocl
