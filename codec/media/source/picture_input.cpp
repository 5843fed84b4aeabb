#include "picture_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/log.h"
#include "media/orientation.h"
#include "media/pixel_formats.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

// Decoders that mark each frame themselves. The container's flag for the whole track is ignored then, because most
// frames of a track that is called interlaced may be progressive.
bool marks_frames(AVCodecID codec) {
  constexpr std::array kCodecs = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC,   AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
                                  AV_CODEC_ID_VC1,  AV_CODEC_ID_WMV3,   AV_CODEC_ID_MPEG4,      AV_CODEC_ID_AV1,
                                  AV_CODEC_ID_VP9,  AV_CODEC_ID_PRORES, AV_CODEC_ID_DVVIDEO};
  return std::find(kCodecs.begin(), kCodecs.end(), codec) != kCodecs.end();
}

// Without tags the matrix follows from the height, which a rotation by 90 degrees changes, so it is determined before.
void settle_matrix(AVFrame& frame) {
  const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  const bool is_yuv = d != nullptr && d->nb_components >= 3 && (d->flags & AV_PIX_FMT_FLAG_RGB) == 0;
  if (is_yuv && frame.colorspace == AVCOL_SPC_UNSPECIFIED) frame.colorspace = av_matrix(color_of(frame).matrix);
}

}  // namespace

bool PictureInput::next(AVFrame& frame) {
  for (;;) {
    if (filter_.take(frame)) return true;
    if (ended_) return false;
    if (!input_.next(frame)) {
      ended_ = true;
      filter_.end();
      continue;
    }
    const PictureChange change = change_for(frame);
    tell_aspect(frame, change.orientation);
    if (change == PictureChange{} && !changes_frames()) return true;
    settle_matrix(frame);
    filter_.put(frame, change, input_.filter_time());
  }
}

std::optional<nanoseconds> PictureInput::time_of(const AVFrame& frame) const {
  if (!filter_.has_user_filters()) return input_.time_of(frame);
  if (frame.best_effort_timestamp == AV_NOPTS_VALUE) return std::nullopt;
  return nanoseconds(frame.best_effort_timestamp) - input_.start_time();
}

double PictureInput::fps() const {
  const AVRational rate = filter_.frame_rate();
  return filter_.has_user_filters() && rate.num > 0 && rate.den > 0 ? av_q2d(rate) : input_.fps();
}

std::optional<int64_t> PictureInput::frame_count() const {
  return filter_.has_user_filters() && !input_.is_image() ? std::nullopt : input_.frame_count();
}

bool PictureInput::seek(nanoseconds from_start) {
  if (!input_.seek(from_start)) return false;
  restart();
  return true;
}

void PictureInput::reopen() {
  input_.reopen();
  restart();
}

void PictureInput::restart() {
  filter_.reset();
  ended_ = false;
}

PictureChange PictureInput::change_for(AVFrame& frame) {
  PictureChange change{.orientation = orientation_for(frame)};
  if (settings_.deinterlace == Deinterlace::on) change.fields = PictureChange::Fields::all;
  if (settings_.deinterlace == Deinterlace::on || !(is_interlaced(frame) || was_interlaced_)) return change;
  if (settings_.deinterlace == Deinterlace::automatic) {
    was_interlaced_ = true;  // later frames are their neighbours, so all of them go through the filter
    change.fields = PictureChange::Fields::flagged;
  } else if (!std::exchange(warned_of_fields_, true)) {
    log_warning("{}: frames are interlaced and not deinterlaced (--deinterlace off): moving parts show combing",
                input_.spec().shown);
  }
  return change;
}

Orientation PictureInput::orientation_for(const AVFrame& frame) {
  if (settings_.rotate) return orientation_turned(*settings_.rotate);
  if (const auto own = orientation_of(frame)) return *own;
  if (is_tilted(input_.stream()) && !std::exchange(warned_of_tilt_, true))
    log_warning("{}: its metadata tilt the picture; using the nearest multiple of 90 degrees (--rotate overrides it)",
                input_.spec().shown);
  return orientation_of(input_.stream());
}

bool PictureInput::is_interlaced(AVFrame& frame) const {
  if (frame.interlaced_frame != 0) return true;
  const AVCodecParameters& track = *input_.stream().codecpar;
  const bool says_so = track.field_order == AV_FIELD_TT || track.field_order == AV_FIELD_BB ||
                       track.field_order == AV_FIELD_TB || track.field_order == AV_FIELD_BT;
  if (!says_so || marks_frames(track.codec_id)) return false;
  // The field that is displayed first.
  frame.interlaced_frame = 1;
  frame.top_field_first = track.field_order == AV_FIELD_TT || track.field_order == AV_FIELD_BT;
  return true;
}

void PictureInput::tell_aspect(AVFrame& frame, Orientation orientation) {
  AVRational said = input_.aspect_of(frame);
  if (settings_.aspect) {
    const auto wanted = aspect_for_shape(*settings_.aspect, frame.width, frame.height, orientation);
    const bool swaps = swaps_sides(orientation);
    if (!wanted)
      throw Error(ErrorKind::usage,
                  fmt::format("--aspect {}:{} makes pixels of {}x{} more than {} times as wide as high, or as high as "
                              "wide",
                              settings_.aspect->num, settings_.aspect->den, swaps ? frame.height : frame.width,
                              swaps ? frame.width : frame.height, kMaxPixelAspect));
    said = {wanted->num, wanted->den};
  }
  const auto aspect = pixel_aspect(said.num, said.den);
  if (!aspect && said.num > 0 && said.den > 0 && !std::exchange(warned_of_aspect_, true))
    log_warning(
        "{}: its metadata give the implausible pixel aspect {}:{}; assuming square pixels (--aspect overrides it)",
        input_.spec().shown, said.num, said.den);
  frame.sample_aspect_ratio = aspect ? AVRational{aspect->num, aspect->den} : AVRational{1, 1};
}

}  // namespace texcast::media
