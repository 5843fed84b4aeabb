#include "media/texture_codecs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ensure.h"

namespace texcast::media {
namespace {

constexpr uint32_t kRawTag = MKTAG('r', 'a', 'w', ' ');             // of pixels as deep as the header says
constexpr bool pads_raw_rows(int width) { return width % 2 != 0; }  // of 24 bits, to whole words

constexpr std::array kCodecs = {
    TextureCodec{TextureFormat::bc1, MKTAG('H', 'a', 'p', '1'), AV_CODEC_ID_HAP, "Hap"},
    TextureCodec{TextureFormat::ycocg_dxt5, MKTAG('H', 'a', 'p', 'Y'), AV_CODEC_ID_HAP, "Hap Q"},
    TextureCodec{TextureFormat::bc3, MKTAG('H', 'a', 'p', '5'), AV_CODEC_ID_HAP, "Hap Alpha"},
    TextureCodec{TextureFormat::bc4, MKTAG('H', 'a', 'p', 'A'), AV_CODEC_ID_HAP, "Hap Alpha-Only"},
    TextureCodec{TextureFormat::ycocg_dxt5_alpha, MKTAG('H', 'a', 'p', 'M'), AV_CODEC_ID_HAP, "Hap Q Alpha"},
    TextureCodec{TextureFormat::uyvy, MKTAG('2', 'v', 'u', 'y'), AV_CODEC_ID_RAWVIDEO, "uncompressed 4:2:2",
                 AV_PIX_FMT_UYVY422, 0, MKTAG('U', 'Y', 'V', 'Y')},
    TextureCodec{TextureFormat::yuyv, MKTAG('y', 'u', 'v', 's'), AV_CODEC_ID_RAWVIDEO, "uncompressed 4:2:2",
                 AV_PIX_FMT_YUYV422, 0, MKTAG('Y', 'U', 'Y', '2')},
    TextureCodec{TextureFormat::rgba8, MKTAG('R', 'G', 'B', 'A'), AV_CODEC_ID_RAWVIDEO, "uncompressed RGBA",
                 AV_PIX_FMT_RGBA, 32},
    TextureCodec{TextureFormat::rgb8, kRawTag, AV_CODEC_ID_RAWVIDEO, "uncompressed RGB", AV_PIX_FMT_RGB24, 24, 0},
    TextureCodec{TextureFormat::bgr8, MKTAG('2', '4', 'B', 'G'), AV_CODEC_ID_RAWVIDEO, "uncompressed BGR",
                 AV_PIX_FMT_BGR24, 24, 0},
};

}  // namespace

const TextureCodec& codec_of(TextureFormat format) {
  const auto found = std::find_if(kCodecs.begin(), kCodecs.end(), [&](const auto& c) { return c.format == format; });
  ENSURE(found != kCodecs.end());
  return *found;
}

const TextureCodec* codec_of_track(const AVCodecParameters& track) {
  const auto found = std::find_if(kCodecs.begin(), kCodecs.end(), [&](const TextureCodec& c) {
    if (track.codec_tag == 0 || (track.codec_tag != c.tag && track.codec_tag != c.matroska_tag)) return false;
    return c.tag != kRawTag || (track.bits_per_coded_sample == c.depth && !pads_raw_rows(track.width));
  });
  return found == kCodecs.end() ? nullptr : &*found;
}

const TextureCodec* codec_in(const char* muxer, TextureFormat format, int width) {
  const auto found = std::find_if(kCodecs.begin(), kCodecs.end(), [&](const auto& c) { return c.format == format; });
  if (found == kCodecs.end()) return nullptr;
  if (std::string_view(muxer) == "matroska") return found->matroska_tag == 0 ? nullptr : &*found;
  return found->tag == kRawTag && pads_raw_rows(width) ? nullptr : &*found;
}

std::string fourcc_text(uint32_t tag) {
  std::string text;
  for (int i = 0; i < 4; ++i, tag >>= 8) {
    const char c = static_cast<char>(tag & 0xFF);
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text;
}

std::string list_texture_fourccs() {
  std::string list;
  for (const TextureCodec& c : kCodecs) list += (list.empty() ? "" : ", ") + fourcc_text(c.tag);
  return list;
}

}  // namespace texcast::media
