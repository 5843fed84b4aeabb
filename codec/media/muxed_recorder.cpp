// muxed_recorder.cpp — blocks as Hap frames into .mov or .mkv.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/ensure.h"
#include "base/error.h"
#include "base/log.h"
#include "container/hap_frame.h"
#include "muxed_output.h"
#include "picture_tracks.h"
#include "recorders.h"

namespace texcast::media {
namespace {

class MuxedRecorder final : public Recorder {
 public:
  MuxedRecorder(const RecorderSettings& settings, const char* muxer);
  ~MuxedRecorder() override;
  void write(const TextureView& texture, nanoseconds pts) override;
  void mark_concealed(uint32_t blocks) override { output_->mark_concealed(report_.frames, blocks); }
  RecorderReport finish() override;

 private:
  Bytes pack(const PictureTrack& part, Bytes blocks);  // all of the picture's

  RecorderSettings settings_;
  std::unique_ptr<MuxedOutput> output_;
  std::vector<PictureTrack> parts_;  // each in the output's track of the same number
  Workers workers_;
  container::HapWriteOptions options_;
  std::vector<std::byte> buffer_;
  std::optional<nanoseconds> first_pts_;
  RecorderReport report_;
  bool failed_ = false;
};

MuxedRecorder::MuxedRecorder(const RecorderSettings& settings, const char* muxer)
    : settings_(settings), parts_(picture_tracks(settings.texture)) {
  if (!std::ranges::all_of(parts_, [](const auto& part) { return container::has_short_hap_headers(part.images); }))
    throw Error(
        ErrorKind::usage,
        fmt::format("'{}': frames of {} are recorded below 16 MiB, as players ask; {}x{} is more", settings.path,
                    name(settings.texture.format), settings.texture.width, settings.texture.height));
  options_ = {.snappy = settings.snappy,
              .chunks = settings.chunks > 0
                            ? settings.chunks
                            : container::suggested_hap_chunks(settings.texture.width, settings.texture.height),
              .workers = &workers_};
  output_ = std::make_unique<MuxedOutput>(settings_.path, muxer);
  for (const PictureTrack& part : parts_)
    output_->add_video({.codec = part.codec,
                        .tag = part.tag,
                        .width = part.width,
                        .height = part.height,
                        .alpha = channel_count(settings_.texture.format) == 4,
                        .color = settings_.texture.color,
                        .fps = settings_.fps,
                        .name = part.name});
  output_->begin();
}

void MuxedRecorder::write(const TextureView& texture, nanoseconds pts) {
  ENSURE(output_);
  ENSURE(texture.desc.format == settings_.texture.format && texture.desc.width == settings_.texture.width &&
         texture.desc.height == settings_.texture.height);
  if (!first_pts_) first_pts_ = pts;
  failed_ = true;
  for (size_t i = parts_.size(); i-- > 0;) {  // the first part last: where it is, the picture is whole
    const Bytes frame = pack(parts_[i], texture.blocks);
    const StageTimer timer(report_.write);
    output_->write({.track = static_cast<int>(i),
                    .bytes = frame,
                    .pts = (pts - *first_pts_).count(),
                    .duration = std::llround(1e9 / settings_.fps)});
  }
  failed_ = false;
  ++report_.frames;
}

Bytes MuxedRecorder::pack(const PictureTrack& part, Bytes blocks) {
  const StageTimer timer(report_.pack);
  return container::write_hap_frame(part.images, blocks.subspan(part.offset, part.images.total_bytes()), options_,
                                    buffer_);
}

RecorderReport MuxedRecorder::finish() {
  const auto output = std::move(output_);
  if (!output || !output->is_open()) return report_;  // a full disk has closed it
  report_.pack.cpu += workers_.cpu_time();
  report_.bytes = output->finish();
  return report_;
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

std::unique_ptr<Recorder> make_muxed_recorder(const RecorderSettings& settings, const char* muxer) {
  return std::make_unique<MuxedRecorder>(settings, muxer);
}

}  // namespace texcast::media
