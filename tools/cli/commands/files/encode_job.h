// encode_job.h — one input that becomes one output file, as a part of a batch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "farm/content_id.h"
#include "texcast/error.h"
#include "texcast/format.h"

namespace texcast::cli {

enum class JobStatus {
  waiting,
  done,
  stored,   // the output was taken from the store
  skipped,  // the output is newer
  failed,
};

// Written by the thread that encodes it.
struct EncodeJob {
  EncodeOptions options;  // with the input, output and part of this job
  JobStatus status = JobStatus::waiting;
  bool verify = false;                           // encode into a temporary file, and compare that with the output
  std::string expected_id{};                     // of the manifest; empty: none
  std::optional<farm::KnownFile> known_input{};  // of the manifest, if the input is a file
  std::string reason{};                          // of a failure, or for skipping
  ErrorKind kind{};                              // of a failure
  std::string output{};                          // the name that was written; options.output, unless it was numbered
  TextureDesc texture{};
  int levels = 1;
  int64_t frames = 1;
  int64_t bytes = 0;
  std::string device{};
  std::optional<double> psnr_db{};
  bool verified = false;  // it was encoded twice, with the same result
};

// Marks the job as failed, and logs the reason with the name of its input.
void fail(EncodeJob& job, ErrorKind kind, const std::string& reason);
// Runs `encode`, and marks the job as failed if that throws.
template <typename Encode>
void or_fail(EncodeJob& job, Encode encode);

// Whether the output is newer than the input, and than `rules` if that is given.
bool is_current(const EncodeJob& job, std::optional<std::filesystem::file_time_type> rules = {});

// Prints the report of a batch, by --json or in words, and logs how far it came if it was interrupted.
void report_jobs(const EncodeOptions& asked, const std::vector<EncodeJob>& jobs, double seconds);
// 0, or the kind of failure if all that failed have the same, else 1.
int exit_code_of(const std::vector<EncodeJob>& jobs);

template <typename Encode>
void or_fail(EncodeJob& job, Encode encode) {
  try {
    encode();
  } catch (const Error& error) {
    fail(job, error.kind(), error.what());
  } catch (const std::exception& error) {
    fail(job, ErrorKind::failed, error.what());
  }
}

}  // namespace texcast::cli
