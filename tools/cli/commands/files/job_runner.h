// job_runner.h — encodes a job into its output, directly or by way of a store.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "cli/options.h"
#include "farm/content_id.h"
#include "farm/store.h"
#include "files/encode_job.h"
#include "files/job_identity.h"

namespace texcast::cli {

// Thread-safe.
class JobRunner {
 public:
  // Encodes the job into job.options.output, and fills in its results. Throws Error.
  using Encode = std::function<void(EncodeJob& job)>;

  // `run`: the options of the run (--store, --verify-share). Throws Error{failed} if its store cannot be used.
  explicit JobRunner(const EncodeOptions& run);

  // With a store, takes the output from it, or encodes into it first. Refuses a job whose id is not the expected one.
  // Encodes the share of jobs that is verified a second time; if the result differs, there is no output. A job that
  // verifies another is encoded into a temporary file, and compared. Throws Error.
  void run(EncodeJob& job, const Encode& encode);

 private:
  class Turn;
  void encode_to_output(EncodeJob& job, const std::string& id, const Encode& encode);
  void verify(EncodeJob& job, const std::string& id, const Encode& encode);
  void encode_again(EncodeJob& job, const std::string& id, const std::string& first, const Encode& encode);
  bool is_verified(const std::string& id) const;
  void run_with_store(EncodeJob& job, const std::string& id, const Encode& encode);
  void encode_into_store(EncodeJob& job, const std::string& id, const Encode& encode);
  void deliver(EncodeJob& job, const std::string& stored);
  std::string checked_id(const EncodeJob& job);

  std::unique_ptr<farm::Store> store_;  // null: none
  const double verified_share_;         // 0 to 1
  farm::FileHashes hashes_;
  std::mutex mutex_;  // guards in_work_
  std::condition_variable done_;
  std::set<std::string> in_work_;  // ids that threads encode at the moment
};

}  // namespace texcast::cli
