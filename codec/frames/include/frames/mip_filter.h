// mip_filter.h — scales a picture for the mip levels of a texture, and to other sizes.
//
// Samples become light, light is filtered in single precision in a stated order, and becomes samples again.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/workers.h"
#include "texcast/image.h"

namespace texcast {

struct FilterTaps;

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

// The meaning of a texel's channels, which decides how texels are averaged.
enum class MipContent : uint8_t {
  // Every channel by itself.
  channels,
  // Four channels, the fourth of which is opacity: colours are weighted by it, so that those of transparent texels do
  // not appear in opaque ones. Colours are filtered by themselves if the result has less opacity than kFaintAlpha.
  transparency,
  // Vectors of length 1, whose components -1..1 are stored as 0..1: x and y, with z towards the viewer, or x, y and z.
  // The vectors are averaged and their length is set to 1 again. A fourth channel is filtered by itself.
  normals,
};
inline constexpr float kFaintAlpha = 1.0F / 32;

struct MipRules {
  MipFilter filter = MipFilter::box;
  MipCurve curve = MipCurve::linear;  // normals ignore it
  MipContent content = MipContent::channels;
};

// The picture to be filtered, row by row: `channels` samples per texel, of one byte or of two.
struct SampleRows {
  int width = 0, height = 0, channels = 0;
  SampleType samples = SampleType::unorm8;
  std::function<void(int y, uint8_t* row)> read;  // called on several threads
};
SampleRows rows_of(const DecodedImage& image);  // keeps a reference

// Memory for a scaled picture. Texels may have more samples than the source has channels; these become 0.
struct LevelTarget {
  int width = 0, height = 0;
  int texel_samples = 0;
  uint8_t* texels = nullptr;
  std::ptrdiff_t stride_bytes = 0;
};

// Keeps tables for one kind of pictures, of any size. Not thread-safe.
class PictureFilter {
 public:
  // 1 to 4 channels; normals have 2 or more, transparency has 4 (else misuse).
  PictureFilter(const MipRules& rules, int channels, SampleType samples);
  ~PictureFilter();
  PictureFilter(PictureFilter&&) noexcept;
  PictureFilter& operator=(PictureFilter&&) noexcept;

  // Fills the targets, each with the whole picture. Half floats are limited to finite values only: those below 0 and
  // above 1 are kept. The first two levels are filtered from the source and every other one from the level that is two
  // levels larger, before that is rounded to samples: nearly the same picture for a third of the work. `source` must
  // have the channels and samples of the constructor (else misuse).
  void filter(const SampleRows& source, std::span<const LevelTarget> levels, Workers& workers);

 private:
  struct Tables;
  const FilterTaps& taps(int from, int to);

  MipRules rules_;
  int channels_;
  SampleType samples_;
  std::unique_ptr<const Tables> tables_;
  std::map<std::pair<int, int>, FilterTaps> taps_;  // by the lengths, of the latest pictures
};

// One picture at another size, in samples of the same type.
void scale(const DecodedImage& source, const MipRules& rules, int width, int height, DecodedImage& scaled);

}  // namespace texcast
