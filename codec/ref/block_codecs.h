// block_codecs.h — the functions that encode and decode the blocks of each texture format. It is the only place of
// codec/ref that lists formats.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ref/convert.h"
#include "ref/ycocg_search.h"
#include "texcast/format.h"
#include "texcast/quality.h"

namespace texcast::ref {

// The texels under a chroma block and its decoded chroma. The luma blocks above it share them.
struct ChromaArea {
  int x = -1, y = -1;
  YcocgArea area;
  YcocgChroma chroma;
};

// A block to encode: its place among the blocks of a plane, and the effort.
struct BlockTask {
  const FrameReader& frame;
  const FormatPlane& plane;
  const FormatPlane& chroma;  // the format's last plane; with three planes, both chroma planes are alike
  int x = 0, y = 0;
  Method method{};
  MethodOptions options{};
  ChromaArea* last_area = nullptr;  // of the luma block before; never null
};

// The channels of a texel, as many as its plane has; the type of the samples is Coding::sample_type.
using Texel = std::array<int, 4>;

// Rules for decoding that the block itself does not store.
struct DecodeRules {
  EndpointExpansion expansion{};
  bool is_srgb = false;  // the texture is in sRGB's curve: ASTC then expands end points in another way
};

struct PlaneCodec {
  int first_channel = 0;  // the first channel of the picture that the plane decodes to
  int channels = 0;       // number of these channels
  void (*encode)(const BlockTask& task, std::span<uint8_t> block) = nullptr;  // writes block_bytes; null: not encoded
  // Texels row by row, block_width per row.
  void (*decode)(std::span<const uint8_t> block, const DecodeRules& rules, std::span<Texel> texels) = nullptr;
};

// One per plane of the format. Pairs of pixels (Coding::is_pair) have none, as they need their neighbours (decode.cpp).
struct BlockCodecs {
  TextureFormat format{};
  std::array<PlaneCodec, 3> planes{};
};

const BlockCodecs& block_codecs(TextureFormat format);

}  // namespace texcast::ref
