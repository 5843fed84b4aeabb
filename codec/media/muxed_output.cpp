#include "muxed_output.h"

#include <fmt/core.h>

#include <algorithm>

#include "av_error.h"
#include "base/ensure.h"
#include "base/error.h"
#include "pixel_formats.h"

namespace texcast::media {
namespace {

constexpr int kFinestUsual = 90'000;

// Ticks in which frames at the nominal rate have whole durations, and at least as fine as 90 kHz, for those that come
// when they come. Matroska rounds to milliseconds all the same.
AVRational time_base_for(AVRational fps) {
  constexpr int kAbsurd = 1'000'000;  // a rate that is no fraction that anybody means
  if (fps.num <= 0 || fps.num > kAbsurd) return {1, kFinestUsual};
  return {1, fps.num * ((kFinestUsual + fps.num - 1) / fps.num)};
}

}  // namespace

MuxedOutput::MuxedOutput(const std::string& path, const char* muxer) : file_(path) {
  set_up_ffmpeg();
  take_last_av_line();
  AVFormatContext* raw = nullptr;
  if (const int code = avformat_alloc_output_context2(&raw, nullptr, muxer, path.c_str()); code < 0) fail(code);
  output_.reset(raw);
  output_->pb = file_.io();
  output_->flags |= AVFMT_FLAG_CUSTOM_IO;
  // FFmpeg's list of codecs for MOV does not have the FourCCs of our own.
  output_->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
}

AVStream& MuxedOutput::new_track() {
  AVStream* stream = avformat_new_stream(output_.get(), nullptr);
  if (!stream) throw std::bad_alloc();
  tracks_.push_back({.stream = stream});
  return *stream;
}

int MuxedOutput::add_video(const VideoTrack& track) {
  AVStream& stream = new_track();
  stream.avg_frame_rate = av_d2q(track.fps, 1'001'000);
  stream.time_base = time_base_for(stream.avg_frame_rate);
  AVCodecParameters& p = *stream.codecpar;
  p.codec_type = AVMEDIA_TYPE_VIDEO;
  p.codec_id = track.codec;
  p.codec_tag = track.tag;
  p.width = track.width;
  p.height = track.height;
  p.color_space = av_matrix(track.color.matrix);
  p.color_primaries = static_cast<AVColorPrimaries>(track.color.primaries);
  p.color_trc = static_cast<AVColorTransferCharacteristic>(track.color.transfer);
  p.color_range = AVCOL_RANGE_JPEG;
  return stream.index;
}

void MuxedOutput::begin() {
  if (const int code = avformat_write_header(output_.get(), nullptr); code < 0) fail(code);
}

void MuxedOutput::fail(int code) {
  // The system's own reason where there is one (AVERROR of an errno); FFmpeg's log line says the same, longer.
  if (file_.error() != 0) throw_cannot_write(path(), file_.error());
  throw Error(ErrorKind::failed, fmt::format("cannot write '{}': {}", path(), av_error_text(code)));
}

void MuxedOutput::write(int track, Bytes bytes, int64_t pts, int64_t duration, AVRational time_base) {
  Track& t = tracks_.at(static_cast<size_t>(track));
  int64_t stamp = av_rescale_q(pts, time_base, t.stream->time_base);
  if (t.last_pts) stamp = std::max(stamp, *t.last_pts + 1);
  t.last_pts = stamp;
  // FFmpeg reads the packet before av_write_frame returns, so it may borrow our buffer.
  packet_->data = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(bytes.data()));
  packet_->size = static_cast<int>(bytes.size());
  packet_->stream_index = t.stream->index;
  packet_->pts = packet_->dts = stamp;
  packet_->duration = av_rescale_q(duration, time_base, t.stream->time_base);
  packet_->flags = AV_PKT_FLAG_KEY;
  const int code = av_write_frame(output_.get(), packet_.get());
  if (code < 0) fail(code);
  if (file_.io()->error < 0) fail(file_.io()->error);
}

int64_t MuxedOutput::finish() {
  if (const int code = av_write_trailer(output_.get()); code < 0) fail(code);
  output_->pb = nullptr;
  return file_.close();
}

}  // namespace texcast::media
