#include "stream/layout_recorder.h"

#include <fmt/core.h>

#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/log.h"
#include "decoded_recorder.h"
#include "texcast/error.h"
#include "waiting_recorder.h"

namespace texcast::stream {
namespace {

// Transcodes textures on their way into the file. They come out some frames later, with their time stamps.
class RepackingRecorder : public media::Recorder {
 public:
  RepackingRecorder(media::RecorderSettings settings, std::unique_ptr<Transcoder> transcoder,
                    std::function<void(const TextureView&)> on_recorded)
      : transcoder_(std::move(transcoder)), on_recorded_(std::move(on_recorded)) {
    settings.texture = transcoder_->texture_desc();
    file_ = media::make_recorder(settings);
  }

  ~RepackingRecorder() override {
    try {
      write_waiting(0);
    } catch (const std::exception& error) {
      log_error("{}", error.what());
    }
  }

  void write(const TextureView& texture, nanoseconds pts) override {
    write_waiting(transcoder_->capacity() - 1);
    {
      const StageTimer timer(repack_);
      transcoder_->submit(texture);
    }
    waiting_[submitted_++ % waiting_.size()] = {pts, std::exchange(concealed_, 0)};
    while (transcoder_->ready()) write_oldest();
  }

  void mark_concealed(uint32_t blocks) override { concealed_ = blocks; }

  media::RecorderReport finish() override {
    write_waiting(0);
    media::RecorderReport report = file_->finish();
    report.repack = repack_;
    return report;
  }

  media::RecorderProgress progress() const override {
    media::RecorderProgress progress = file_->progress();
    progress.work += repack_.wall;
    return progress;
  }

 private:
  // Does nothing after a failed write: the file takes no more, and the waiting textures are lost.
  void write_waiting(int at_most) {
    while (!failed_ && transcoder_->in_flight() > at_most) write_oldest();
  }

  void write_oldest() {
    failed_ = true;  // until it has succeeded; also if the device fails, which would fail again
    const TextureView texture = [&] {
      const StageTimer timer(repack_);
      return transcoder_->next();
    }();
    const Waiting& frame = waiting_[written_++ % waiting_.size()];
    if (frame.concealed_blocks > 0) file_->mark_concealed(frame.concealed_blocks);
    file_->write(texture, frame.pts);
    if (on_recorded_) on_recorded_(texture);
    failed_ = false;
  }

  std::unique_ptr<Transcoder> transcoder_;
  std::unique_ptr<media::Recorder> file_;
  std::function<void(const TextureView&)> on_recorded_;
  struct Waiting {
    nanoseconds pts{};
    uint32_t concealed_blocks = 0;
  };
  std::array<Waiting, kRepackedInFlight> waiting_{};
  StageTime repack_;
  uint32_t concealed_ = 0;  // of the next frame
  size_t submitted_ = 0;
  size_t written_ = 0;
  bool failed_ = false;
};

class WatchedRecorder : public media::Recorder {
 public:
  WatchedRecorder(std::unique_ptr<media::Recorder> file, std::function<void(const TextureView&)> on_recorded)
      : file_(std::move(file)), on_recorded_(std::move(on_recorded)) {}
  void write(const TextureView& texture, nanoseconds pts) override {
    file_->write(texture, pts);
    TextureView recorded = texture;
    if (const Bytes changed = file_->reconstruction(); !changed.empty()) recorded.blocks = changed;
    on_recorded_(recorded);
  }
  void mark_concealed(uint32_t blocks) override { file_->mark_concealed(blocks); }
  void keep(Bytes payloads, bool needs_samples) override { file_->keep(payloads, needs_samples); }
  void add_samples(std::span<const uint8_t> samples) override { file_->add_samples(samples); }
  bool needs_samples() const override { return file_->needs_samples(); }
  Bytes reconstruction() const override { return file_->reconstruction(); }
  void add_levels(std::span<const TextureView> smaller) override { file_->add_levels(smaller); }
  media::RecorderReport finish() override { return file_->finish(); }
  media::RecorderProgress progress() const override { return file_->progress(); }

 private:
  std::unique_ptr<media::Recorder> file_;
  std::function<void(const TextureView&)> on_recorded_;
};

// nullptr if there is no device and no layout was asked for.
std::unique_ptr<Transcoder> open_transcoder(const TextureDesc& from, const LayoutSettings& layout) {
  try {
    return layout.make_transcoder(
        {.from = from, .quality = layout.quality, .device = layout.device, .frames_in_flight = kRepackedInFlight});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_device || !layout.device.empty()) throw;
    if (layout.layout)
      throw Error(ErrorKind::no_device, fmt::format("{}; --layout planes needs no device", error.what()));
    log_warning(
        "no device can transcode {} to Hap Q ({}): recording its planes, which players other than texcast show in "
        "gray",
        name(from.format), error.what());
    return nullptr;
  }
}

// The same, after a black texture has gone through it: some drivers compile at a kernel's first launch.
std::unique_ptr<Transcoder> open_warm_transcoder(const TextureDesc& from, const LayoutSettings& layout) {
  auto transcoder = open_transcoder(from, layout);
  if (!transcoder) return nullptr;
  const std::vector<std::byte> black(texture_layout(from).total_bytes);
  transcoder->submit({from, black});
  transcoder->next();
  return transcoder;
}

bool is_repacked(const media::RecorderSettings& settings, const LayoutSettings& layout) {
  return settings.coding == FileCoding::plain && has_layouts(settings.path, settings.texture.format) &&
         layout.layout != RecordingLayout::planes;
}

// `transcoder`: nullptr if textures are written unchanged.
std::unique_ptr<media::Recorder> recorder_with(std::unique_ptr<Transcoder> transcoder,
                                               const media::RecorderSettings& settings, const LayoutSettings& layout) {
  if (transcoder) return std::make_unique<RepackingRecorder>(settings, std::move(transcoder), layout.on_recorded);
  auto file = media::make_recorder(settings);
  if (!layout.on_recorded) return file;
  return std::make_unique<WatchedRecorder>(std::move(file), layout.on_recorded);
}

std::unique_ptr<media::Recorder> waiting_recorder(const media::RecorderSettings& settings,
                                                  const LayoutSettings& layout) {
  const TextureDesc& texture = settings.texture;
  return std::make_unique<WaitingRecorder>(
      [texture, layout] { return open_warm_transcoder(texture, layout); },
      [settings, layout](std::unique_ptr<Transcoder> transcoder) {
        return recorder_with(std::move(transcoder), settings, layout);
      },
      FrameSpool(settings.path, texture_layout(texture).total_bytes, layout.most_waiting_bytes), texture);
}

}  // namespace

bool has_layouts(const std::string& path, TextureFormat format) {
  std::string extension = std::filesystem::path(path).extension();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return can_transcode(format, TextureFormat::ycocg_dxt5) && (extension == ".mov" || extension == ".mkv");
}

void check_layout(const std::string& path, TextureFormat format, std::optional<RecordingLayout> layout) {
  if (layout && !has_layouts(path, format))
    throw Error(ErrorKind::usage,
                fmt::format("--layout is for ycocg-bc4 in .mov and .mkv, not for {} in '{}'", name(format), path));
}

void check_holds(const media::RecorderSettings& settings, const LayoutSettings& layout) {
  if (settings.pipe && holds_pictures(settings.path)) return;  // every format can be decoded
  check_layout(settings.path, settings.texture.format, layout.layout);
  media::RecorderSettings file = settings;
  if (is_repacked(settings, layout)) file.texture.format = TextureFormat::ycocg_dxt5;
  media::check_holds(file);
}

std::unique_ptr<media::Recorder> make_recorder(const media::RecorderSettings& settings, const LayoutSettings& layout) {
  check_holds(settings, layout);
  if (settings.pipe && holds_pictures(settings.path)) return make_decoded_recorder(settings);
  if (!is_repacked(settings, layout)) return recorder_with(nullptr, settings, layout);
  const bool compiles = layout.device != "cpu-reference";
  if (compiles && layout.while_compiling == WhileCompiling::to_disk) return waiting_recorder(settings, layout);
  return recorder_with(open_transcoder(settings.texture, layout), settings, layout);
}

}  // namespace texcast::stream
