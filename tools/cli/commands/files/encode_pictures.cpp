#include "files/encode_pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/helper_threads.h"
#include "base/log.h"
#include "base/workers.h"
#include "cli/encode_rules.h"
#include "cli/interrupt.h"
#include "common/source_and_encoder.h"
#include "files/dropped_alpha.h"
#include "files/filtering.h"
#include "files/picture_encoders.h"
#include "files/quality_check.h"
#include "files/texture_files.h"
#include "media/files.h"
#include "media/new_file.h"
#include "media/recorder.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/progress.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostJobs = 32;  // by default: each has the memory of a picture and its encoder

enum class Status { waiting, done, skipped, failed };

// One file, with its own options. Written by the thread that encodes it.
struct Job {
  EncodeOptions options;
  Status status = Status::waiting;
  std::string reason{};  // of a failure, or for skipping
  ErrorKind kind{};      // of a failure
  std::string output{};  // the name that was written; options.output, unless it was numbered
  TextureDesc texture{};
  int levels = 1;
  int64_t bytes = 0;
  std::string device{};
  std::optional<double> psnr_db{};
};

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

Job job_of(const EncodeOptions& asked, const EncodeRules& rules, const PictureFile& file) {
  const EncodeRule* rule = rules.match(file.below);
  Job job{.options = rule != nullptr ? by_rule(asked, *rule) : asked};
  EncodeOptions& o = job.options;
  EncodeOptions given = rule != nullptr ? rule->options : as_given(asked);
  o.input.input = given.input.input = file.input;
  o.output = job.output = file.output;
  if (!o.encoding.format.is_given) o.encoding.format.value = usual_picture_format(o.output);
  if (asked.if_newer) o.if_exists = IfExists::overwrite;
  o.given = std::make_shared<const EncodeOptions>(std::move(given));
  return job;
}

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
}

// Throws Error{usage} if the options do not fit the file.
void check(const Job& job) {
  check_encoding(job.options.encoding);
  check_still_options(job.options);
  stream::check_layout(job.options.output, job.options.encoding.format, job.options.packing.layout);
  check_not_same_file(job.options.input.input, job.options.output);
  (void)recorder_settings(job.options.output, job.options.packing);
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
  Batch(const EncodeOptions& asked, std::vector<Job> jobs)
      : asked_(asked),
        jobs_(std::move(jobs)),
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

  const std::vector<Job>& jobs() const { return jobs_; }
  bool is_cut_short() const { return stop_; }

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
      Job& job = jobs_[n];
      try {
        encode(job);
      } catch (const Error& error) {
        fail(job, error.kind(), error.what());
      } catch (const std::exception& error) {
        fail(job, ErrorKind::failed, error.what());
      }
      const std::lock_guard lock(mutex_);
      progress_.update(++finished_);
    }
  }

  void fail(Job& job, ErrorKind kind, const std::string& reason) {
    job.status = Status::failed;
    job.kind = kind;
    job.reason = reason;
    const std::string& input = job.options.input.input;
    log_error("{}{}", reason.find(input) == std::string::npos ? input + ": " : "", reason);
    if (kind == ErrorKind::no_device) stop_ = true;  // the next file would find none either
  }

  // Whether the texture is newer than all that it is made from.
  bool is_current(const Job& job) const {
    std::error_code no_input, no_output;
    const auto input = fs::last_write_time(job.options.input.input, no_input);
    const auto output = fs::last_write_time(job.output, no_output);
    return !no_input && !no_output && output > input && (!rules_time_ || output > *rules_time_);
  }

  void encode(Job& job) {
    const EncodeOptions& o = job.options;
    if (asked_.if_newer && is_current(job)) {
      job.status = Status::skipped;
      job.reason = "the texture is newer";
      return;
    }
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
    job.status = Status::done;
  }

  static void write(Job& job, const TextureView& texture, const stream::MipLevels& levels) {
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
  std::vector<Job> jobs_;
  std::optional<fs::file_time_type> rules_time_;
  PictureEncoders encoders_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  // guards the following
  Progress progress_;
  int64_t finished_ = 0;
};

struct Summary {
  size_t done = 0, skipped = 0, failed = 0, waiting = 0;
  int64_t bytes = 0;
  double texels = 0;
  std::string device{};
  std::set<ErrorKind> failures{};
};

Summary summary_of(const std::vector<Job>& jobs) {
  Summary sum;
  for (const Job& job : jobs) {
    switch (job.status) {
      case Status::waiting: ++sum.waiting; break;
      case Status::done: ++sum.done; break;
      case Status::skipped: ++sum.skipped; break;
      case Status::failed: ++sum.failed; break;
    }
    if (job.status == Status::failed) sum.failures.insert(job.kind);
    if (job.status != Status::done) continue;
    sum.bytes += job.bytes;
    sum.texels += static_cast<double>(job.texture.width) * job.texture.height;
    sum.device = job.device;
  }
  return sum;
}

const char* name(Status status) {
  switch (status) {
    case Status::waiting: return "not begun";
    case Status::done: return "done";
    case Status::skipped: return "skipped";
    case Status::failed: return "failed";
  }
  return "";
}

Json json_of(const Job& job) {
  Json json = Json::object({{"input", job.options.input.input}, {"output", job.output}, {"status", name(job.status)}});
  if (!job.reason.empty()) json["reason"] = job.reason;
  if (job.status != Status::done) return json;
  json["format"] = std::string(texcast::name(job.texture.format));
  json["quality"] = std::string(effort(job.options.encoding));
  json["width"] = job.texture.width;
  json["height"] = job.texture.height;
  json["levels"] = job.levels;
  json["file_bytes"] = job.bytes;
  if (job.psnr_db) json["psnr_db"] = *job.psnr_db;
  return json;
}

void print_json(const std::vector<Job>& jobs, const Summary& sum, double seconds) {
  Json files = Json::array();
  for (const Job& job : jobs) files.push(json_of(job));
  fmt::print("{}\n", Json::object({{"files", files},
                                   {"done", sum.done},
                                   {"skipped", sum.skipped},
                                   {"failed", sum.failed},
                                   {"not_begun", sum.waiting},
                                   {"seconds", seconds},
                                   {"files_per_second", seconds > 0 ? static_cast<double>(sum.done) / seconds : 0},
                                   {"file_bytes", sum.bytes},
                                   {"device", sum.device}})
                         .text(2));
}

void print_report(const std::vector<Job>& jobs, const Summary& sum, double seconds) {
  print_row("encoded",
            fmt::format("{}, {:.1f} Mpixel, {}", plural(sum.done, "file"), sum.texels / 1e6, file_size(sum.bytes)));
  if (sum.skipped > 0) print_row("skipped", fmt::format("{}, whose textures are newer", plural(sum.skipped, "file")));
  if (sum.failed > 0) print_row("failed", fmt::format("{}, as said above", plural(sum.failed, "file")));
  if (sum.waiting > 0) print_row("not begun", plural(sum.waiting, "file"));
  if (sum.done == 0) return;
  print_row("speed", fmt::format("{:.1f} files/s, {:.2f} s", static_cast<double>(sum.done) / seconds, seconds));
  print_row("device", sum.device);
  double worst = 0, total = 0;
  const Job* worst_job = nullptr;
  for (const Job& job : jobs) {
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

TextureFormat usual_picture_format(const std::string& output) {
  return media::still_kind(output) == container::StillKind::astc ? TextureFormat::astc_6x6 : TextureFormat::bc7;
}

int encode_pictures(const EncodeOptions& options, const std::vector<PictureFile>& files) {
  reject_for_pictures(as_given(options));
  const EncodeRules rules = options.rules.empty() ? EncodeRules() : EncodeRules(options.rules);
  std::vector<Job> jobs;
  for (const PictureFile& file : files) {
    jobs.push_back(job_of(options, rules, file));
    check(jobs.back());
  }
  const SteadyTime begun = steady_now();
  Summary sum;
  {
    Batch batch(options, std::move(jobs));
    batch.run();
    jobs = batch.jobs();
  }
  const double seconds = in_seconds(steady_now() - begun);
  sum = summary_of(jobs);
  if (options.json)
    print_json(jobs, sum, seconds);
  else if (reports())
    print_report(jobs, sum, seconds);
  if (interrupted())
    tell_interruption(
        fmt::format("after {} of {} files, which are complete", sum.done + sum.skipped + sum.failed, jobs.size()));
  if (sum.failures.empty()) return 0;
  return static_cast<int>(sum.failures.size() == 1 ? *sum.failures.begin() : ErrorKind::failed);
}

}  // namespace texcast::cli
