// texture_codecs.h — which FourCC and FFmpeg codec a texture format has in .mov and .mkv.
#pragma once

#include <cstdint>
#include <string>

#include "av_headers.h"
#include "texcast/format.h"

namespace texcast::media {

struct TextureCodec {
  TextureFormat format;
  uint32_t tag;  // as MKTAG makes it
  AVCodecID codec;
  const char* name;  // for a person
};

const TextureCodec& codec_of(TextureFormat format);
const TextureCodec* codec_with_tag(uint32_t tag);  // nullptr: none of ours
std::string fourcc_text(uint32_t tag);
std::string list_texture_fourccs();  // "Hap1, HapY, …"

}  // namespace texcast::media
