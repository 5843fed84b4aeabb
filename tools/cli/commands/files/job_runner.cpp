#include "files/job_runner.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/interrupt.h"
#include "common/source_and_encoder.h"
#include "media/files.h"
#include "media/new_file.h"
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

JobRunner::JobRunner(const EncodeOptions& run) : hashes_(&interrupt_flag()) {
  if (!run.store.empty()) store_ = std::make_unique<farm::Store>(run.store);
}

JobIdentity JobRunner::checked_identity(EncodeJob& job) {
  const JobIdentity identity = identity_of(job.options, hashes_);
  if (!job.expected_id.empty() && job.expected_id != identity.id)
    throw Error(ErrorKind::input, fmt::format("'{}' or its options have changed since the manifest was written: write "
                                              "the manifest again",
                                              job.options.input.input));
  job.identity = identity.whole;
  return identity;
}

void JobRunner::run(EncodeJob& job, const Encode& encode) {
  if (!store_ && job.expected_id.empty()) {
    encode(job);
    return;
  }
  check_not_same_file(job.options.input.input, job.options.output);
  const std::optional<farm::FileStamp> read = stamp_of_input(job.options);
  const JobIdentity identity = checked_identity(job);
  const Encode encode_unchanged = [&](EncodeJob& one) {
    encode(one);
    if (stamp_of_input(job.options) != read)
      throw Error(ErrorKind::input,
                  fmt::format("'{}' was changed while it was encoded: encode it again", job.options.input.input));
  };
  store_ ? run_with_store(job, identity.id, encode_unchanged) : encode_unchanged(job);
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
