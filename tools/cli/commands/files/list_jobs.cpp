#include "files/list_jobs.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cli/encode_words.h"
#include "files/encode_pictures.h"
#include "files/encode_video.h"
#include "files/job_identity.h"
#include "files/normal_options.h"
#include "files/pipe_target.h"
#include "media/files.h"

namespace texcast::cli {
namespace {

void check_repeatable(const std::string& input) {
  if (!is_repeatable(input))
    throw Error(ErrorKind::usage,
                fmt::format("'{}' is no file that several processes could read: record it to a file first", input));
}

void check_one_file(const EncodeOptions& o) {
  if (media::numbered_name(o.output, 0))
    throw Error(ErrorKind::usage,
                fmt::format("'{}' is a sequence, and a job writes one file: choose .mov or .mkv", o.output));
  if (o.packing.split || o.packing.max_disk)
    throw Error(ErrorKind::usage, "--split and --max-disk are not for jobs, each of which writes one whole file");
}

// "film-07.mkv" of "film.mkv", part 7 of 12.
std::string part_output(const std::string& output, const Part& part) {
  std::filesystem::path path(output);
  const std::string stem = path.stem(), extension = path.extension();
  const size_t digits = std::to_string(part.count).size();
  return path.replace_filename(fmt::format("{}-{:0{}}{}", stem, part.number, digits, extension));
}

std::vector<EncodeJob> parts_of(const EncodeOptions& o) {
  std::vector<EncodeJob> jobs;
  for (int number = 1; number <= *o.parts; ++number) {
    EncodeJob job{.options = o};
    job.options.part = Part{number, *o.parts};
    job.options.output = job.output = part_output(o.output, *job.options.part);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::vector<EncodeJob> list_one(const EncodeOptions& asked) {
  EncodeOptions o = asked;
  if (o.parts) o.part = Part{1, *o.parts};
  check_video_job(o);
  if (o.parts) return parts_of(o);
  std::vector<EncodeJob> jobs;
  jobs.push_back({.options = o, .output = o.output});
  return jobs;
}

std::vector<EncodeJob> list_pictures(const EncodeOptions& o, const std::vector<PictureFile>& files) {
  if (o.parts) throw Error(ErrorKind::usage, "--parts is for videos, and these are pictures");
  std::vector<EncodeJob> jobs = picture_jobs(o, files);
  for (EncodeJob& job : jobs) {  // those that a config file may have for videos
    InputOptions& input = job.options.input;
    input.start = {};
    input.frames.reset();
    input.duration.reset();
    input.fps.reset();
  }
  return jobs;
}

EncodeJob job_of(const farm::ManifestJob& from, const EncodeOptions& run, EncodeOptions o) {
  o.input.input = from.input;
  o.output = from.output;
  if (from.part) o.part = Part{from.part->number, from.part->count};
  o.encoding.device = run.encoding.device;
  o.encoding.tune = run.encoding.tune;
  o.if_exists = run.if_newer ? IfExists::overwrite : run.if_exists;
  o.psnr = run.psnr;
  o.given = std::make_shared<const EncodeOptions>(o);
  return {.options = std::move(o),
          .verify = from.verify,
          .expected_id = from.id,
          .known_input = from.file,
          .output = from.output};
}

}  // namespace

std::vector<EncodeJob> list_jobs(const EncodeOptions& o) {
  if (o.cube || o.array)
    throw Error(ErrorKind::usage, "a job has one input: --cube and --array, which join several, are not for it");
  if (is_pipe(o.output)) throw Error(ErrorKind::usage, "a job writes a file, not a pipe: name one as OUTPUT");
  const auto pictures = pictures_of(o);
  std::vector<EncodeJob> jobs;
  if (!pictures) check_repeatable(o.input.input);
  jobs = pictures ? list_pictures(o, *pictures) : list_one(o);
  for (const EncodeJob& job : jobs) check_one_file(job.options);
  return jobs;
}

bool has_jobs(const EncodeOptions& o) {
  if (o.cube || o.array || o.packing.split || o.packing.max_disk || is_pipe(o.output)) return false;
  return !o.to.empty() || (is_repeatable(o.input.input) && !media::numbered_name(o.output, 0));
}

farm::ManifestJob manifest_job(const EncodeJob& job) {
  const EncodeOptions& o = job.options;
  farm::ManifestJob made{.input = o.input.input, .output = o.output, .options = {}, .part = {}, .id = {}};
  made.options = encode_words(normal_options(o));
  if (o.part) made.part = farm::Share{o.part->number, o.part->count};
  return made;
}

std::vector<EncodeJob> jobs_of_manifest(const std::vector<farm::ManifestJob>& list, const EncodeOptions& run) {
  std::map<std::vector<std::string>, EncodeOptions> known;  // most jobs have the same options
  std::vector<EncodeJob> jobs;
  for (const farm::ManifestJob& from : list) {
    auto found = known.find(from.options);
    std::string wrong;
    if (found == known.end()) try {
        found = known.emplace(from.options, encode_options_of(from.options)).first;
      } catch (const Error& error) {
        wrong = error.what();
      }
    jobs.push_back(job_of(from, run, found == known.end() ? EncodeOptions{} : found->second));
    if (!wrong.empty()) fail(jobs.back(), ErrorKind::usage, fmt::format("{}: {}", from.input, wrong));
  }
  return jobs;
}

}  // namespace texcast::cli
