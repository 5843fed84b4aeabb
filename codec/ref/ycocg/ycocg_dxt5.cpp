#include "ref/ycocg_dxt5.h"

#include <algorithm>

#include "base/ensure.h"
#include "kernels/effort.h"
#include "ref/bc1.h"
#include "ref/bc4.h"
#include "ref/bc4_fit.h"
#include "ycocg_chroma.h"
#include "ycocg_luma.h"

namespace texcast::ref {
namespace {

Bc4Effort luma_effort(Method method) {
  ENSURE(has_method(TextureFormat::ycocg_dxt5, method));
  const auto m = static_cast<int>(method);
  return {TEXCAST_BC4_STARTS(m), TEXCAST_LUMA_SIX_VALUES(m) != 0, TEXCAST_BC4_WINDOW(m)};
}

// As in decoders: 8 bits, truncated thirds. b at place 0, a at place 3.
std::array<int, 4> palette(int a, int b) { return {b, (a + 2 * b) / 3, (2 * a + b) / 3, a}; }

ChannelBlock luma_targets(const RgbBlock& texels, const ChromaFit& fit) {
  const auto expand5 = [](int c) { return c << 3 | c >> 2; };
  const auto expand6 = [](int c) { return c << 2 | c >> 4; };
  const auto co = palette(expand5(fit.ends.co[0]), expand5(fit.ends.co[1]));
  const auto cg = palette(expand6(fit.ends.cg[0]), expand6(fit.ends.cg[1]));
  const int quarters = 4 / fit.ends.scale;
  ChannelBlock targets{};
  for (size_t i = 0; i < 16; ++i) {
    const auto w = static_cast<size_t>(fit.weights[i]);
    targets[i] = luma_target(texels.r[i], texels.g[i], texels.b[i], quarters * (co[w] - 128), quarters * (cg[w] - 128));
  }
  return targets;
}

}  // namespace

YcocgDxt5Block encode_ycocg_dxt5(const RgbBlock& texels, Method method) {
  ChromaBlock chroma;
  for (size_t i = 0; i < 16; ++i) {
    chroma.co2[i] = texels.r[i] - texels.b[i];
    chroma.cg4[i] = 2 * texels.g[i] - texels.r[i] - texels.b[i];
  }
  const ChromaFit fit = fit_chroma(chroma, chroma_effort(method));
  const Bc4Block luma = encode_bc4_fitted(luma_targets(texels, fit), luma_effort(method));
  const Bc1Block color = pack_chroma(fit);
  YcocgDxt5Block block;
  std::copy(luma.begin(), luma.end(), block.begin());
  std::copy(color.begin(), color.end(), block.begin() + 8);
  return block;
}

RgbBlock decode_ycocg_dxt5(std::span<const uint8_t, 16> block, EndpointExpansion expansion) {
  const ChannelBlock luma = decode_bc4(block.first<8>(), expansion);
  const RgbBlock color = decode_bc3_color(block.last<8>(), expansion);
  RgbBlock texels;
  for (size_t i = 0; i < 16; ++i) {
    const int y = luma[i], co = color.r[i] - 128, cg = color.g[i] - 128;
    if (expansion == EndpointExpansion::ffmpeg) {
      const int scale = (color.b[i] >> 3) + 1;
      texels.r[i] = std::clamp(y + co / scale - cg / scale, 0, 255);
      texels.g[i] = std::clamp(y + cg / scale, 0, 255);
      texels.b[i] = std::clamp(y - co / scale - cg / scale, 0, 255);
      continue;
    }
    // The scale is (blue / 8 + 1): eighths, and rounded at the end, halves up.
    const int eighths = color.b[i] + 8;
    const auto rounded = [&](int chroma) {  // y + 8 chroma / eighths
      const int numerator = 2 * (y * eighths + 8 * chroma) + eighths;
      return numerator < 0 ? 0 : std::min(numerator / (2 * eighths), 255);
    };
    texels.r[i] = rounded(co - cg);
    texels.g[i] = rounded(cg);
    texels.b[i] = rounded(-co - cg);
  }
  return texels;
}

}  // namespace texcast::ref
