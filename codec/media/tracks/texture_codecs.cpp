#include "media/texture_codecs.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "base/ensure.h"
#include "base/result.h"
#include "container/compact_frame.h"

namespace texcast::media {
namespace {

constexpr uint32_t kRawTag = MKTAG('r', 'a', 'w', ' ');             // pixels of the depth in the header
constexpr bool pads_raw_rows(int width) { return width % 2 != 0; }  // of 24 bits, to whole words

bool is_compact(const AVCodecParameters& track) {
  return track.codec_type == AVMEDIA_TYPE_VIDEO && track.codec_tag == fourcc(container::kCompactTag);
}

Bytes setup_of(const AVCodecParameters& track) {
  return std::as_bytes(std::span(track.extradata, static_cast<size_t>(track.extradata_size)));
}

// The track's description, if it agrees with the container.
Result<TextureDesc> compact_texture(const AVCodecParameters& track) {
  auto texture = container::read_compact_setup(setup_of(track));
  if (texture && (texture->width != track.width || texture->height != track.height))
    return Failure{fmt::format("its track is {}x{}, but its frames are {}x{}", track.width, track.height,
                               texture->width, texture->height)};
  return texture;
}

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
  if (is_compact(track)) {
    const auto texture = compact_texture(track);
    if (!texture) return std::nullopt;
    return TextureCodec{.format = texture->format,
                        .codec = AV_CODEC_ID_NONE,
                        .tag = track.codec_tag,
                        .matroska_tag = track.codec_tag,
                        .pixels = AV_PIX_FMT_NONE,
                        .depth = 0,
                        .coding = FileCoding::compact,
                        .coding_version = container::compact_setup_version(setup_of(track))};
  }
  const auto found = std::ranges::find_if(formats(), [&](const Format& row) {
    if (!has_own_track(row)) return false;
    const uint32_t tag = fourcc(row.track.tag);
    if (track.codec_tag != tag && track.codec_tag != fourcc(row.track.matroska_tag)) return false;
    return tag != kRawTag || (track.bits_per_coded_sample == row.track.depth && !pads_raw_rows(track.width));
  });
  return found == formats().end() ? std::nullopt : std::optional(codec_of(found->id));
}

std::optional<std::string> why_not_compact(const AVCodecParameters& track) {
  if (!is_compact(track)) return std::nullopt;
  const auto texture = compact_texture(track);
  return texture ? std::nullopt : std::optional(texture.error().message);
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
  return list + ", " + fourcc_text(fourcc(container::kCompactTag));
}

}  // namespace texcast::media
