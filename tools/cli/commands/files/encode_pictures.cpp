#include "files/encode_pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "base/helper_threads.h"
#include "base/workers.h"
#include "cli/encode_rules.h"
#include "cli/interrupt.h"
#include "common/source_and_encoder.h"
#include "farm/manifest.h"
#include "files/dropped_alpha.h"
#include "files/encode_job.h"
#include "files/filtering.h"
#include "files/picture_encoders.h"
#include "files/quality_check.h"
#include "files/texture_files.h"
#include "media/files.h"
#include "media/new_file.h"
#include "media/recorder.h"
#include "texcast/error.h"
#include "text/progress.h"

namespace texcast::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostJobs = 32;  // by default: each has the memory of a picture and its encoder

// The options of a file that a rule matches: the line stands for all options of its texture.
EncodeOptions by_rule(const EncodeOptions& asked, const EncodeRule& rule) {
  EncodeOptions o = rule.options;
  o.encoding.device = asked.encoding.device;
  o.encoding.tune = asked.encoding.tune;
  if (!o.packing.zstd) o.packing.zstd = asked.packing.zstd;
  o.if_exists = asked.if_exists;
  o.psnr = asked.psnr;
  return o;
}

EncodeJob job_of(const EncodeOptions& asked, const EncodeRules& rules, const PictureFile& file) {
  const EncodeRule* rule = rules.match(file.below);
  EncodeJob job{.options = rule != nullptr ? by_rule(asked, *rule) : asked};
  EncodeOptions& o = job.options;
  EncodeOptions given = rule != nullptr ? rule->options : as_given(asked);
  o.input.input = given.input.input = file.input;
  o.output = job.output = file.output;
  o.part.reset();
  given.part.reset();
  if (!o.encoding.format.is_given) o.encoding.format.value = usual_picture_format(o.output);
  if (asked.if_newer) o.if_exists = IfExists::overwrite;
  o.given = std::make_shared<const EncodeOptions>(std::move(given));
  return job;
}

// Whether the command may stand for several pictures.
bool names_several(const EncodeOptions& given) { return !given.to.empty() || media::number_pattern(given.input.input); }

void reject_for_pictures(const EncodeOptions& given) {
  const auto reject_if = [](bool unused, const char* option) {
    if (unused) throw Error(ErrorKind::usage, fmt::format("{} is for videos, and these are pictures", option));
  };
  reject_if(given.input.start > nanoseconds{}, "--start");
  reject_if(given.input.duration.has_value(), "--duration");
  reject_if(given.input.fps.has_value(), "--fps");
  reject_if(given.input.frames && !given.to.empty(), "--frames");
  reject_if(static_cast<bool>(given.lossy), "--crf");
  reject_if(given.keyframe_interval.has_value(), "--keyframe-interval");
  reject_if(given.lossy.transform == TransformCoding::on, "--transform");
  reject_if(given.audio.has_value(), "--audio");
  reject_if(given.part && !names_several(given), "--part");
}

EncoderSettings encoder_settings(const EncodingOptions& o, const FrameFormat& source) {
  return {.source = source,
          .texture = o.format,
          .quality = o.quality,
          .method = o.method,
          .options = o.options,
          .device = o.device,
          .frames_in_flight = 1,
          // A picture does not last long enough for timing variants of the kernel.
          .tune = o.tune.value_or(TuneMode::off),
          // All pictures wait for the same program.
          .start = EncoderStart::when_built};
}

class Batch {
 public:
  Batch(const EncodeOptions& asked, JobRunner& runner, std::span<EncodeJob* const> jobs)
      : asked_(asked),
        runner_(runner),
        jobs_(jobs),
        encoders_(2 * threads(), threads() > 1 ? 0 : Workers::suggested_threads()),
        progress_("encoding", count(), "file") {
    std::error_code error;
    if (!asked.rules.empty()) rules_time_ = fs::last_write_time(asked.rules, error);
  }

  // Returns when all files are done, or a device or the user has ended the work.
  void run() {
    const HelperThreads others(static_cast<int>(threads()) - 1, [this] { serve(); });
    serve();
  }

 private:
  int64_t count() const { return static_cast<int64_t>(jobs_.size()); }
  size_t threads() const {
    const size_t usual = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMostJobs);
    return std::clamp<size_t>(asked_.jobs ? static_cast<size_t>(*asked_.jobs) : usual, 1, jobs_.size());
  }

  // The work of each thread.
  void serve() {
    while (!stop_ && !interrupted()) {
      const size_t n = next_++;
      if (n >= jobs_.size()) return;
      EncodeJob& job = *jobs_[n];
      or_fail(job, [&] { run(job); });
      // The next file would find none either.
      if (job.status == JobStatus::failed && job.kind == ErrorKind::no_device) stop_ = true;
      const std::lock_guard lock(mutex_);
      progress_.update(++finished_);
    }
  }

  void run(EncodeJob& job) {
    if (asked_.if_newer && !job.verify && is_current(job, rules_time_)) {
      job.status = JobStatus::skipped;
      job.reason = "the texture is newer";
      return;
    }
    runner_.run(job, [this](EncodeJob& one) { encode(one); });
  }

  void encode(EncodeJob& job) {
    const EncodeOptions& o = job.options;
    if (o.if_exists == IfExists::refuse && media::is_taken(o.output)) media::throw_name_taken(o.output);
    auto source = open_input(o.input, as_given(o).input, o.encoding.format);
    if (!source->is_image())
      throw Error(ErrorKind::input, "it is a video, not a picture; encode it by itself, for example to .mov");
    source = resized(o, std::move(source));
    const auto frame = source->next();
    if (!frame) throw Error(ErrorKind::input, "it has no picture");
    warn_of_dropped_alpha(*source, o);
    auto encoder = encoders_.take(encoder_settings(o.encoding, source->format()),
                                  o.mips ? std::optional(mip_settings(o, *o.mips)) : std::nullopt);
    encoder->encoder->submit(frame->view, frame->times);
    if (encoder->mips) encoder->mips->submit(frame->view);
    const TextureView texture = encoder->encoder->next().texture;
    const stream::MipLevels levels = encoder->mips ? encoder->mips->next() : stream::MipLevels{};
    if (o.psnr) {
      QualityCheck quality(1, o.encoding.format);
      quality.submitted(frame->view);
      quality.encoded(texture);
      job.psnr_db = quality.clip_db();
    }
    write(job, texture, levels);
    job.device = encoder->encoder->device_name();
    encoders_.give_back(std::move(encoder));
    job.status = JobStatus::done;
  }

  static void write(EncodeJob& job, const TextureView& texture, const stream::MipLevels& levels) {
    const EncodeOptions& o = job.options;
    media::RecorderSettings settings = recorder_settings(o.output, o.packing);
    settings.if_exists = o.if_exists;
    settings.never_replaced = o.input.input;
    settings.texture = texture.desc;
    if (o.srgb) settings.texture.color.transfer = kSrgbTransfer;
    if (const fs::path folder = fs::path(o.output).parent_path(); !folder.empty()) fs::create_directories(folder);
    const auto recorder = media::make_recorder(settings);
    if (!levels.views.empty()) recorder->add_levels(levels.views);
    recorder->write({settings.texture, texture.blocks}, {});
    const media::RecorderReport report = recorder->finish();
    job.output = report.files.front();
    job.bytes = report.bytes;
    job.texture = settings.texture;
    job.levels = 1 + static_cast<int>(levels.views.size());
  }

  const EncodeOptions& asked_;
  JobRunner& runner_;
  const std::span<EncodeJob* const> jobs_;
  std::optional<fs::file_time_type> rules_time_;
  PictureEncoders encoders_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  // guards the following
  Progress progress_;
  int64_t finished_ = 0;
};

}  // namespace

TextureFormat usual_picture_format(const std::string& output) {
  return media::still_kind(output) == container::StillKind::astc ? TextureFormat::astc_6x6 : TextureFormat::bc7;
}

void check_picture_job(const EncodeJob& job) {
  check_encoding(job.options.encoding);
  check_still_options(job.options);
  stream::check_layout(job.options.output, job.options.encoding.format, job.options.packing.layout);
  check_not_same_file(job.options.input.input, job.options.output);
  (void)recorder_settings(job.options.output, job.options.packing);
}

std::vector<EncodeJob> picture_jobs(const EncodeOptions& options, const std::vector<PictureFile>& files) {
  reject_for_pictures(as_given(options));
  const EncodeRules rules = options.rules.empty() ? EncodeRules() : EncodeRules(options.rules);
  std::vector<EncodeJob> jobs;
  const auto share = options.part ? farm::Share{options.part->number, options.part->count} : farm::Share{};
  for (const PictureFile& file : farm::items_of_share(files, share)) {
    jobs.push_back(job_of(options, rules, file));
    check_picture_job(jobs.back());
  }
  return jobs;
}

void encode_picture_jobs(const EncodeOptions& asked, JobRunner& runner, std::span<EncodeJob* const> jobs) {
  if (!jobs.empty()) Batch(asked, runner, jobs).run();
}

int encode_pictures(const EncodeOptions& options, const std::vector<PictureFile>& files) {
  std::vector<EncodeJob> jobs = picture_jobs(options, files);
  std::vector<EncodeJob*> all;
  for (EncodeJob& job : jobs) all.push_back(&job);
  const SteadyTime begun = steady_now();
  JobRunner runner(options);
  encode_picture_jobs(options, runner, all);
  report_jobs(options, jobs, in_seconds(steady_now() - begun));
  return exit_code_of(jobs);
}

}  // namespace texcast::cli
