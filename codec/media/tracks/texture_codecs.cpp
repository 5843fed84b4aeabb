#include "media/texture_codecs.h"

#include <algorithm>
#include <string_view>

#include "base/ensure.h"

namespace texcast::media {
namespace {

constexpr uint32_t kRawTag = MKTAG('r', 'a', 'w', ' ');             // of pixels as deep as the header says
constexpr bool pads_raw_rows(int width) { return width % 2 != 0; }  // of 24 bits, to whole words

bool has_own_track(const Format& format) {
  return format.track.kind == TrackKind::hap || format.track.kind == TrackKind::raw;
}

}  // namespace

TextureCodec codec_of(TextureFormat format) {
  const Format& row = format_row(format);
  ENSURE(has_own_track(row));
  const bool is_hap = row.track.kind == TrackKind::hap;
  return {.format = format,
          .codec = is_hap ? AV_CODEC_ID_HAP : AV_CODEC_ID_RAWVIDEO,
          .tag = fourcc(row.track.tag),
          .matroska_tag = fourcc(row.track.matroska_tag),
          .pixels = is_hap ? AV_PIX_FMT_NONE : av_get_pix_fmt(std::string(row.track.pixels).c_str()),
          .depth = row.track.depth};
}

std::optional<TextureCodec> codec_of_track(const AVCodecParameters& track) {
  if (track.codec_tag == 0) return std::nullopt;
  const auto found = std::ranges::find_if(formats(), [&](const Format& row) {
    if (!has_own_track(row)) return false;
    const uint32_t tag = fourcc(row.track.tag);
    if (track.codec_tag != tag && track.codec_tag != fourcc(row.track.matroska_tag)) return false;
    return tag != kRawTag || (track.bits_per_coded_sample == row.track.depth && !pads_raw_rows(track.width));
  });
  return found == formats().end() ? std::nullopt : std::optional(codec_of(found->id));
}

bool has_track(const char* muxer, TextureFormat format, int width) {
  const Format& row = format_row(format);
  if (row.track.kind == TrackKind::none) return false;
  if (row.track.kind == TrackKind::planes) return true;
  if (std::string_view(muxer) == "matroska") return fourcc(row.track.matroska_tag) != 0;
  return fourcc(row.track.tag) != kRawTag || !pads_raw_rows(width);
}

std::string fourcc_text(uint32_t tag) { return printable_fourcc(tag); }

std::string list_texture_fourccs() {
  std::string list;
  for (const Format& row : formats())
    if (has_own_track(row)) list += (list.empty() ? "" : ", ") + fourcc_text(fourcc(row.track.tag));
  return list;
}

}  // namespace texcast::media
