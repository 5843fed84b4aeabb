#include "same_tracks.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace texcast::media {
namespace {

bool same_bytes(const AVCodecParameters& a, const AVCodecParameters& b) {
  if (a.extradata_size != b.extradata_size) return false;
  return a.extradata_size == 0 || std::memcmp(a.extradata, b.extradata, static_cast<size_t>(a.extradata_size)) == 0;
}

bool same_track(const AVStream& one, const AVStream& other) {
  const AVCodecParameters &a = *one.codecpar, &b = *other.codecpar;
  return a.codec_type == b.codec_type && a.codec_id == b.codec_id && a.codec_tag == b.codec_tag && a.width == b.width &&
         a.height == b.height && a.sample_rate == b.sample_rate && a.ch_layout.nb_channels == b.ch_layout.nb_channels &&
         same_bytes(a, b) && av_cmp_q(one.time_base, other.time_base) == 0;
}

}  // namespace

bool same_tracks(const AVFormatContext& one, const AVFormatContext& other) {
  return std::ranges::equal(std::span(one.streams, one.nb_streams), std::span(other.streams, other.nb_streams),
                            [](const AVStream* a, const AVStream* b) { return same_track(*a, *b); });
}

}  // namespace texcast::media
