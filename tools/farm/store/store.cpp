#include "farm/store.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "base/errno_text.h"
#include "base/file_place.h"
#include "media/output_claim.h"
#include "texcast/error.h"

namespace texcast::farm {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kReadOnly = 0444;

[[noreturn]] void cannot(const std::string& what, const std::string& path, int error) {
  throw Error(ErrorKind::failed, fmt::format("cannot {} '{}': {}", what, path, errno_text(error)));
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw Error(ErrorKind::failed, fmt::format("cannot make folder '{}': {}", path, error.message()));
}

void write_to_disk(const std::string& path, int flags) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
  if (!file.valid() || fsync(file.get()) != 0) cannot("write", path, errno);
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "host";
  return name.data();
}

std::string lock_path(const std::string& folder) { return folder + "/lock"; }

Descriptor open_lock(const std::string& folder) {
  Descriptor file(open(lock_path(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.valid()) cannot("make", lock_path(folder), errno);
  return file;
}

enum class Locked { yes, by_another, not_here };  // the last: the file system has no locks
Locked lock(const Descriptor& file) {
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return Locked::yes;
  return errno == EWOULDBLOCK ? Locked::by_another : Locked::not_here;
}

// Removes what killed processes of this machine have left. Locks are not trusted from one machine to another.
void remove_leftovers(const std::string& all_drafts, const std::string& prefix) {
  std::error_code error, ignored;
  for (fs::directory_iterator entry(all_drafts, error), end; !error && entry != end; entry.increment(error)) {
    const std::string folder = entry->path().string();
    if (!entry->path().filename().string().starts_with(prefix)) continue;
    const Descriptor file(open(lock_path(folder).c_str(), O_RDWR | O_CLOEXEC));
    if (file.valid() && lock(file) == Locked::yes) fs::remove_all(folder, ignored);
  }
}

}  // namespace

Draft::Draft(std::string path, std::string final_path) : path_(std::move(path)), final_path_(std::move(final_path)) {}

Draft::~Draft() {
  if (!kept_) media::discard_recording(path_);
}

std::string Draft::keep() {
  write_to_disk(path_, 0);
  (void)chmod(path_.c_str(), kReadOnly);  // its links are the same file; fails where files have no modes
  if (rename(path_.c_str(), final_path_.c_str()) != 0) cannot("name", final_path_, errno);
  kept_ = true;
  write_to_disk(folder_of(final_path_).string(), O_DIRECTORY);
  return final_path_;
}

// Another process may take a new folder for a leftover before it is locked, and remove it.
Store::Store(const std::string& folder) : folder_(folder) {
  const std::string all_drafts = folder_ + "/.drafts", prefix = host_name() + ".";
  make_folder(all_drafts);
  remove_leftovers(all_drafts, prefix);
  do {
    drafts_ = fmt::format("{}/{}{}.{:08x}", all_drafts, prefix, getpid(), std::random_device()());
    make_folder(drafts_);
    lock_ = open_lock(drafts_);
  } while (lock(lock_) == Locked::by_another || !fs::exists(lock_path(drafts_)));
}

Store::~Store() {
  std::error_code ignored;
  fs::remove_all(drafts_, ignored);
}

std::string Store::path_of(const std::string& id, const std::string& extension) const {
  return fmt::format("{}/{}{}", folder_, id, extension);
}

std::optional<std::string> Store::find(const std::string& id, const std::string& extension) const {
  std::string path = path_of(id, extension);
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) ? std::optional(std::move(path)) : std::nullopt;
}

std::unique_ptr<Draft> Store::begin(const std::string& id, const std::string& extension) {
  return std::make_unique<Draft>(fmt::format("{}/{}-{}{}", drafts_, next_++, id, extension), path_of(id, extension));
}

}  // namespace texcast::farm
