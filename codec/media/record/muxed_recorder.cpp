// muxed_recorder.cpp — records blocks as Hap or as a coded stream to .mov or .mkv.
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "audio_copy.h"
#include "base/built_later.h"
#include "base/ensure.h"
#include "base/log.h"
#include "compact/coded_slice.h"
#include "container/compact_frame.h"
#include "container/hap_frame.h"
#include "media/files.h"
#include "media/muxed_output.h"
#include "media/picture_tracks.h"
#include "recorders.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

// The colours of the tracks. MOV stores the matrix only together with primaries, and without it players assume BT.601
// for small pictures: Y'CbCr of BT.709's matrix without primaries gets BT.709's.
ColorSpec color_of_track(const TextureDesc& texture) {
  constexpr uint8_t kH273Unspecified = 2, kH273Bt709 = 1;
  ColorSpec color = texture.color;
  if (!is_ycbcr(texture.format)) {
    color.range = ColorRange::full;
  } else if (color.matrix == ColorMatrix::bt709) {
    if (color.primaries == kH273Unspecified) color.primaries = kH273Bt709;
    if (color.transfer == kH273Unspecified) color.transfer = kH273Bt709;
  }
  return color;
}

class MuxedRecorder final : public Recorder {
 public:
  MuxedRecorder(const RecorderSettings& settings, const char* muxer);
  ~MuxedRecorder() override;
  void write(const TextureView& texture, nanoseconds pts) override;
  void mark_concealed(uint32_t blocks) override { concealed_ = blocks; }
  void keep(Bytes payloads, bool needs_samples) override { kept_ = {payloads, needs_samples}; }
  void add_samples(std::span<const uint8_t> samples) override { samples_ = samples; }
  bool needs_samples() const override {
    return settings_.keeps_transform && (!has_samples_ || last_time_ + period_ >= next_key_);
  }
  Bytes reconstruction() const override { return compact_ ? compact_->reconstruction() : Bytes{}; }
  RecorderReport finish() override;
  RecorderProgress progress() const override;

 private:
  struct Kept {
    Bytes payloads{};
    bool needs_samples = false;
  };
  int64_t pack(const TextureView& texture, nanoseconds time);
  int64_t pack_compact(const TextureView& texture, bool as_key);
  Bytes packet_of(const TextureView& texture, const Kept& kept, std::span<const uint8_t> samples, bool as_key);
  void take_chooser();
  int64_t bytes_with(int64_t frame_bytes, nanoseconds time);
  bool is_full(int64_t frame_bytes, nanoseconds time);
  bool is_too_much(int64_t frame_bytes, nanoseconds time);
  std::unique_ptr<MuxedOutput> create();
  void open_file(nanoseconds begin);
  void close_file(nanoseconds end);
  nanoseconds end_of_sound() const;
  void plan_next_key(nanoseconds time);
  void write_picture(nanoseconds time);

  RecorderSettings settings_;
  const char* muxer_;
  std::unique_ptr<AudioCopy> copy_;
  RecorderAudio* audio_ = nullptr;   // null: none
  std::vector<PictureTrack> parts_;  // each in the file's track of the same number
  std::vector<std::vector<std::byte>> buffers_;
  std::vector<Bytes> packed_;  // the parts of the current picture
  Workers workers_;
  container::HapWriteOptions options_;
  std::optional<container::CompactFrameWriter> compact_;          // none: plain
  BuiltLater<std::unique_ptr<compact::EncoderBackend>> chooser_;  // for compact_
  Kept kept_;                         // of the next frame, to be stored unchanged; no payloads: it is encoded
  std::span<const uint8_t> samples_;  // of the next frame; empty: it has none
  bool has_samples_ = false;          // readers have those of the current picture
  bool is_key_ = true;                // of the current picture
  nanoseconds next_key_{}, key_origin_{};
  nanoseconds period_;  // nominal
  RecorderReport report_;
  bool failed_ = false;

  std::optional<NextName> next_;         // the name of the next file, if it is claimed already
  std::unique_ptr<MuxedOutput> output_;  // null: no frame has come yet, or the recording is over
  nanoseconds file_begin_{};             // following times are relative to the first frame of the recording
  int64_t file_frames_ = 0;
  std::optional<nanoseconds> first_pts_;
  nanoseconds last_time_{};
  uint32_t concealed_ = 0;  // blocks of the next frame
};

MuxedRecorder::MuxedRecorder(const RecorderSettings& settings, const char* muxer)
    : settings_(settings),
      muxer_(muxer),
      parts_(picture_tracks(settings.texture, settings.coding, settings.lossy || settings.keeps_lossy,
                            settings.transform || settings.keeps_transform)),
      buffers_(parts_.size()),
      packed_(parts_.size()),
      period_(frame_period(settings.fps)) {
  options_ = {.snappy = settings.snappy,
              .chunks = settings.chunks > 0
                            ? settings.chunks
                            : container::suggested_hap_chunks(settings.texture.width, settings.texture.height),
              .workers = &workers_};
  if (settings_.coding == FileCoding::compact)
    compact_.emplace(settings_.texture, workers_, settings_.lossy, compact::search_effort(settings_.quality),
                     settings_.transform);
  if (compact_ && settings_.lossy && settings_.make_backend)
    chooser_.build([make = settings_.make_backend, texture = settings_.texture, transform = settings_.transform] {
      return make(texture, transform);
    });
  report_.next_part = settings_.first_part;
  if (settings_.part) first_pts_ = settings_.part->begin;
  if (settings_.audio) copy_ = AudioCopy::open(*settings_.audio, muxer);
  audio_ = settings_.sound ? &settings_.sound->audio() : copy_.get();
  if (!settings_.pipe) next_.emplace(settings_, report_.next_part);
}

// Creates the next file, under the next free name.
std::unique_ptr<MuxedOutput> MuxedRecorder::create() {
  if (settings_.pipe) return std::make_unique<MuxedOutput>(*settings_.pipe, muxer_);
  while (true) {
    const NextName next = next_ ? *std::exchange(next_, std::nullopt) : NextName(settings_, report_.next_part);
    report_.next_part = next.claim->part() + 1;
    try {
      return std::make_unique<MuxedOutput>(next.claim, muxer_);
    } catch (const NameTaken&) {  // another program has made a file of that name since it was claimed
      if (next.rule == IfExists::refuse) throw;
    }
  }
}

void MuxedRecorder::open_file(nanoseconds begin) {
  std::unique_ptr<MuxedOutput> output = create();
  const ColorSpec color = color_of_track(settings_.texture);
  for (const PictureTrack& part : parts_)
    output->add_video({.codec = part.codec,
                       .tag = muxer_ == std::string_view("matroska") ? part.matroska_tag : part.tag,
                       .pixels = part.pixels,
                       .depth = channel_count(settings_.texture.format) == 4 ? 32 : part.depth,
                       .width = part.width,
                       .height = part.height,
                       .color = color,
                       .aspect = settings_.texture.aspect,
                       .fps = settings_.fps,
                       .name = part.name,
                       .extradata = part.setup});
  if (audio_) audio_->add_tracks(*output);
  if (settings_.part) output->set_part(*settings_.part);
  output->begin();
  output_ = std::move(output);  // a file without its header cannot be finished
  report_.files.push_back(output_->path());
  file_begin_ = begin;
  file_frames_ = 0;
}

void MuxedRecorder::write(const TextureView& texture, nanoseconds pts) {
  ENSURE(output_ || report_.frames == 0);
  ENSURE(texture.desc.format == settings_.texture.format && texture.desc.width == settings_.texture.width &&
         texture.desc.height == settings_.texture.height);
  if (!first_pts_) first_pts_ = pts;
  const nanoseconds time = pts - *first_pts_;
  int64_t bytes = pack(texture, time);
  const StageTimer timer(report_.write);
  failed_ = true;
  if (!output_) open_file({});  // not before, so that a recording without frames leaves no file
  if (is_too_much(bytes, time)) {
    close_file(time);
    throw_recording_full(settings_, report_.bytes);
  }
  if (is_full(bytes, time)) {
    close_file(time);
    open_file(time);
    if (compact_ && !is_key_) bytes = pack_compact(texture, true);  // a file begins with a key frame
  }
  if (audio_) audio_->write_until(time, file_begin_, *output_);
  write_picture(time);
  failed_ = false;
  ++report_.frames;
  ++file_frames_;
  last_time_ = time;
}

int64_t MuxedRecorder::pack(const TextureView& texture, nanoseconds time) {
  if (compact_) return pack_compact(texture, time >= next_key_);
  const StageTimer timer(report_.pack);
  int64_t bytes = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const PictureTrack& part = parts_[i];
    const Bytes plain = texture.blocks.subspan(part.offset, part.bytes);
    packed_[i] = part.images ? container::write_hap_frame(*part.images, plain, options_, buffers_[i]) : plain;
    bytes += static_cast<int64_t>(packed_[i].size());
  }
  return bytes;
}

// Takes the backend once it is built.
void MuxedRecorder::take_chooser() {
  try {
    if (auto built = chooser_.take(); built && *built != nullptr)
      compact_->use_backend(std::move(*built), {.slices = compact::kSelfCheckSlices, .clock = steady_now});
  } catch (const Error& error) {
    log_warning("encoding the coded stream on the CPU: {}", error.what());
  }
}

int64_t MuxedRecorder::pack_compact(const TextureView& texture, bool as_key) {
  const StageTimer timer(report_.pack);
  take_chooser();
  packed_[0] = packet_of(texture, std::exchange(kept_, {}), std::exchange(samples_, {}), as_key);
  is_key_ = compact_->was_key();
  return static_cast<int64_t>(packed_[0].size());
}

// A key frame in the middle of a stream with transform coding has to wait for samples, as frames after one without them
// could not be kept.
Bytes MuxedRecorder::packet_of(const TextureView& texture, const Kept& kept, std::span<const uint8_t> samples,
                               bool as_key) {
  const bool can_keep = settings_.keeps_lossy && !kept.payloads.empty() && (!kept.needs_samples || has_samples_);
  if (settings_.keeps_transform && !samples.empty() && (as_key || !can_keep)) {
    has_samples_ = true;
    return compact_->write_key(texture.blocks, samples);
  }
  if (can_keep && (!as_key || kept.needs_samples)) {
    has_samples_ = kept.needs_samples;
    return compact_->keep(kept.payloads);
  }
  has_samples_ = false;
  return compact_->write(texture.blocks, as_key, texture.picture);
}

// The size of this file with the next frame and its sound.
int64_t MuxedRecorder::bytes_with(int64_t frame_bytes, nanoseconds time) {
  return output_->bytes() + frame_bytes + (audio_ ? audio_->bytes_until(time + period_) : 0);
}

bool MuxedRecorder::is_full(int64_t frame_bytes, nanoseconds time) {
  if (file_frames_ == 0) return false;  // a file has at least one frame, however low the limit is
  const auto& [most_bytes, longest] = settings_.split;
  if (longest > nanoseconds{} && time - file_begin_ >= longest) return true;
  if (most_bytes <= 0) return false;
  return bytes_with(frame_bytes, time) > most_bytes;
}

// For all files together.
bool MuxedRecorder::is_too_much(int64_t frame_bytes, nanoseconds time) {
  if (settings_.most_bytes <= 0 || report_.frames == 0) return false;
  return report_.bytes + bytes_with(frame_bytes, time) > settings_.most_bytes;
}

// At multiples of the interval, so that they do not depend on earlier frames, from the last key frame that was not due.
void MuxedRecorder::plan_next_key(nanoseconds time) {
  const nanoseconds interval =
      settings_.keyframe_interval.value_or(usual_keyframe_interval(settings_.transform || settings_.keeps_transform));
  if (time < next_key_) key_origin_ = time;
  next_key_ =
      interval > nanoseconds{} ? key_origin_ + ((time - key_origin_) / interval + 1) * interval : nanoseconds::max();
}

void MuxedRecorder::write_picture(nanoseconds time) {
  if (const uint32_t blocks = std::exchange(concealed_, 0)) output_->mark_concealed(file_frames_, blocks);
  if (is_key_) plan_next_key(time);
  for (size_t i = parts_.size(); i-- > 0;)  // the first part last: once it is there, the picture is complete
    output_->write({.track = static_cast<int>(i),
                    .bytes = packed_[i],
                    .pts = (time - file_begin_).count(),
                    .duration = period_.count(),
                    .is_key = is_key_});
}

void MuxedRecorder::close_file(nanoseconds end) {
  if (audio_) audio_->write_until(end, file_begin_, *output_);
  const auto output = std::move(output_);
  report_.bytes += output->finish();
}

// The sound ends where the last picture does, or where the next part of the recording begins.
nanoseconds MuxedRecorder::end_of_sound() const {
  const auto& part = settings_.part;
  return part && part->end ? *part->end - part->begin : last_time_ + period_;
}

RecorderReport MuxedRecorder::finish() {
  if (!output_) return report_;
  report_.pack.cpu += workers_.cpu_time();
  if (!output_->is_open()) {  // it was closed because of a full disk
    report_.bytes += output_->bytes();
    output_.reset();
    return report_;
  }
  const StageTimer timer(report_.write);
  close_file(end_of_sound());
  return report_;
}

RecorderProgress MuxedRecorder::progress() const {
  return progress_of(report_, report_.bytes + (output_ ? output_->bytes() : 0));
}

MuxedRecorder::~MuxedRecorder() {
  const bool said_so = failed_;
  try {
    finish();
  } catch (const std::exception& error) {
    if (!said_so) log_error("{}", error.what());
  }
}

}  // namespace

// The longest distance that a seek has to decode. With transform coding a key frame takes as many bits as a second of
// film, or several if it is lossless.
nanoseconds usual_keyframe_interval(bool transform) { return std::chrono::seconds(transform ? 5 : 1); }

std::unique_ptr<Recorder> make_muxed_recorder(const RecorderSettings& settings, const char* muxer) {
  return std::make_unique<MuxedRecorder>(settings, muxer);
}

}  // namespace texcast::media
