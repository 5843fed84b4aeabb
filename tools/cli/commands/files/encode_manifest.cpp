#include "files/encode_manifest.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file_place.h"
#include "base/helper_threads.h"
#include "base/log.h"
#include "base/workers.h"
#include "cli/command_line.h"
#include "cli/encode_words.h"
#include "cli/interrupt.h"
#include "farm/manifest.h"
#include "files/encode_job.h"
#include "files/encode_pictures.h"
#include "files/encode_video.h"
#include "files/job_identity.h"
#include "files/job_runner.h"
#include "files/list_jobs.h"
#include "files/picture_files.h"
#include "media/files.h"
#include "media/new_file.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/progress.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

constexpr size_t kMostNamed = 100;  // failed jobs in the last message

struct Content {
  std::string id;
  std::optional<farm::KnownFile> input;  // if it is one file
};

Content content_of(const EncodeJob& job, farm::FileHashes& hashes) {
  Content content{.id = job_id(job.options, hashes), .input = {}};
  std::error_code ignored;
  const std::string& input = job.options.input.input;
  if (std::filesystem::is_regular_file(input, ignored)) content.input = hashes.known(input);
  return content;
}

// The inputs are read for them, by all processors.
std::vector<Content> contents_of(const std::vector<EncodeJob>& jobs) {
  std::vector<Content> contents(jobs.size());
  farm::FileHashes hashes(&interrupt_flag());
  std::atomic<size_t> next = 0;
  std::mutex mutex;  // guards the following
  std::exception_ptr failure;
  Progress progress("reading", static_cast<int64_t>(jobs.size()), "job");
  int64_t read = 0;
  const auto serve = [&] {
    try {
      for (size_t i = next++; i < jobs.size(); i = next++) {
        contents[i] = content_of(jobs[i], hashes);
        const std::lock_guard lock(mutex);
        progress.update(++read);
      }
    } catch (...) {
      next = jobs.size();
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    const HelperThreads others(Workers::suggested_threads(), serve);
    serve();
  }
  end_if_interrupted();
  if (failure) std::rethrow_exception(failure);
  return contents;
}

// At the end, so that their outputs are there when the list is done in order.
void add_verifying(farm::Manifest& manifest, double share) {
  const size_t count = manifest.jobs.size();
  for (size_t i = 0; i < count; ++i) {
    if (!farm::is_in_share(manifest.jobs[i].id, share)) continue;
    manifest.jobs.push_back(manifest.jobs[i]);
    manifest.jobs.back().verify = true;
  }
}

int write_jobs(const EncodeOptions& o) {
  if (o.part && !o.parts)
    throw Error(
        ErrorKind::usage,
        "--part with --manifest takes a share of its jobs, without INPUT; --parts N lists the parts of a video");
  if (o.if_exists != IfExists::overwrite && media::is_taken(o.manifest)) media::throw_name_taken(o.manifest);
  const farm::Manifest manifest = manifest_of(o);
  farm::write_manifest(o.manifest, manifest, o.if_exists == IfExists::overwrite);
  if (o.json) {
    fmt::print("{}\n", Json::object({{"manifest", o.manifest}, {"jobs", manifest.jobs.size()}}).text(2));
    return 0;
  }
  if (reports()) print_row("listed", fmt::format("{} in {}", plural(manifest.jobs.size(), "job"), o.manifest));
  return 0;
}

// Options for which the manifest has its own values.
void reject_options_of_jobs(const EncodeOptions& given) {
  const std::vector<std::string> words = encode_words(given);
  const auto reject = [](const std::string& option) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is an option of each job: leave it out, or write another manifest with it", option));
  };
  if (given.encoding.format.is_given) reject("--format");
  if (words.size() > 2) reject(words[2]);  // the first two are --format and its default
  for (const auto& [is_given, option] : {std::pair{!given.to.empty(), "--to"},
                                         {!given.extension.empty(), "--ext"},
                                         {!given.rules.empty(), "--rules"},
                                         {!given.container.empty(), "--container"},
                                         {given.parts.has_value(), "--parts"},
                                         {given.cube, "--cube"},
                                         {given.array, "--array"},
                                         {given.packing.split.has_value(), "--split"},
                                         {given.packing.max_disk.has_value(), "--max-disk"}})
    if (is_given) throw Error(ErrorKind::usage, fmt::format("{} is for inputs: give some, or leave it out", option));
}

void check_version(const farm::Manifest& manifest, const std::string& path) {
  if (manifest.version.empty() || manifest.version == program_version()) return;
  throw Error(ErrorKind::usage,
              fmt::format("'{}' is by texcast {}, whose bytes may be others than those of this texcast {}: use that "
                          "version, or write the manifest again",
                          path, manifest.version, program_version()));
}

// Whether encode_picture_jobs() can do it: one picture to a texture.
bool is_picture_job(const EncodeJob& job) {
  const InputOptions& input = job.options.input;
  return media::still_kind(job.options.output) && is_picture_name(input.input) && !input.fps && !input.frames &&
         !input.duration && input.start == nanoseconds{} && !media::number_pattern(input.input);
}

// Whether a job is done in this round: those that encode, then those that compare with their outputs.
enum class Round { encode, verify };
bool is_due(const EncodeJob& job, Round round) {
  return job.status == JobStatus::waiting && job.verify == (round == Round::verify);
}

void do_pictures(const EncodeOptions& o, JobRunner& runner, std::vector<EncodeJob>& jobs, Round round) {
  std::vector<EncodeJob*> pictures;
  for (EncodeJob& job : jobs) {
    if (!is_due(job, round) || !is_picture_job(job)) continue;
    or_fail(job, [&] { check_picture_job(job); });
    if (job.status == JobStatus::waiting) pictures.push_back(&job);
  }
  encode_picture_jobs(o, runner, pictures);
}

// As for pictures: a manifest may be done on a machine that has none of the folders yet.
void make_folder_of(const std::string& output) {
  std::error_code error;
  std::filesystem::create_directories(folder_of(output), error);
  if (error) throw Error(ErrorKind::failed, fmt::format("cannot make the folder of '{}': {}", output, error.message()));
}

void do_videos(const EncodeOptions& o, JobRunner& runner, std::vector<EncodeJob>& jobs, Round round) {
  for (EncodeJob& job : jobs) {
    if (!is_due(job, round) || is_picture_job(job)) continue;
    if (interrupted()) return;
    if (o.if_newer && !job.verify && is_current(job)) {
      job.status = JobStatus::skipped;
      job.reason = "the texture is newer";
      continue;
    }
    or_fail(job, [&] {
      make_folder_of(job.options.output);
      runner.run(job, encode_video_job);
    });
    if (job.status == JobStatus::failed && job.kind == ErrorKind::no_device) return;  // nor has the next one
  }
}

// The last message of the run: how many jobs failed, and which.
void name_failures(const std::vector<EncodeJob>& jobs) {
  std::vector<std::string> names;
  size_t failed = 0;
  for (const EncodeJob& job : jobs) {
    if (job.status != JobStatus::failed) continue;
    if (++failed > kMostNamed) continue;
    names.push_back(job.options.part ? job.options.output : job.options.input.input);
  }
  if (failed == 0) return;
  log_error("{} of {} failed: {}{}", failed, plural(jobs.size(), "job"), joined(names, ", "),
            failed > kMostNamed ? fmt::format(" and {} others", failed - kMostNamed) : "");
}

int do_jobs(const EncodeOptions& o, std::vector<EncodeJob> jobs) {
  const SteadyTime begun = steady_now();
  JobRunner runner(o);
  for (const Round round : {Round::encode, Round::verify}) {
    do_pictures(o, runner, jobs, round);
    do_videos(o, runner, jobs, round);
  }
  report_jobs(o, jobs, in_seconds(steady_now() - begun));
  name_failures(jobs);
  return exit_code_of(jobs);
}

int do_manifest(const EncodeOptions& o) {
  reject_options_of_jobs(as_given(o));
  const farm::Manifest manifest = farm::read_manifest(o.manifest);
  check_version(manifest, o.manifest);
  const auto share = o.part ? farm::Share{o.part->number, o.part->count} : farm::Share{};
  if (o.verify_share && std::ranges::any_of(manifest.jobs, &farm::ManifestJob::verify))
    throw Error(ErrorKind::usage,
                fmt::format("'{}' has jobs that verify others already: leave out --verify-share", o.manifest));
  return do_jobs(o, jobs_of_manifest(farm::items_of_share(manifest.jobs, share), o));
}

}  // namespace

farm::Manifest manifest_of(const EncodeOptions& o) {
  farm::Manifest manifest{.version = program_version(), .jobs = {}};
  const std::vector<EncodeJob> jobs = list_jobs(o);
  const std::vector<Content> contents = contents_of(jobs);
  for (size_t i = 0; i < jobs.size(); ++i) {
    manifest.jobs.push_back(manifest_job(jobs[i]));
    manifest.jobs.back().id = contents[i].id;
    manifest.jobs.back().file = contents[i].input;
  }
  if (o.verify_share) add_verifying(manifest, *o.verify_share);
  return manifest;
}

int encode_manifest(const EncodeOptions& o) { return o.inputs.empty() ? do_manifest(o) : write_jobs(o); }

int encode_to_store(const EncodeOptions& o) { return do_jobs(o, list_jobs(o)); }

}  // namespace texcast::cli
