// block_codecs.h — which functions encode and decode the blocks of each texture format: the one place of codec/ref that
// lists formats.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ref/convert.h"
#include "texcast/format.h"
#include "texcast/quality.h"

namespace texcast::ref {

// A block to encode: its place among the blocks of a plane, and the effort.
struct BlockTask {
  const FrameReader& frame;
  const FormatPlane& plane;
  const FormatPlane& chroma;  // the format's last plane: of three, those of chroma are alike
  int x = 0, y = 0;
  Method method{};
  MethodOptions options{};
};

// The channels of a texel, as many as its plane has; samples as Coding::sample_type says.
using Texel = std::array<int, 4>;

// What a block does not say of how it is decoded.
struct DecodeRules {
  EndpointExpansion expansion{};
  bool is_srgb = false;  // the texture is in sRGB's curve: ASTC then widens end points in another way
};

struct PlaneCodec {
  int first_channel = 0;  // of the picture, that the plane decodes to
  int channels = 0;       // as many as these
  void (*encode)(const BlockTask& task, std::span<uint8_t> block) = nullptr;  // of block_bytes; null: it is not encoded
  // Texels row by row, block_width a row.
  void (*decode)(std::span<const uint8_t> block, const DecodeRules& rules, std::span<Texel> texels) = nullptr;
};

// One for each plane of the format. Pairs of pixels (Coding::is_pair) have none: they need their neighbours
// (ref/pixels.h).
struct BlockCodecs {
  TextureFormat format{};
  std::array<PlaneCodec, 3> planes{};
};

const BlockCodecs& block_codecs(TextureFormat format);

}  // namespace texcast::ref
