#include "files/outputs.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/errno_text.h"
#include "base/file_place.h"
#include "base/log.h"
#include "media/output_claim.h"
#include "media/recovery.h"
#include "texcast/error.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

constexpr int64_t kLeastFree = 8 << 20;  // bytes: a second of video, and the index

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::failed, fmt::format("cannot write '{}': {}", path, why));
}

// Repairing many GB takes minutes, for which the new recording does not wait.
constexpr std::chrono::seconds kWaited(1);

std::string recovered(const std::string& recording, const std::atomic<bool>& stop) {
  try {
    const media::RecoveryReport r = media::recover_recording({.recording = recording, .output = {}, .stop = &stop});
    if (r.was_complete) return fmt::format("'{}' was interrupted, but is complete", recording);
    return fmt::format("'{}' was not closed and has been repaired, {}", recording,
                       plural(static_cast<uint64_t>(r.frames), "frame"));
  } catch (const std::exception& error) {
    return fmt::format("'{}' was not closed and is left as it is ({})", recording, error.what());
  }
}

std::string settled(const media::Unfinished& one) {
  return one.kind == media::Unfinished::Kind::sequence
             ? fmt::format("'{}' was interrupted and is continued", one.path)
             : fmt::format("'{}.journal' belongs to no recording and is left as it is", one.path);
}

}  // namespace

void check_place(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    if (std::filesystem::is_directory(path, error)) refuse(path, "it is a directory");
    return;  // a device or a pipe
  }
  const std::filesystem::path folder = folder_of(path);
  if (!std::filesystem::exists(folder, error))
    refuse(path, fmt::format("directory {} does not exist", folder.string()));
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(path, errno_text(errno));
  if (const auto free = free_space(path); free && *free < kLeastFree)
    refuse(path, fmt::format("the disk is full ({:.1f} MB left)", static_cast<double>(*free) / 1e6));
}

Recoveries::Recoveries(std::vector<std::string> recordings) : recordings_(std::move(recordings)) {
  if (!recordings_.empty()) thread_ = std::jthread([this] { run(); });
}

void Recoveries::run() {
  for (const std::string& recording : recordings_) {
    log_info("{}", recovered(recording, stop_));
    {
      const std::lock_guard lock(mutex_);
      ++done_;
    }
    changed_.notify_all();
  }
}

void Recoveries::wait_a_moment() {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, kWaited, [this] { return done_ == recordings_.size(); })) return;
  for (size_t i = done_; i < recordings_.size(); ++i)
    log_info("'{}' was not closed; it is being repaired in the background", recordings_[i]);
}

std::unique_ptr<Recoveries> claim_output(media::RecorderSettings& settings, IfExists if_exists, Start start) {
  using Kind = media::Unfinished::Kind;
  const std::string& path = settings.path;
  if (path.empty()) return nullptr;
  media::check_recordable(path);
  check_place(path);
  IfExists rule = if_exists;
  std::vector<std::string> cut_off;
  bool something_was_there = false;
  for (const media::Unfinished& one : media::unfinished_of(path)) {
    if (if_exists == IfExists::overwrite && one.path == path) {
      if (one.kind == Kind::recording) log_warning("'{}' was not closed; it is replaced (--overwrite)", path);
      continue;
    }
    if (rule == IfExists::refuse) rule = IfExists::number;
    if (one.kind == Kind::claim) continue;
    something_was_there = true;
    if (one.kind == Kind::recording)
      cut_off.push_back(one.path);
    else
      log_info("{}", settled(one));
  }
  settings.claim = media::OutputClaim::take(path, rule);
  settings.if_exists = start == Start::with_the_first_frame && rule == IfExists::refuse ? IfExists::number : rule;
  auto recoveries = std::make_unique<Recoveries>(std::move(cut_off));
  recoveries->wait_a_moment();
  if (settings.claim->path() != path || settings.claim->first_number() > 0 || something_was_there)
    log_info("recording to {}{}", settings.claim->path(),
             settings.claim->first_number() > 0 ? fmt::format(" from number {}", settings.claim->first_number()) : "");
  return recoveries;
}

}  // namespace texcast::cli
