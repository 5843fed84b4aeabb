#include "media/picture_recorder.h"

#include <span>

#include "media/muxed_output.h"
#include "media/pixel_formats.h"
#include "recorder_audio.h"

namespace texcast::media {

PictureRecorder::PictureRecorder(const PictureRecorderSettings& settings)
    : settings_(settings), output_(std::make_unique<MuxedOutput>(*settings.pipe, "nut")) {
  constexpr ColorSpec kColor{.matrix = ColorMatrix::bt709, .range = ColorRange::full};
  const AVPixelFormat pixels = av_format(settings_.channels, settings_.samples);
  track_ = output_->add_video({.codec = AV_CODEC_ID_RAWVIDEO,
                               .tag = avcodec_pix_fmt_to_codec_tag(pixels),
                               .pixels = pixels,
                               .width = settings_.width,
                               .height = settings_.height,
                               .color = kColor,
                               .aspect = settings_.aspect,
                               .fps = settings_.fps});
  if (settings_.sound) settings_.sound->audio().add_tracks(*output_);
  output_->begin();
}

PictureRecorder::~PictureRecorder() = default;

void PictureRecorder::write(const DecodedImage& image, nanoseconds time) {
  if (settings_.sound) settings_.sound->audio().write_until(time, {}, *output_);
  const nanoseconds period = frame_period(settings_.fps);
  output_->write({.track = track_,
                  .bytes = std::as_bytes(pixels_of(image, rgb_)),
                  .pts = time.count(),
                  .duration = period.count()});
  end_ = time + period;
}

int64_t PictureRecorder::bytes() const { return output_->bytes(); }

int64_t PictureRecorder::finish() {
  if (settings_.sound) settings_.sound->audio().write_until(end_, {}, *output_);
  return output_->finish();
}

}  // namespace texcast::media
