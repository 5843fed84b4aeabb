#include "files/encode_job.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "base/log.h"
#include "cli/interrupt.h"
#include "common/source_and_encoder.h"
#include "media/files.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

struct Summary {
  size_t done = 0, stored = 0, skipped = 0, failed = 0, waiting = 0;
  int64_t bytes = 0;
  double texels = 0;
  size_t verified = 0;
  std::string device{};
  std::set<ErrorKind> failures{};
};

Summary summary_of(const std::vector<EncodeJob>& jobs) {
  Summary sum;
  for (const EncodeJob& job : jobs) {
    switch (job.status) {
      case JobStatus::waiting: ++sum.waiting; break;
      case JobStatus::done: ++sum.done; break;
      case JobStatus::stored: ++sum.stored; break;
      case JobStatus::skipped: ++sum.skipped; break;
      case JobStatus::failed: ++sum.failed; break;
    }
    if (job.status == JobStatus::failed) sum.failures.insert(job.kind);
    if (job.status != JobStatus::done) continue;
    if (job.verified) ++sum.verified;
    sum.bytes += job.bytes;
    sum.texels += static_cast<double>(job.texture.width) * job.texture.height * static_cast<double>(job.frames);
    sum.device = job.device;
  }
  return sum;
}

const char* name(JobStatus status) {
  switch (status) {
    case JobStatus::waiting: return "not begun";
    case JobStatus::done: return "done";
    case JobStatus::stored: return "stored";
    case JobStatus::skipped: return "skipped";
    case JobStatus::failed: return "failed";
  }
  return "";
}

Json json_of(const EncodeJob& job) {
  Json json = Json::object({{"input", job.options.input.input}, {"output", job.output}, {"status", name(job.status)}});
  if (!job.reason.empty()) json["reason"] = job.reason;
  if (job.status != JobStatus::done) return json;
  json["format"] = std::string(texcast::name(job.texture.format));
  json["quality"] = std::string(effort(job.options.encoding));
  json["width"] = job.texture.width;
  json["height"] = job.texture.height;
  json["levels"] = job.levels;
  if (!media::still_kind(job.output)) json["frames"] = job.frames;
  json["file_bytes"] = job.bytes;
  if (job.psnr_db) json["psnr_db"] = *job.psnr_db;
  if (job.verified) json["verified"] = true;
  return json;
}

void print_json(const std::vector<EncodeJob>& jobs, const Summary& sum, double seconds) {
  Json files = Json::array();
  for (const EncodeJob& job : jobs) files.push(json_of(job));
  fmt::print("{}\n", Json::object({{"files", files},
                                   {"done", sum.done},
                                   {"stored", sum.stored},
                                   {"verified", sum.verified},
                                   {"skipped", sum.skipped},
                                   {"failed", sum.failed},
                                   {"not_begun", sum.waiting},
                                   {"seconds", seconds},
                                   {"files_per_second", seconds > 0 ? static_cast<double>(sum.done) / seconds : 0},
                                   {"file_bytes", sum.bytes},
                                   {"device", sum.device}})
                         .text(2));
}

void print_report(const std::vector<EncodeJob>& jobs, const Summary& sum, double seconds) {
  print_row("encoded",
            fmt::format("{}, {:.1f} Mpixel, {}", plural(sum.done, "file"), sum.texels / 1e6, file_size(sum.bytes)));
  if (sum.verified > 0)
    print_row("verified", fmt::format("{}, the same when encoded again", plural(sum.verified, "file")));
  if (sum.stored > 0) print_row("stored", fmt::format("{}, which the store had already", plural(sum.stored, "file")));
  if (sum.skipped > 0) print_row("skipped", fmt::format("{}, whose textures are newer", plural(sum.skipped, "file")));
  if (sum.failed > 0) print_row("failed", fmt::format("{}, as said above", plural(sum.failed, "file")));
  if (sum.waiting > 0) print_row("not begun", plural(sum.waiting, "file"));
  if (sum.done == 0) return;
  print_row("speed", fmt::format("{:.1f} files/s, {:.2f} s", static_cast<double>(sum.done) / seconds, seconds));
  print_row("device", sum.device);
  double worst = 0, total = 0;
  const EncodeJob* worst_job = nullptr;
  for (const EncodeJob& job : jobs) {
    if (!job.psnr_db) continue;
    total += *job.psnr_db;
    if (worst_job == nullptr || *job.psnr_db < worst) {
      worst = *job.psnr_db;
      worst_job = &job;
    }
  }
  if (worst_job != nullptr)
    print_row("PSNR", fmt::format("{:.2f} dB on average, worst {:.2f} dB in {}", total / static_cast<double>(sum.done),
                                  worst, worst_job->options.input.input));
}

}  // namespace

void fail(EncodeJob& job, ErrorKind kind, const std::string& reason) {
  job.status = JobStatus::failed;
  job.kind = kind;
  job.reason = reason;
  const std::string& input = job.options.input.input;
  log_error("{}{}", reason.find(input) == std::string::npos ? input + ": " : "", reason);
}

bool is_current(const EncodeJob& job, std::optional<std::filesystem::file_time_type> rules) {
  std::error_code no_input, no_output;
  const auto input = std::filesystem::last_write_time(job.options.input.input, no_input);
  const auto output = std::filesystem::last_write_time(job.output, no_output);
  return !no_input && !no_output && output > input && (!rules || output > *rules);
}

void report_jobs(const EncodeOptions& asked, const std::vector<EncodeJob>& jobs, double seconds) {
  const Summary sum = summary_of(jobs);
  if (asked.json)
    print_json(jobs, sum, seconds);
  else if (reports())
    print_report(jobs, sum, seconds);
  if (interrupted())
    tell_interruption(fmt::format("after {} of {} files, which are complete",
                                  sum.done + sum.stored + sum.skipped + sum.failed, jobs.size()));
}

int exit_code_of(const std::vector<EncodeJob>& jobs) {
  const std::set<ErrorKind> failures = summary_of(jobs).failures;
  if (failures.empty()) return 0;
  return static_cast<int>(failures.size() == 1 ? *failures.begin() : ErrorKind::failed);
}

}  // namespace texcast::cli
