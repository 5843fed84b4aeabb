#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "av_error.h"
#include "av_ptr.h"
#include "base/ensure.h"
#include "base/error.h"
#include "base/log.h"
#include "container/hap_frame.h"
#include "pixel_formats.h"
#include "recorders.h"
#include "texture_codecs.h"

namespace texcast::media {
namespace {

constexpr AVRational kTimescale{1, 90'000};  // every usual frame rate within half a tick; Matroska rounds to 1 ms

class MuxedRecorder final : public Recorder {
 public:
  MuxedRecorder(const RecorderSettings& settings, const char* muxer);
  ~MuxedRecorder() override;
  void write(const TextureView& texture, nanoseconds pts) override;
  RecorderReport finish() override;

 private:
  void add_track();
  [[noreturn]] void fail(int code);
  int64_t time_stamp(nanoseconds pts);

  RecorderSettings settings_;
  OutputPtr output_;
  AVStream* track_ = nullptr;  // the output's
  PacketPtr packet_ = make_packet();
  container::HapWriteOptions options_;
  std::vector<std::byte> buffer_;
  std::optional<nanoseconds> first_pts_;
  int64_t last_stamp_ = -1;
  RecorderReport report_;
  bool open_ = false;
  bool failed_ = false;
};

MuxedRecorder::MuxedRecorder(const RecorderSettings& settings, const char* muxer) : settings_(settings) {
  set_up_ffmpeg();
  take_last_av_line();
  options_ = {.snappy = settings.snappy,
              .chunks = container::suggested_hap_chunks(settings.texture.width, settings.texture.height)};
  AVFormatContext* raw = nullptr;
  if (const int code = avformat_alloc_output_context2(&raw, nullptr, muxer, settings_.path.c_str()); code < 0)
    fail(code);
  output_.reset(raw);
  // FFmpeg's list of codecs for MOV does not have the FourCCs of our own.
  output_->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
  add_track();
  if (const int code = avio_open(&output_->pb, ("file:" + settings_.path).c_str(), AVIO_FLAG_WRITE); code < 0)
    fail(code);
  if (const int code = avformat_write_header(output_.get(), nullptr); code < 0) fail(code);
  open_ = true;
}

void MuxedRecorder::add_track() {
  track_ = avformat_new_stream(output_.get(), nullptr);
  if (!track_) throw std::bad_alloc();
  const TextureDesc& desc = settings_.texture;
  const TextureCodec& codec = codec_of(desc.format);
  track_->time_base = kTimescale;
  track_->avg_frame_rate = av_d2q(settings_.fps, 1'001'000);
  AVCodecParameters& p = *track_->codecpar;
  p.codec_type = AVMEDIA_TYPE_VIDEO;
  p.codec_id = codec.codec;
  p.codec_tag = codec.tag;
  p.width = desc.width;
  p.height = desc.height;
  p.color_space = av_matrix(desc.color.matrix);
  p.color_primaries = static_cast<AVColorPrimaries>(desc.color.primaries);
  p.color_trc = static_cast<AVColorTransferCharacteristic>(desc.color.transfer);
  p.color_range = AVCOL_RANGE_JPEG;
}

void MuxedRecorder::fail(int code) {
  failed_ = true;
  // The system's own reason where there is one (AVERROR of an errno); FFmpeg's log line says the same, longer.
  throw Error(ErrorKind::failed, fmt::format("cannot write '{}': {}", settings_.path, av_error_text(code)));
}

int64_t MuxedRecorder::time_stamp(nanoseconds pts) {
  if (!first_pts_) first_pts_ = pts;
  const int64_t stamp = av_rescale_q((pts - *first_pts_).count(), kNanoseconds, track_->time_base);
  return last_stamp_ = std::max(stamp, last_stamp_ + 1);  // containers want them rising, at their resolution
}

void MuxedRecorder::write(const TextureView& texture, nanoseconds pts) {
  ENSURE(open_);
  ENSURE(texture.desc.format == settings_.texture.format && texture.desc.width == settings_.texture.width &&
         texture.desc.height == settings_.texture.height);
  const Bytes frame =
      container::write_hap_frame(container::hap_texture(texture.desc.format), texture.blocks, options_, buffer_);
  // FFmpeg reads the packet before av_write_frame returns, so it may borrow our buffer.
  packet_->data = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(frame.data()));
  packet_->size = static_cast<int>(frame.size());
  packet_->stream_index = track_->index;
  packet_->pts = packet_->dts = time_stamp(pts);
  packet_->duration = av_rescale_q(std::llround(1e9 / settings_.fps), kNanoseconds, track_->time_base);
  packet_->flags = AV_PKT_FLAG_KEY;
  const int code = av_write_frame(output_.get(), packet_.get());
  if (code < 0) fail(code);
  if (output_->pb->error < 0) fail(output_->pb->error);
  ++report_.frames;
}

RecorderReport MuxedRecorder::finish() {
  if (!open_) return report_;
  open_ = false;
  int code = av_write_trailer(output_.get());
  avio_flush(output_->pb);
  if (code >= 0) code = output_->pb->error;
  report_.bytes = std::max<int64_t>(0, avio_size(output_->pb));
  const int closed = avio_closep(&output_->pb);
  if (code >= 0) code = closed;
  if (code < 0) fail(code);
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
