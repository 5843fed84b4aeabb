#include "media/journal_tracks.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <string>

#include "base/bytes.h"
#include "media/texture_codecs.h"
#include "texcast/frame.h"

namespace texcast::media {
namespace {

using container::JournalTrack;

template <typename Number>
uint32_t unsigned_of(Number value) {
  return value > 0 ? static_cast<uint32_t>(value) : 0;
}

// The journal's numbers are unsigned, FFmpeg's are ints: larger values are invalid.
bool fits(uint32_t value) { return value <= static_cast<uint32_t>(std::numeric_limits<int>::max()); }

// A codec without a name in FFmpeg (texcast's own FourCCs) is written as "none".
AVCodecID codec_named(const std::string& name) {
  const AVCodecDescriptor* codec = avcodec_descriptor_get_by_name(name.c_str());
  return codec ? codec->id : AV_CODEC_ID_NONE;
}

bool fill_video(AVCodecParameters& p, const JournalTrack& t) {
  if (t.width < 1 || t.height < 1 || t.width > kMaxFrameSize || t.height > kMaxFrameSize) return false;
  p.codec_type = AVMEDIA_TYPE_VIDEO;
  p.width = static_cast<int>(t.width);
  p.height = static_cast<int>(t.height);
  p.color_primaries = static_cast<AVColorPrimaries>(t.primaries);
  p.color_trc = static_cast<AVColorTransferCharacteristic>(t.transfer);
  p.color_space = static_cast<AVColorSpace>(t.matrix);
  if (const auto aspect = pixel_aspect(t.aspect_num, t.aspect_den)) p.sample_aspect_ratio = {aspect->num, aspect->den};
  if (!fits(t.bits_per_sample)) return false;
  p.bits_per_coded_sample = static_cast<int>(t.bits_per_sample);  // 32: with alpha
  p.color_range = t.range <= 2 ? static_cast<AVColorRange>(t.range) : AVCOL_RANGE_UNSPECIFIED;
  return true;
}

bool fill_audio(AVCodecParameters& p, const JournalTrack& t) {
  constexpr uint32_t kMostChannels = 255;
  if (t.sample_rate == 0 || t.channels == 0 || t.channels > kMostChannels || p.codec_id == AV_CODEC_ID_NONE)
    return false;
  for (const uint32_t value : {t.sample_rate, t.bits_per_sample, t.block_align, t.frame_size, t.initial_padding})
    if (!fits(value)) return false;
  p.codec_type = AVMEDIA_TYPE_AUDIO;
  p.sample_rate = static_cast<int>(t.sample_rate);
  const auto channels = static_cast<int>(t.channels);
  if (av_channel_layout_from_mask(&p.ch_layout, t.channel_mask) < 0 || p.ch_layout.nb_channels != channels) {
    av_channel_layout_uninit(&p.ch_layout);
    p.ch_layout.order = AV_CHANNEL_ORDER_UNSPEC;
    p.ch_layout.nb_channels = channels;
  }
  p.format = t.sample_format < AV_SAMPLE_FMT_NB ? static_cast<int>(t.sample_format) : AV_SAMPLE_FMT_NONE;
  p.bits_per_coded_sample = static_cast<int>(t.bits_per_sample);
  p.block_align = static_cast<int>(t.block_align);
  p.frame_size = static_cast<int>(t.frame_size);
  p.initial_padding = static_cast<int>(t.initial_padding);
  p.profile = t.profile;
  p.bit_rate = static_cast<int64_t>(t.bit_rate);
  return true;
}

bool fill_extradata(AVCodecParameters& p, Bytes extradata) {
  if (extradata.empty()) return true;
  p.extradata = static_cast<uint8_t*>(av_mallocz(extradata.size() + AV_INPUT_BUFFER_PADDING_SIZE));
  if (!p.extradata) return false;
  std::memcpy(p.extradata, extradata.data(), extradata.size());
  p.extradata_size = static_cast<int>(extradata.size());
  return true;
}

}  // namespace

JournalTrack journal_track(const AVStream& stream) {
  const AVCodecParameters& p = *stream.codecpar;
  JournalTrack t;
  t.kind = p.codec_type == AVMEDIA_TYPE_AUDIO ? JournalTrack::Kind::audio : JournalTrack::Kind::video;
  t.codec = avcodec_get_name(p.codec_id);
  t.language = metadata_of(stream.metadata, "language").substr(0, 15);
  t.name = metadata_of(stream.metadata, "handler_name").substr(0, 63);
  t.tag = p.codec_tag;
  t.tick_num = unsigned_of(stream.time_base.num);
  t.tick_den = unsigned_of(stream.time_base.den);
  t.fps_num = unsigned_of(stream.avg_frame_rate.num);
  t.fps_den = std::max(1u, unsigned_of(stream.avg_frame_rate.den));
  t.width = unsigned_of(p.width);
  t.height = unsigned_of(p.height);
  t.primaries = static_cast<uint8_t>(p.color_primaries);
  t.transfer = static_cast<uint8_t>(p.color_trc);
  t.matrix = static_cast<uint8_t>(p.color_space);
  t.range = static_cast<uint8_t>(p.color_range);
  if (const auto aspect = pixel_aspect(p.sample_aspect_ratio.num, p.sample_aspect_ratio.den)) {
    t.aspect_num = static_cast<uint16_t>(aspect->num);
    t.aspect_den = static_cast<uint16_t>(aspect->den);
  }
  t.sample_rate = unsigned_of(p.sample_rate);
  t.channels = unsigned_of(p.ch_layout.nb_channels);
  t.channel_mask = p.ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? p.ch_layout.u.mask : 0;
  t.sample_format = static_cast<uint32_t>(p.format);  // -1 (not known) is kept: fill_audio() finds no such format
  t.bits_per_sample = unsigned_of(p.bits_per_coded_sample);
  t.block_align = unsigned_of(p.block_align);
  t.frame_size = unsigned_of(p.frame_size);
  t.initial_padding = unsigned_of(p.initial_padding);
  t.profile = p.profile;
  t.bit_rate = p.bit_rate > 0 ? static_cast<uint64_t>(p.bit_rate) : 0;
  const Bytes extradata = std::as_bytes(std::span(p.extradata, static_cast<size_t>(p.extradata_size)));
  t.extradata.assign(extradata.begin(), extradata.end());
  return t;
}

bool fill_parameters(AVCodecParameters& p, const JournalTrack& t) {
  p.codec_id = codec_named(t.codec);
  p.codec_tag = t.tag;
  if (!fits(t.tick_num) || !fits(t.tick_den) || !fits(t.fps_num) || !fits(t.fps_den)) return false;
  const bool filled = t.kind == JournalTrack::Kind::video ? fill_video(p, t) : fill_audio(p, t);
  if (const auto codec = codec_of_track(p); filled && codec && t.kind == JournalTrack::Kind::video)
    p.format = codec->pixels;
  return filled && fill_extradata(p, t.extradata);
}

}  // namespace texcast::media
