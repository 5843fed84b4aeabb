// mip_filter.h — smaller pictures of a picture, for the mip levels of a texture.
//
// Thread-safe: functions and values only.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "texcast/image.h"

namespace texcast {

enum class MipFilter : uint8_t {
  box,     // the mean of the texels that a smaller one covers, those at its edge in part
  kaiser,  // a sinc of three lobes under Kaiser's window (alpha 4): sharper, may ring
};
inline constexpr std::array kMipFilters = {MipFilter::box, MipFilter::kaiser};
std::string_view name(MipFilter filter);  // "box", "kaiser"
std::optional<MipFilter> mip_filter_from_name(std::string_view name);

// How the samples of colours mean light. Alpha, the fourth channel, is always filtered as it is.
enum class MipCurve : uint8_t {
  linear,  // as they are: data, and colours that are linear
  srgb,    // sRGB's curve is undone, filtered, and done again
};

// `level` becomes the whole of `source` at that size, which is not larger (else misuse), in samples of the same type.
// Half floats are held to what is finite and to nothing else: values below 0 and above 1 stay.
void shrink(const DecodedImage& source, MipFilter filter, MipCurve curve, int width, int height, DecodedImage& level);

}  // namespace texcast
