#include "files/job_runner.h"

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file_place.h"
#include "cli/interrupt.h"
#include "common/source_and_encoder.h"
#include "farm/manifest.h"
#include "files/texture_files.h"
#include "media/files.h"
#include "media/new_file.h"
#include "media/output_claim.h"
#include "media/same_packets.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

void end_if_cut_short(const EncodeJob& job) {
  if (interrupted() || job.status == JobStatus::failed)
    throw Error(ErrorKind::failed, job.reason.empty() ? "interrupted before its end" : job.reason);
}

// The time and size of the input when its hash was made; nothing for inputs that are not one file.
std::optional<farm::FileStamp> stamp_of_input(const EncodeOptions& o) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(o.input.input, ignored)) return std::nullopt;
  return farm::stamp_of(o.input.input);
}

// A temporary file in the folder of the output.
std::unique_ptr<farm::Draft> draft_beside(const std::string& output, const std::string& extension) {
  static std::atomic<uint64_t> next = 0;
  const std::string name =
      fmt::format(".{}.{}-{}{}", std::filesystem::path(output).stem().string(), getpid(), next++, extension);
  return std::make_unique<farm::Draft>((folder_of(output) / name).string(), "");
}

// The first difference; nothing if the files have the same frames.
std::optional<std::string> difference_of(const std::string& one, const std::string& other) {
  if (farm::same_content(one, other)) return std::nullopt;
  if (!holds_tracks(one)) return "their bytes";
  return media::first_difference(one, other);
}

}  // namespace

// The turn of one thread to make the output with this id; others with the same id wait for it.
class JobRunner::Turn {
 public:
  Turn(JobRunner& runner, std::string id) : runner_(runner), id_(std::move(id)) {
    std::unique_lock lock(runner_.mutex_);
    runner_.done_.wait(lock, [this] { return runner_.in_work_.insert(id_).second; });
  }
  ~Turn() {
    {
      const std::lock_guard lock(runner_.mutex_);
      runner_.in_work_.erase(id_);
    }
    runner_.done_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  JobRunner& runner_;
  const std::string id_;
};

JobRunner::JobRunner(const EncodeOptions& run)
    : verified_share_(run.verify_share.value_or(0)), hashes_(&interrupt_flag()) {
  if (!run.store.empty()) store_ = std::make_unique<farm::Store>(run.store);
}

std::string JobRunner::checked_id(const EncodeJob& job) {
  if (job.known_input) hashes_.know(job.options.input.input, *job.known_input);
  std::string id = job_id(job.options, hashes_);
  if (!job.expected_id.empty() && job.expected_id != id)
    throw Error(ErrorKind::input, fmt::format("'{}' or its options have changed since the manifest was written: write "
                                              "the manifest again",
                                              job.options.input.input));
  return id;
}

void JobRunner::run(EncodeJob& job, const Encode& encode) {
  if (!store_ && job.expected_id.empty() && !job.verify && verified_share_ == 0) {
    encode(job);
    return;
  }
  check_not_same_file(job.options.input.input, job.options.output);
  const std::optional<farm::FileStamp> read = stamp_of_input(job.options);
  const std::string id = checked_id(job);
  const Encode encode_unchanged = [&](EncodeJob& one) {
    encode(one);
    if (stamp_of_input(job.options) != read)
      throw Error(ErrorKind::input,
                  fmt::format("'{}' was changed while it was encoded: encode it again", job.options.input.input));
  };
  if (job.verify)
    verify(job, id, encode_unchanged);
  else if (store_)
    run_with_store(job, id, encode_unchanged);
  else
    encode_to_output(job, id, encode_unchanged);
}

bool JobRunner::is_verified(const std::string& id) const { return farm::is_in_share(id, verified_share_); }

void JobRunner::encode_to_output(EncodeJob& job, const std::string& id, const Encode& encode) {
  encode(job);
  if (!is_verified(id) || job.status != JobStatus::done) return;
  try {
    encode_again(job, id, job.output, encode);
  } catch (...) {
    media::discard_recording(job.output);
    throw;
  }
  job.verified = true;
}

void JobRunner::verify(EncodeJob& job, const std::string& id, const Encode& encode) {
  const std::string& output = job.options.output;
  const auto first = store_ ? store_->find(id, media::lower_extension(output))
                            : (media::is_taken(output) ? std::optional(output) : std::nullopt);
  if (!first)
    throw Error(ErrorKind::input, fmt::format("there is no '{}' to compare with{}: do the job that makes it first",
                                              output, store_ ? " in the store" : ""));
  encode_again(job, id, *first, encode);
  job.status = JobStatus::done;
  job.verified = true;
}

// Throws Error{corrupt} if the result differs from `first`.
void JobRunner::encode_again(EncodeJob& job, const std::string& id, const std::string& first, const Encode& encode) {
  const EncodeOptions& o = job.options;
  const std::string extension = media::lower_extension(o.output);
  const auto draft = store_ ? store_->begin(id, extension) : draft_beside(o.output, extension);
  EncodeJob again = job;
  again.status = JobStatus::waiting;
  again.options.output = again.output = draft->path();
  again.options.if_exists = IfExists::refuse;
  encode(again);
  end_if_cut_short(again);
  if (const auto difference = difference_of(first, draft->path()))
    throw Error(ErrorKind::corrupt,
                fmt::format("'{}' was encoded twice, and the results differ ({}; '{}'): a machine, device or driver "
                            "computes wrongly, or the input is not the same each time; encode it on another device, "
                            "and delete what is wrong",
                            o.input.input, *difference, o.output));
  if (!job.verify) return;
  again.options = o;
  again.output = o.output;
  job = std::move(again);
}

void JobRunner::run_with_store(EncodeJob& job, const std::string& id, const Encode& encode) {
  const Turn turn(*this, id);
  const auto stored = store_->find(id, media::lower_extension(job.options.output));
  if (!stored) {
    encode_into_store(job, id, encode);
    return;
  }
  deliver(job, *stored);
  job.status = JobStatus::stored;
}

void JobRunner::encode_into_store(EncodeJob& job, const std::string& id, const Encode& encode) {
  const EncodeOptions& o = job.options;
  if (o.if_exists == IfExists::refuse && media::is_taken(o.output)) media::throw_name_taken(o.output);
  const auto draft = store_->begin(id, media::lower_extension(o.output));
  EncodeJob making = job;
  making.options.output = making.output = draft->path();
  making.options.if_exists = IfExists::refuse;
  encode(making);
  end_if_cut_short(making);
  if (is_verified(id)) {
    encode_again(job, id, draft->path(), encode);
    making.verified = true;
  }
  const std::string stored = draft->keep();
  making.options = std::move(job.options);
  job = std::move(making);
  deliver(job, stored);
}

void JobRunner::deliver(EncodeJob& job, const std::string& stored) {
  job.output = farm::deliver(stored, job.options.output, job.options.if_exists);
  std::error_code ignored;
  job.bytes = static_cast<int64_t>(std::filesystem::file_size(stored, ignored));
}

}  // namespace texcast::cli
