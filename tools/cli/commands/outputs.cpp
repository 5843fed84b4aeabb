#include "outputs.h"

#include <fmt/core.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/log.h"
#include "media/output_claim.h"
#include "media/recovery.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

constexpr uint64_t kLeastFree = 8 << 20;  // a second of video, and the index

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::failed, fmt::format("cannot write '{}': {}", path, why));
}

// What was done about one recording that was cut off.
std::string settled(const media::Unfinished& one) {
  using Kind = media::Unfinished::Kind;
  switch (one.kind) {
    case Kind::claim: return "";
    case Kind::sequence: return fmt::format("'{}' was cut off and is gone on with", one.path);
    case Kind::journal: return fmt::format("'{}.journal' has lost its recording and is kept as it is", one.path);
    case Kind::recording: break;
  }
  try {
    const media::RecoveryReport r = media::recover_recording({.recording = one.path, .output = {}});
    if (r.was_complete) return fmt::format("'{}' was cut off, but is whole", one.path);
    return fmt::format("'{}' was not closed and is recovered, {}", one.path,
                       plural(static_cast<uint64_t>(r.frames), "frame"));
  } catch (const Error& error) {
    return fmt::format("'{}' was not closed and is kept as it is ({})", one.path, error.what());
  }
}

}  // namespace

void check_place(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    if (std::filesystem::is_directory(path, error)) refuse(path, "it is a folder");
    return;  // a device or a pipe
  }
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!std::filesystem::exists(folder, error)) refuse(path, fmt::format("there is no folder {}", folder.string()));
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(path, std::system_category().message(errno));
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return;  // not known
  const uint64_t free = static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
  if (free < kLeastFree)
    refuse(path, fmt::format("its disk is full, {:.1f} MB are left", static_cast<double>(free) / 1e6));
}

void claim_output(media::RecorderSettings& settings, IfExists if_exists, Start start) {
  const std::string& path = settings.path;
  if (path.empty()) return;
  media::check_recordable(path);
  check_place(path);
  IfExists rule = if_exists;
  std::string told;
  for (const media::Unfinished& one : media::unfinished_of(path)) {
    if (if_exists == IfExists::overwrite && one.path == path) {
      if (one.kind == media::Unfinished::Kind::recording)
        log_warning("'{}' was not closed; it is replaced all the same (--overwrite)", path);
      continue;
    }
    if (rule == IfExists::refuse) rule = IfExists::number;
    if (const std::string words = settled(one); !words.empty()) told += words + "; ";
  }
  settings.claim = media::OutputClaim::take(path, rule);
  if (settings.claim->path() != path || settings.claim->first_number() > 0 || !told.empty())
    log_info("{}recording to {}{}", told, settings.claim->path(),
             settings.claim->first_number() > 0 ? fmt::format(" from number {}", settings.claim->first_number()) : "");
  settings.if_exists = start == Start::with_the_first_frame && rule == IfExists::refuse ? IfExists::number : rule;
}

}  // namespace texcast::cli
