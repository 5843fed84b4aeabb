// encode.cpp — `texcast encode`: compresses a video or picture into a texture file.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/log.h"
#include "base/stage_time.h"
#include "cli/coded_formats.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "common/source_and_encoder.h"
#include "common/unused_options.h"
#include "compact/opencl_lossless_backend.h"
#include "compact/opencl_lossy_backend.h"
#include "compact/rd_parameters.h"
#include "compact/transform_choice.h"
#include "files/assemble.h"
#include "files/dropped_alpha.h"
#include "files/encode_job.h"
#include "files/encode_manifest.h"
#include "files/encode_part.h"
#include "files/encode_pictures.h"
#include "files/encode_video.h"
#include "files/filtering.h"
#include "files/job_identity.h"
#include "files/list_jobs.h"
#include "files/outputs.h"
#include "files/pipe_target.h"
#include "files/quality_check.h"
#include "files/texture_files.h"
#include "live/auto_reset_event.h"
#include "media/files.h"
#include "media/recorder.h"
#include "stream/layout_recorder.h"
#include "stream/mip_encoder.h"
#include "stream/recording_thread.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/progress.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

// The encoder of mip levels has one device.
constexpr int kMostInFlight = 16;

struct Totals {
  int64_t frames = 0;
  int64_t unread = 0;  // damaged frames of the input
  int64_t raw_bytes = 0;
  TextureFormat recorded{};  // format of the blocks in the file
  double seconds = 0;
  media::RecorderReport file;
  StageTime source, submit, wait, recording;  // of threads on the CPU; without the time of devices
  nanoseconds cpu{};                          // of the whole process
};

// Waits for the frames of an encoder until an interrupt: a frame that the processor encodes may take minutes.
class FrameWait {
 public:
  explicit FrameWait(Encoder& encoder) : encoder_(encoder) {
    encoder_.on_progress([this] { progress_.set(); });
  }
  ~FrameWait() { encoder_.on_progress({}); }
  FrameWait(const FrameWait&) = delete;
  FrameWait& operator=(const FrameWait&) = delete;

  // False: interrupted.
  bool for_frame() {
    constexpr nanoseconds kLook = std::chrono::milliseconds(20);
    while (!interrupted()) {
      encoder_.ready_bytes();  // goes on with the device as soon as its kernels are built
      if (encoder_.ready()) return true;
      progress_.wait_until(steady_now() + kLook);
    }
    return false;
  }

 private:
  Encoder& encoder_;
  stream::AutoResetEvent progress_;
};

struct Stage {
  const char* name;
  StageTime time;
};
// The stages of a frame, in order.
std::vector<Stage> stages_of(const Totals& t) {
  // Recorders that do not pack measure only the total.
  const StageTime write = t.file.write.wall > nanoseconds{} ? t.file.write : t.recording;
  std::vector<Stage> stages = {{"source", t.source}, {"submit", t.submit}, {"wait", t.wait}};
  if (t.file.repack.wall > nanoseconds{}) stages.push_back({"repack", t.file.repack});
  stages.insert(stages.end(), {{"pack", t.file.pack}, {"write", write}});
  return stages;
}

double ms_a_frame(nanoseconds time, int64_t frames) {
  return frames > 0 ? in_milliseconds(time) / static_cast<double>(frames) : 0;
}

void print_stages(const Totals& t) {
  std::string text;
  for (const Stage& stage : stages_of(t))
    text += fmt::format("{}{} {:.2f} / {:.2f}", text.empty() ? "" : ", ", stage.name,
                        ms_a_frame(stage.time.wall, t.frames), ms_a_frame(stage.time.cpu, t.frames));
  print_row("stages", text + " ms per frame (time / CPU time)");
  print_row("CPU",
            fmt::format("{:.2f} ms per frame, including OpenCL devices on the CPU", ms_a_frame(t.cpu, t.frames)));
}

Json stages_json(const Totals& t) {
  Json json = Json::object();
  for (const Stage& stage : stages_of(t))
    json[stage.name] =
        Json::object({{"time", ms_a_frame(stage.time.wall, t.frames)}, {"cpu", ms_a_frame(stage.time.cpu, t.frames)}});
  return json;
}

void print_report(const EncodeOptions& o, const Encoder& encoder, const Totals& t,
                  const std::optional<QualityCheck>& check) {
  const TextureDesc d = encoder.texture_desc();
  const double ms = t.frames > 0 ? t.seconds * 1000 / static_cast<double>(t.frames) : 0;
  if (o.json) {
    Json json = Json::object({{"input", o.input.input},
                              {"output", o.output},
                              {"format", name(d.format)},
                              {"recorded", name(t.recorded)},
                              {"quality", effort(o.encoding)},
                              {"width", d.width},
                              {"height", d.height},
                              {"frames", t.frames},
                              {"frames_unread", t.unread},
                              {"seconds", t.seconds},
                              {"fps", t.seconds > 0 ? static_cast<double>(t.frames) / t.seconds : 0},
                              {"ms_per_frame", ms},
                              {"cpu_ms_per_frame", ms_a_frame(t.cpu, t.frames)},
                              {"stages_ms", stages_json(t)},
                              {"texture_bytes", t.raw_bytes},
                              {"file_bytes", t.file.bytes},
                              {"device", encoder.device_name()}});
    if (!t.file.files.empty()) json["files"] = t.file.files;
    if (o.mips) json["levels"] = most_levels(d.width, d.height);
    // JSON has no infinity: identical pictures are null.
    if (check) json["psnr_db"] = check->clip_db();
    if (check && check->has_alpha()) json["psnr_alpha_db"] = check->alpha_db();
    if (check) json["psnr_worst_db"] = check->worst_db();
    if (check) json["psnr_worst_frame"] = check->worst_frame();
    fmt::print("{}\n", json.text(2));
    return;
  }
  if (reports()) {
    print_row("encoded", fmt::format("{}, {}x{} {} {}", plural(static_cast<uint64_t>(t.frames), "frame"), d.width,
                                     d.height, name(d.format), effort(o.encoding)));
    if (o.mips) print_row("levels", fmt::format("{}, {} filter", most_levels(d.width, d.height), name(*o.mips)));
    print_row("speed", fmt::format("{:.1f} fps, {:.2f} ms per frame",
                                   t.seconds > 0 ? static_cast<double>(t.frames) / t.seconds : 0, ms));
    print_stages(t);
    print_row("device", encoder.device_name());
  }
  if (check)
    print_row("PSNR", fmt::format("{:.2f} dB, worst {:.2f} dB in frame {}", check->clip_db(), check->worst_db(),
                                  check->worst_frame()));
  if (check && check->has_alpha()) print_row("PSNR", fmt::format("{:.2f} dB of alpha", check->alpha_db()));
  if (!reports()) return;
  const std::vector<std::string>& files = t.file.files;
  print_row("file",
            fmt::format("{}, {} (blocks {}{})", files.empty() ? o.output : joined(files, ", "), file_size(t.file.bytes),
                        file_size(t.raw_bytes), t.recorded == d.format ? "" : fmt::format(" of {}", name(t.recorded))));
}

void check_transform(const EncodeOptions& o) {
  if (o.lossy.transform != TransformCoding::on) return;
  if (!o.lossy) throw Error(ErrorKind::usage, "--transform on is for lossy coded streams: give --crf N");
  if (const TextureFormat format = o.encoding.format; !has_transform_coding(format))
    throw Error(ErrorKind::usage,
                fmt::format("--transform on excludes --format {0}: {0} has no transform coding; leave out one of them, "
                            "or choose one of {1}",
                            name(format), list_transform_formats()));
}

// Only coded streams can be lossy.
PackingOptions lossy_packing(const EncodeOptions& o) {
  PackingOptions packing = o.packing;
  check_transform(o);
  if (!o.lossy) return packing;
  if (packing.coding == FileCoding::plain)
    throw Error(ErrorKind::usage, "--crf needs a coded stream: leave out --coding plain");
  if (std::filesystem::path(o.output).extension() != ".mkv")
    throw Error(ErrorKind::usage, fmt::format("--crf needs .mkv, not '{}'", o.output));
  if (const TextureFormat format = o.encoding.format; !has_lossy_coding(format))
    throw Error(ErrorKind::usage, fmt::format("--crf excludes --format {0}: {0} has no lossy coding; leave out one of "
                                              "them, or choose one of {1}",
                                              name(format), list_lossy_formats()));
  packing.coding = FileCoding::compact;
  return packing;
}

// Without --format, a picture is stored with its alpha, and a video as before. Returns the source that had to be opened
// to find out, if it can be used; else nullptr.
std::unique_ptr<media::FrameSource> choose_format(EncodeOptions& o) {
  if (o.encoding.format.is_given || !media::still_kind(o.output)) return nullptr;
  const TextureFormat usual = o.encoding.format;
  o.encoding.format.value = usual_picture_format(o.output);
  auto source = open_input(o.input, as_given(o).input, o.encoding.format);
  if (source->is_image()) return source;
  if (media::still_kind(o.output) == container::StillKind::astc) return source;
  o.encoding.format.value = usual;
  // The frames are the same, unless they have alpha for a format that has none.
  if (!has_alpha(source->format()) || reads_alpha(usual) || media::is_read_once(o.input.input)) return source;
  return nullptr;
}

// The settings of the recording as far as options decide them. Throws Error{usage} for options that do not fit
// together.
media::RecorderSettings settings_by_options(const EncodeOptions& o, bool pipes) {
  check_encoding(o.encoding);
  reject_unused(as_given(o).input);
  check_still_options(o);
  stream::check_layout(o.output, o.encoding.format, o.packing.layout);
  if (!pipes) check_not_same_file(o.input.input, o.output);
  media::RecorderSettings settings = recorder_settings(o.output, lossy_packing(o));
  if (o.lossy) settings.lossy = compact::rd_parameters(*o.lossy.crf);
  if (as_given(o).keyframe_interval && settings.coding != FileCoding::compact)
    throw Error(ErrorKind::usage, "--keyframe-interval needs a coded stream: add --coding compact or --crf");
  settings.transform = o.lossy && compact::chooses_transform(o.lossy.transform, o.encoding.format);
  settings.keyframe_interval = o.keyframe_interval;
  settings.quality = o.encoding.quality;
  settings.make_backend = [devices = o.encoding.device](const TextureDesc& texture, bool transform) {
    return compact::usual_lossy_backend(devices, texture, transform);
  };
  settings.never_replaced = o.input.input;
  if (pipes) check_pipe(settings);
  check_part(o, pipes);
  return settings;
}

// Adds those that follow from the input.
void take_from_source(media::RecorderSettings& settings, const EncodeOptions& o, const media::FrameSource& source,
                      const TextureDesc& texture) {
  settings.texture = texture;
  if (o.srgb) settings.texture.color.transfer = kSrgbTransfer;
  settings.fps = nominal_fps(o.input, source);
  settings.audio = audio_of(o, source);
}

// The objects that frames pass through.
struct Stages {
  media::FrameSource& source;
  Encoder& encoder;
  stream::MipEncoder* mips;  // null: one level
  stream::RecordingThread& recording;
  QualityCheck* check;  // null: no --psnr
  // Of the frame that is being written, by a thread of the recording: outlives it.
  stream::MipLevels& writing;
};

// Encodes all frames and gives them to the recording, in order.
class FrameLoop {
 public:
  FrameLoop(const EncodeOptions& options, const Stages& stages, int most_in_flight, Totals& totals)
      : o_(options),
        at_(stages),
        most_in_flight_(most_in_flight),
        totals_(totals),
        wait_(stages.encoder),
        progress_("encoding", expected_frames(options.input, stages.source)) {}

  // Returns at the end of the source or of --frames, after an interrupt, or when the recording has reached its limit of
  // bytes; then it returns false.
  bool run() {
    try {
      const int64_t limit = o_.input.frames.value_or(std::numeric_limits<int64_t>::max());
      for (int64_t taken = 0; taken < limit && !interrupted(); ++taken) {
        const auto frame = next_frame();
        if (!frame) break;
        if (taken > 0 && media::holds_one_image(o_.output))  // the first is not written yet
          throw Error(ErrorKind::usage, media::one_image_text(o_.output));
        if (at_.encoder.in_flight() == most_in_flight_) write_oldest();
        if (!interrupted()) submit(*frame);
      }
      while (at_.encoder.in_flight() > 0 && !interrupted()) write_oldest();
      at_.recording.settle();
    } catch (const media::RecordingFull& limit_reached) {
      log_info("{}", limit_reached.what());
      return false;
    }
    return true;
  }

 private:
  std::optional<media::SourceFrame> next_frame() {
    const StageTimer timer(totals_.source);
    return at_.source.next();
  }

  void submit(const media::SourceFrame& frame) {
    if (at_.check) at_.check->submitted(frame.view);
    const StageTimer timer(totals_.submit);
    at_.encoder.submit(frame.view, frame.times);
    if (at_.mips) at_.mips->submit(frame.view);
  }

  // Nothing if interrupted.
  std::optional<EncodedFrame> next_encoded() {
    const StageTimer timer(totals_.wait);
    return wait_.for_frame() ? std::optional(at_.encoder.next()) : std::nullopt;
  }

  void write_oldest() {
    at_.recording.settle();  // the encoder will reuse the blocks that are being written
    const auto done = next_encoded();
    if (!done) return;
    if (at_.mips) {
      at_.writing = at_.mips->next();
      for (const TextureView& level : at_.writing.views) totals_.raw_bytes += static_cast<int64_t>(level.blocks.size());
    }
    at_.recording.write(done->texture, done->times.pts, at_.writing.views);
    progress_.update(++totals_.frames);
  }

  const EncodeOptions& o_;
  const Stages at_;
  const int most_in_flight_;
  Totals& totals_;
  FrameWait wait_;
  Progress progress_;
};

// A recording without a frame is of no use.
void end_if_nothing_written(stream::RecordingThread& recording, const media::RecorderSettings& settings) {
  if (!interrupted() || recording.progress().bytes > 0) return;
  if (settings.claim) settings.claim->withdraw();
  tell_interruption("before the first frame; nothing was written");
  end_if_interrupted();
}

// The results of a job in a batch, whose report comes at the end.
void take_results(EncodeJob& job, const Encoder& encoder, const Totals& t, const std::optional<QualityCheck>& check) {
  job.status = JobStatus::done;
  job.output = t.file.files.empty() ? job.options.output : t.file.files.front();
  job.texture = encoder.texture_desc();
  if (job.options.mips) job.levels = most_levels(job.texture.width, job.texture.height);
  job.frames = t.frames;
  job.bytes = t.file.bytes;
  job.device = encoder.device_name();
  if (check) job.psnr_db = check->clip_db();
}

int encode_one(const EncodeOptions& asked, EncodeJob* job = nullptr) {
  EncodeOptions o = asked;
  o.output = output_name(asked.output, asked.container, {"mkv", "ktx2", "dds", "astc"}, Accepted::only);
  const bool pipes = is_pipe(asked.output);
  auto source = choose_format(o);
  media::RecorderSettings settings = settings_by_options(o, pipes);
  const auto recoveries = pipes ? nullptr : claim_output(settings, o.if_exists, Start::now);
  // Until the recorder is there, which may compile a kernel too. A pipe needs no closing, and its reader may never
  // read.
  std::optional<EndsAtOnceIfInterrupted> at_once(std::in_place, [claim = settings.claim, pipes] {
    if (claim) claim->withdraw();
    tell_interruption(pipes ? "before the end; the pipe has the frames so far"
                            : "before the first frame; nothing was written");
  });
  if (!source) source = open_input(input_of_part(o), as_given(o).input, o.encoding.format, {.sound = records_sound(o)});
  source = resized(o, take_part(std::move(source), o, settings));
  if (settings.part && is_repeatable(o.input.input)) settings.part->identity = identity_of_whole(o);
  const auto encoder = open_encoder(o.encoding, *source, static_cast<bool>(o.lossy));
  const EndsHereIfInterrupted ends_before_encoder;
  const int most_in_flight = o.mips ? std::min(encoder->capacity(), kMostInFlight) : encoder->capacity();
  const auto mips = open_mips(o, source->format(), most_in_flight);
  take_from_source(settings, o, *source, encoder->texture_desc());
  if (pipes) settings.pipe = open_pipe(asked.output, o.output);
  std::optional<QualityCheck> check;
  // Besides the frames in the encoder, one is being written, and some are being repacked.
  if (o.psnr) check.emplace(encoder->capacity() + 1 + stream::kRepackedInFlight, o.encoding.format);

  Totals totals;
  stream::MipLevels writing;
  // On a thread of its own, so that the next frame is encoded while this one is packed and written.
  stream::RecordingThread recording(
      stream::make_recorder(settings, {.layout = o.packing.layout,
                                       .device = first_device(o.encoding.device),
                                       .quality = o.encoding.quality,
                                       .on_recorded =
                                           [&](const TextureView& texture) {
                                             if (check) check->encoded(texture);
                                             totals.raw_bytes += static_cast<int64_t>(texture.blocks.size());
                                             totals.recorded = texture.desc.format;
                                           }}),
      o.output, settings.most_bytes);
  if (!pipes) at_once.reset();
  const SteadyTime begun = steady_now();
  const nanoseconds cpu_begun = process_cpu_now();
  FrameLoop frames(o,
                   {.source = *source,
                    .encoder = *encoder,
                    .mips = mips.get(),
                    .recording = recording,
                    .check = check ? &*check : nullptr,
                    .writing = writing},
                   most_in_flight, totals);
  const bool is_whole = frames.run();
  end_if_nothing_written(recording, settings);
  totals.file = recording.finish();
  tell_interruption(totals.frames, expected_frames(o.input, *source), joined(totals.file.files, ", "));
  if (!is_whole) totals.frames = totals.file.frames;
  totals.recording = recording.time();
  totals.cpu = process_cpu_now() - cpu_begun;
  totals.unread = source->damaged_frames();
  totals.seconds = in_seconds(steady_now() - begun);
  if (totals.frames == 0)
    throw Error(ErrorKind::input, fmt::format("'{}' has no video frames{}", o.input.input,
                                              o.input.start > nanoseconds{} ? " after --start" : ""));
  warn_of_dropped_alpha(*source, o);
  if (job)
    take_results(*job, *encoder, totals, check);
  else
    print_report(o, *encoder, totals, check);
  throw_if_damaged(o.input.input, totals.unread, source->first_damage());
  return 0;
}

}  // namespace

void encode_video_job(EncodeJob& job) {
  encode_one(job.options, &job);
  if (interrupted()) fail(job, ErrorKind::failed, "interrupted before its end");
}

void check_video_job(EncodeOptions& o) {
  if (is_pipe(o.output)) throw Error(ErrorKind::usage, "the output of a job is a file, not a pipe: name one");
  (void)choose_format(o);
  media::RecorderSettings settings = settings_by_options(o, false);
  if (!o.part) return;
  (void)take_part(open_input(input_of_part(o), as_given(o).input, o.encoding.format, {.sound = records_sound(o)}), o,
                  settings);
}

int possible_parts(const EncodeOptions& asked, int wanted) {
  EncodeOptions o = asked;
  o.part = Part{.number = 1, .count = 1};
  const media::RecorderSettings settings = settings_by_options(o, is_pipe(o.output));
  const auto source = open_input(input_of_part(o), as_given(o).input, o.encoding.format);
  return possible_parts(*source, o, settings, wanted);
}

std::optional<std::vector<PictureFile>> pictures_of(const EncodeOptions& o) {
  if (!o.to.empty()) return pictures_to_folder(o.inputs, o.to, o.extension.empty() ? ".ktx2" : o.extension);
  const EncodeOptions& given = as_given(o);
  if (!given.extension.empty()) throw Error(ErrorKind::usage, "--ext is for --to: OUTPUT has its own extension");
  if (auto pictures = numbered_pictures(o.input.input, o.output, o.input.frames); !pictures.empty()) return pictures;
  if (given.rules.empty() && !given.if_newer && !given.jobs) return std::nullopt;
  if (!media::still_kind(o.output))
    throw Error(ErrorKind::usage,
                fmt::format("--rules, --if-newer and --jobs are for textures of pictures, not for '{}'", o.output));
  return std::vector<PictureFile>{
      {.input = o.input.input, .below = std::filesystem::path(o.input.input).filename(), .output = o.output}};
}

int run_encode(const EncodeOptions& o) {
  if (!as_given(o).manifest.empty()) return encode_manifest(o);
  // A store in a config file is for what can be stored.
  if (!as_given(o).store.empty() || (!o.store.empty() && has_jobs(o))) return encode_to_store(o);
  if (as_given(o).verify_share)
    throw Error(ErrorKind::usage, "--verify-share is for --manifest and --store: add one of them");
  if (as_given(o).parts)
    throw Error(ErrorKind::usage, "--parts is for --manifest FILE, which lists them; --part K/N encodes one");
  if (o.cube || o.array) return encode_assembled(o);
  if (const auto pictures = pictures_of(o)) return encode_pictures(o, *pictures);
  return encode_one(o);
}

}  // namespace texcast::cli
