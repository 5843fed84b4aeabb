// mip_filter.h — downscales a picture for the mip levels of a texture.
//
// Thread-safe: functions and values only.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "texcast/image.h"

namespace texcast {

enum class MipFilter : uint8_t {
  box,     // the mean of the texels that a smaller one covers, weighted at its edge
  kaiser,  // a sinc of three lobes under Kaiser's window (alpha 4): sharper, may ring
};
inline constexpr std::array kMipFilters = {MipFilter::box, MipFilter::kaiser};
std::string_view name(MipFilter filter);  // "box", "kaiser"
std::optional<MipFilter> mip_filter_from_name(std::string_view name);

// How colour samples relate to light. Alpha, the fourth channel, is always filtered linearly.
enum class MipCurve : uint8_t {
  linear,  // proportional: data, and linear colours
  srgb,    // sRGB: decoded, filtered, and encoded again
};

// `level` becomes the whole of `source` at that size, which is not larger (else misuse), in samples of the same type.
// Half floats are limited to finite values only: those below 0 and above 1 are kept.
void shrink(const DecodedImage& source, MipFilter filter, MipCurve curve, int width, int height, DecodedImage& level);

}  // namespace texcast
