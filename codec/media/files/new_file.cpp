#include "media/new_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "base/file_place.h"
#include "base/whole_io.h"
#include "media/files.h"

namespace texcast::media {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kUsualMode = 0666;  // minus the umask

// Returns 0 or an errno.
int write_pieces(int descriptor, std::span<const Bytes> pieces) {
  for (const Bytes bytes : pieces)
    if (const int error = write_all(descriptor, bytes)) return error;
  return 0;
}

// The target of a symbolic link to a file that does not exist yet, as O_EXCL would refuse the link itself.
std::string behind_links(const std::string& path) {
  fs::path here = path;
  std::error_code error;
  for (int i = 0; i < 16 && fs::is_symlink(here, error) && !fs::exists(here, error); ++i) {
    const fs::path target = fs::read_symlink(here, error);
    if (error) break;
    here = target.is_absolute() ? target : here.parent_path() / target;
  }
  return here.string();
}

// Whether the file is read-only and has other names, as an output that is linked to a store of outputs. The other names
// keep the old content.
bool is_link_to_kept(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1 &&
         (status.st_mode & 0222) == 0;
}

enum class Named { yes, not_here };

// Whether the file can give way to another one of its name without a difference for anybody but its readers.
bool may_give_way(const std::string& path, struct stat& old) {
  return lstat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode) && old.st_nlink == 1 && old.st_uid == geteuid() &&
         access(path.c_str(), W_OK) == 0;
}

// Gives the complete file its name. Returns 0 or an errno.
int give_name(const std::string& from, int flags, const std::string& path, bool replaces) {
  if (!replaces) return linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path.c_str(), flags) == 0 ? 0 : errno;
  return rename(from.c_str(), path.c_str()) == 0 ? 0 : errno;
}

// Writes a file without a name first, or under another one where the file system has no such files. It gets its name
// once it is complete, so that a killed program leaves no partial file. `old`: the file that is replaced; null: none.
// `not_here`: this file system cannot do that.
Named write_then_name(const std::string& path, std::span<const Bytes> pieces, const struct stat* old) {
  const fs::path folder = folder_of(path);
  const std::string temporary =
      folder / fmt::format(".{}.{}.part", fs::path(path).filename().string(), static_cast<int>(getpid()));
  Descriptor file(::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kUsualMode));
  const bool nameless = file.valid();
  if (!nameless) file = Descriptor(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kUsualMode));
  if (!file.valid()) return Named::not_here;
  if (old != nullptr) (void)fchmod(file.get(), old->st_mode & 07777);  // fails where files have no modes
  int error = write_pieces(file.get(), pieces);
  const std::string link = fmt::format("/proc/self/fd/{}", file.get());
  int naming = 0;
  if (error == 0 && nameless) naming = give_name(link, AT_SYMLINK_FOLLOW, old != nullptr ? temporary : path, false);
  if (const int closing = file.close(); error == 0) error = closing;
  const bool has_temporary = !nameless || (old != nullptr && naming == 0);
  if (error == 0 && naming == 0 && has_temporary) naming = give_name(temporary, 0, path, old != nullptr);
  if (has_temporary && (error != 0 || naming != 0 || old == nullptr)) unlink(temporary.c_str());
  if (error != 0) throw_cannot_write(path, error);
  if (naming == EEXIST && old == nullptr && is_taken(path)) throw_name_taken(path);
  return naming == 0 ? Named::yes : Named::not_here;
}

}  // namespace

std::string part_name(const std::string& path, size_t part) {
  if (part <= 1) return path;
  const size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  const size_t dot = std::max(path.rfind('.') == std::string::npos ? path.size() : path.rfind('.'), name);
  return fmt::format("{}-{}{}", path.substr(0, dot), part, path.substr(dot));
}

bool is_taken(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::vector<int64_t> existing_numbers(const std::string& pattern) {
  const fs::path path(pattern);
  std::vector<int64_t> numbers;
  const auto parts = number_pattern(path.filename().string());
  if (!parts) return numbers;
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(pattern), error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() <= parts->before.size() + parts->after.size() || !name.starts_with(parts->before) ||
        !name.ends_with(parts->after))
      continue;
    const char* const digits = name.data() + parts->before.size();
    const char* const digits_end = name.data() + name.size() - parts->after.size();
    int number = 0;  // nobody has more files than that
    const auto [read_to, code] = std::from_chars(digits, digits_end, number);
    if (code != std::errc{} || read_to != digits_end || number < 0) continue;
    const auto same = numbered_name(pattern, number);
    if (same && fs::path(*same).filename() == name) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

int64_t highest_number(const std::string& pattern) {
  const auto numbers = existing_numbers(pattern);
  return numbers.empty() ? -1 : numbers.back();
}

void throw_name_taken(const std::string& path) {
  throw NameTaken(fmt::format("'{}' exists already; --overwrite replaces it, --number takes the next free name", path));
}

NewFile create_file(const std::string& path, bool replace) {
  const std::string place = behind_links(path);
  if (replace && is_link_to_kept(place)) unlink(place.c_str());
  NewFile file{.descriptor = Descriptor(::open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kUsualMode)),
               .created = true};
  if (file.descriptor.valid()) return file;
  if (errno != EEXIST) throw_cannot_write(path, errno);
  if (!replace && is_taken(place)) throw_name_taken(path);
  file = {.descriptor = Descriptor(::open(place.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC))};
  if (!file.descriptor.valid()) throw_cannot_write(path, errno);
  return file;
}

void write_new_file(const std::string& path, std::span<const Bytes> pieces, bool replace) {
  if (!replace && is_taken(path)) throw_name_taken(path);
  std::error_code ignored;
  struct stat old {};
  const bool is_new = !fs::exists(fs::symlink_status(path, ignored));
  if ((is_new || (replace && may_give_way(path, old))) &&
      write_then_name(path, pieces, is_new ? nullptr : &old) == Named::yes)
    return;
  NewFile file = create_file(path, replace);
  int error = write_pieces(file.descriptor.get(), pieces);
  if (const int closing = file.descriptor.close(); error == 0) error = closing;
  if (error == 0) return;
  if (file.created) unlink(path.c_str());  // a partial file is of no use
  throw_cannot_write(path, error);
}

}  // namespace texcast::media
