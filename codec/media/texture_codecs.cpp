#include "texture_codecs.h"

#include <algorithm>
#include <array>

#include "base/ensure.h"

namespace texcast::media {
namespace {

constexpr std::array kCodecs = {
    TextureCodec{TextureFormat::bc1, MKTAG('H', 'a', 'p', '1'), AV_CODEC_ID_HAP, "Hap"},
    TextureCodec{TextureFormat::ycocg_dxt5, MKTAG('H', 'a', 'p', 'Y'), AV_CODEC_ID_HAP, "Hap Q"},
    TextureCodec{TextureFormat::bc3, MKTAG('H', 'a', 'p', '5'), AV_CODEC_ID_HAP, "Hap Alpha"},
    TextureCodec{TextureFormat::bc4, MKTAG('H', 'a', 'p', 'A'), AV_CODEC_ID_HAP, "Hap Alpha-Only"},
    TextureCodec{TextureFormat::ycocg_dxt5_alpha, MKTAG('H', 'a', 'p', 'M'), AV_CODEC_ID_HAP, "Hap Q Alpha"},
};

}  // namespace

const TextureCodec& codec_of(TextureFormat format) {
  const auto found = std::find_if(kCodecs.begin(), kCodecs.end(), [&](const auto& c) { return c.format == format; });
  ENSURE(found != kCodecs.end());
  return *found;
}

const TextureCodec* codec_with_tag(uint32_t tag) {
  const auto found = std::find_if(kCodecs.begin(), kCodecs.end(), [&](const auto& c) { return c.tag == tag; });
  return found == kCodecs.end() ? nullptr : &*found;
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
