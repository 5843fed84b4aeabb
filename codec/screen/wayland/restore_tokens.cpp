#include "restore_tokens.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/log.h"

namespace texcast::screen::wayland {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostTargets = 32;  // kept, the latest ones
constexpr size_t kMostBytes = 16384;

// The XDG specification says that relative paths are ignored.
std::optional<fs::path> folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value == '/' ? std::optional<fs::path>(value) : std::nullopt;
}

std::optional<fs::path> token_file() {
  if (const auto state = folder_in("XDG_STATE_HOME")) return *state / "texcast" / "screencast-token";
  if (const auto home = folder_in("HOME")) return *home / ".local/state/texcast/screencast-token";
  return std::nullopt;
}

struct Kept {
  std::string target, token;
};

// One line per target: its token, a blank, its name. A file that others could write to is ignored.
std::vector<Kept> read_tokens(const fs::path& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found = {};
  if (file.get() < 0 || fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != geteuid())
    return {};
  std::string text(kMostBytes, '\0');
  const ssize_t got = read(file.get(), text.data(), text.size());
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  std::vector<Kept> kept;
  for (size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (const size_t blank = line.find(' '); blank != std::string_view::npos && blank > 0)
      kept.push_back({std::string(line.substr(blank + 1)), std::string(line.substr(0, blank))});
  }
  return kept;
}

// Replaces the file atomically; it is never readable by others.
bool write_tokens(const fs::path& path, const std::vector<Kept>& kept) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::string text;
  for (const Kept& one : kept) text += one.token + ' ' + one.target + '\n';
  std::string temporary = path.string() + ".XXXXXX";
  const Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
  if (file.get() < 0) return false;
  const bool whole = write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (whole && rename(temporary.c_str(), path.c_str()) == 0) return true;
  unlink(temporary.c_str());
  return false;
}

bool is_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

}  // namespace

std::string restore_token(std::string_view target) {
  const auto path = token_file();
  if (!path) return {};
  const auto kept = read_tokens(*path);
  const auto found = std::find_if(kept.begin(), kept.end(), [&](const Kept& one) { return one.target == target; });
  return found == kept.end() ? std::string() : found->token;
}

void keep_restore_token(std::string_view target, std::string_view token) {
  const auto path = token_file();
  // Names with ends of line, and tokens with blanks, which no portal creates, cannot be stored.
  if (!path || !is_line(target) || !is_line(token) || token.find(' ') != std::string_view::npos) return;
  auto kept = read_tokens(*path);
  const auto same = std::find_if(kept.begin(), kept.end(), [&](const Kept& one) { return one.target == target; });
  if (same != kept.end() ? same->token == token : token.empty()) return;
  if (same != kept.end()) kept.erase(same);
  if (!token.empty()) kept.push_back({std::string(target), std::string(token)});
  if (kept.size() > kMostTargets) kept.erase(kept.begin(), kept.end() - kMostTargets);
  if (!write_tokens(*path, kept))
    log_info("cannot write {}: the desktop will ask again what to capture", path->string());
}

}  // namespace texcast::screen::wayland
