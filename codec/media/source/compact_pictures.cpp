#include "compact_pictures.h"

#include <algorithm>
#include <new>
#include <span>

#include "ref/decode.h"

namespace texcast::media {
namespace {

TextureDesc texture_of(const AVCodecParameters& track, TextureFormat format) {
  TextureDesc texture{.format = format, .width = track.width, .height = track.height, .color = usual_color(format)};
  if (track.color_space == AVCOL_SPC_SMPTE170M || track.color_space == AVCOL_SPC_BT470BG)
    texture.color.matrix = ColorMatrix::bt601;
  if (track.color_space == AVCOL_SPC_BT2020_NCL) texture.color.matrix = ColorMatrix::bt2020;
  if (track.color_range == AVCOL_RANGE_JPEG) texture.color.range = ColorRange::full;
  return texture;
}

AVPixelFormat pixels_of(int channels) {
  if (channels == 1) return AV_PIX_FMT_GRAY8;
  return channels == 4 ? AV_PIX_FMT_RGBA : AV_PIX_FMT_RGB0;
}

}  // namespace

CompactPictures::CompactPictures(const AVCodecParameters& track, TextureFormat format)
    : texture_(texture_of(track, format)),
      track_(track),
      reader_(texture_, workers_),
      before_(texture_layout(texture_).total_bytes),
      blocks_(before_.size()) {}

std::string CompactPictures::decode(const AVPacket& packet, AVFrame& frame) {
  const Bytes bytes = std::as_bytes(std::span(packet.data, static_cast<size_t>(packet.size)));
  auto picture = reader_.read(bytes, has_before_ ? before_.data() : nullptr, blocks_);
  if (picture.is_there) {
    blocks_.swap(before_);
    has_before_ = true;
  }
  if (!picture.damage.empty()) return std::move(picture.damage);
  ref::decode({texture_, before_}, EndpointExpansion::ffmpeg, image_);
  fill(frame);
  frame.pts = packet.pts;
  frame.pkt_dts = packet.dts;
  frame.best_effort_timestamp = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  frame.key_frame = 1;
  return {};
}

void CompactPictures::fill(AVFrame& frame) const {
  frame.width = image_.width;
  frame.height = image_.height;
  frame.format = pixels_of(image_.channels);
  frame.color_range = AVCOL_RANGE_JPEG;
  frame.colorspace = image_.channels == 1 ? track_.color_space : AVCOL_SPC_RGB;
  frame.color_primaries = track_.color_primaries;
  frame.color_trc = track_.color_trc;
  frame.sample_aspect_ratio = track_.sample_aspect_ratio;
  if (av_frame_get_buffer(&frame, 0) < 0) throw std::bad_alloc();
  const auto channels = static_cast<size_t>(image_.channels), width = static_cast<size_t>(image_.width);
  const uint8_t* from = image_.pixels.data();
  for (int y = 0; y < image_.height; ++y, from += width * channels) {
    uint8_t* to = frame.data[0] + static_cast<ptrdiff_t>(y) * frame.linesize[0];
    if (channels == 1 || channels == 4) {
      std::copy_n(from, width * channels, to);
      continue;
    }
    for (size_t x = 0; x < width; ++x, to += 4) {
      to[0] = from[channels * x];
      to[1] = from[channels * x + 1];
      to[2] = channels == 3 ? from[channels * x + 2] : 0;
      to[3] = 255;
    }
  }
}

}  // namespace texcast::media
