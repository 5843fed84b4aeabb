#include "frames/mip_filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "base/misuse.h"
#include "filter_taps.h"

namespace texcast {
namespace {

// IEC 61966-2-1.
double from_srgb(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }
double to_srgb(double v) { return v <= 0.0031308 ? v * 12.92 : 1.055 * std::pow(v, 1 / 2.4) - 0.055; }

// Negative values, which only half floats have, mirror the curve.
template <typename Curve>
double mirrored(Curve curve, double v) {
  return std::copysign(curve(std::fabs(v)), v);
}

constexpr double kLargestHalf = 65504;

// As BC6H's encoders do: NaN becomes 0, infinity the largest value.
double finite_half(uint16_t bits) {
  const double value = half_to_double(bits);
  return std::isnan(value) ? 0 : std::clamp(value, -kLargestHalf, kLargestHalf);
}

double value_of(size_t sample, SampleType type) {
  if (type == SampleType::half) return finite_half(static_cast<uint16_t>(sample));
  return static_cast<double>(sample) / (type == SampleType::unorm8 ? 255 : 65535);
}

// A table indexed by the bits of a sample.
std::vector<float> light_of_samples(SampleType type, MipCurve curve) {
  std::vector<float> light(size_t{1} << 8 * sample_bytes(type));
  for (size_t i = 0; i < light.size(); ++i) {
    const double value = value_of(i, type);
    light[i] = static_cast<float>(curve == MipCurve::srgb ? mirrored(from_srgb, value) : value);
  }
  return light;
}

// Half floats keep values below 0 and above 1.
uint16_t wide_sample_of(float light, SampleType type, MipCurve curve) {
  if (type == SampleType::half) {
    const double value = curve == MipCurve::srgb ? mirrored(to_srgb, light) : light;
    return half_from_double(std::clamp(value, -kLargestHalf, kLargestHalf));
  }
  const double held = std::clamp(static_cast<double>(light), 0.0, 1.0);
  return static_cast<uint16_t>(std::lround(65535 * (curve == MipCurve::srgb ? to_srgb(held) : held)));
}

// Light as bytes in sRGB's curve, rounded to nearest, without a power for each.
class SrgbBytes {
 public:
  SrgbBytes() {
    for (size_t n = 1; n < 256; ++n) begins_[n] = static_cast<float>(from_srgb((static_cast<double>(n) - 0.5) / 255));
    size_t byte = 0;
    for (size_t i = 0; i < std::size(first_); ++i) {
      while (byte < 255 && begins_[byte + 1] <= static_cast<float>(i) / kParts) ++byte;
      first_[i] = static_cast<uint8_t>(byte);
    }
  }
  uint8_t of(float light) const {
    const float held = std::clamp(light, 0.0F, 1.0F);
    size_t byte = first_[static_cast<size_t>(held * kParts)];
    while (byte < 255 && begins_[byte + 1] <= held) ++byte;  // twice at most
    return static_cast<uint8_t>(byte);
  }

 private:
  static constexpr float kParts = 4096;  // a part is not wider than two bytes in the dark
  float begins_[256] = {};               // the least light of a byte
  uint8_t first_[4097] = {};             // the byte at the begin of each part
};

uint8_t linear_byte(float light) {
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): no light is just below a half; lround() is slow
  return static_cast<uint8_t>(255 * std::clamp(light, 0.0F, 1.0F) + 0.5F);
}

// Numbers per texel while it is filtered: one for gray, else a multiple of four, so that a texel is a vector of floats.
// With transparency: R G B, alpha, and R G B times alpha.
size_t lanes_of(MipContent content, int channels) {
  if (content == MipContent::transparency) return 8;
  return channels == 1 && content == MipContent::channels ? 1 : 4;
}

// Rows of light.
struct Light {
  int width = 0, height = 0;
  size_t lanes = 0;
  std::vector<float> texels;
  size_t row_size() const { return static_cast<size_t>(width) * lanes; }
  const float* row(int y) const { return &texels[static_cast<size_t>(y) * row_size()]; }
  float* row(int y) { return &texels[static_cast<size_t>(y) * row_size()]; }
};

// A row of a level: first the rows of the source are added up, then the texels of the sum.
template <size_t kLanes>
void add_texels(const FilterTaps& taps, const float* sums, float* out) {
  for (size_t x = 0; x < taps.first.size(); ++x, out += kLanes) {
    const float* from = sums + static_cast<size_t>(taps.first[x]) * kLanes;
    const float* weights = &taps.weights[x * taps.most];
    float texel[kLanes] = {};
    for (size_t t = 0; t < static_cast<size_t>(taps.count[x]); ++t)
      for (size_t c = 0; c < kLanes; ++c) texel[c] += weights[t] * from[t * kLanes + c];
    for (size_t c = 0; c < kLanes; ++c) out[c] = texel[c];
  }
}

// sums[i] = the sum of weights[t] * rows[t][i]. The sums of kBlock numbers stay in registers.
void add_rows(const float* weights, std::span<const float* const> rows, std::span<float> sums) {
  constexpr size_t kBlock = 16;
  size_t i = 0;
  for (; i + kBlock <= sums.size(); i += kBlock) {
    float block[kBlock] = {};
    for (size_t t = 0; t < rows.size(); ++t)
      for (size_t k = 0; k < kBlock; ++k) block[k] += weights[t] * rows[t][i + k];
    for (size_t k = 0; k < kBlock; ++k) sums[i + k] = block[k];
  }
  for (; i < sums.size(); ++i) {
    float sum = 0;
    for (size_t t = 0; t < rows.size(); ++t) sum += weights[t] * rows[t][i];
    sums[i] = sum;
  }
}

}  // namespace

// Conversion between samples and light.
struct PictureFilter::Tables {
  Tables(const MipRules& rules, int channels, SampleType type)
      : content(rules.content),
        curve(rules.content == MipContent::normals ? MipCurve::linear : rules.curve),
        channels(static_cast<size_t>(channels)),
        type(type),
        lanes(lanes_of(rules.content, channels)),
        color(light_of_samples(type, curve)),
        alpha(curve == MipCurve::linear ? color : light_of_samples(type, MipCurve::linear)) {}

  void to_light(const uint8_t* samples, int width, float* light) const {
    if (type == SampleType::unorm8)
      to_light_from<uint8_t>(samples, width, light);
    else
      to_light_from<uint16_t>(samples, width, light);
    if (content == MipContent::transparency) weigh_by_alpha(width, light);
    if (content == MipContent::normals) to_vectors(width, light);
  }

  void to_samples(const float* light, const LevelTarget& level, int y) const {
    uint8_t* out = level.texels + y * level.stride_bytes;
    const auto texel_bytes = static_cast<size_t>(level.texel_samples * sample_bytes(type));
    std::memset(out, 0, texel_bytes * static_cast<size_t>(level.width));
    for (int x = 0; x < level.width; ++x, light += lanes, out += texel_bytes) {
      float texel[4] = {};
      std::copy_n(light, channels, texel);
      if (content == MipContent::transparency && light[3] >= kFaintAlpha)
        for (size_t c = 0; c < 3; ++c) texel[c] = light[4 + c] / light[3];
      if (content == MipContent::normals) {
        const float size = std::sqrt(light[0] * light[0] + light[1] * light[1] + light[2] * light[2]);
        for (size_t c = 0; c < std::min<size_t>(channels, 3); ++c)
          texel[c] = size > 0 ? (light[c] / size + 1) / 2 : (c == 2 ? 1.0F : 0.5F);
      }
      for (size_t c = 0; c < channels; ++c) put_sample(texel[c], c == 3 ? MipCurve::linear : curve, c, out);
    }
  }

  MipContent content;
  MipCurve curve;
  size_t channels;
  SampleType type;
  size_t lanes;

 private:
  template <typename Sample>
  void to_light_from(const uint8_t* samples, int width, float* light) const {
    switch (channels) {
      case 1: return look_up<Sample, 1>(samples, width, light);
      case 2: return look_up<Sample, 2>(samples, width, light);
      case 3: return look_up<Sample, 3>(samples, width, light);
      default: return look_up<Sample, 4>(samples, width, light);
    }
  }
  template <typename Sample, size_t kChannels>
  void look_up(const uint8_t* samples, int width, float* light) const {
    const float *const of_color = color.data(), *const of_alpha = alpha.data();
    const size_t step = lanes;
    for (int x = 0; x < width; ++x, samples += kChannels * sizeof(Sample), light += step)
      for (size_t c = 0; c < kChannels; ++c) {
        Sample sample = 0;
        std::memcpy(&sample, samples + c * sizeof(Sample), sizeof sample);
        light[c] = (c == 3 ? of_alpha : of_color)[sample];
      }
  }
  static void weigh_by_alpha(int width, float* light) {
    for (int x = 0; x < width; ++x, light += 8)
      for (size_t c = 0; c < 3; ++c) light[4 + c] = light[c] * light[3];
  }
  void to_vectors(int width, float* light) const {
    for (int x = 0; x < width; ++x, light += 4) {
      for (size_t c = 0; c < std::min<size_t>(channels, 3); ++c) light[c] = 2 * light[c] - 1;
      if (channels == 2) light[2] = std::sqrt(std::max(0.0F, 1 - light[0] * light[0] - light[1] * light[1]));
    }
  }

  void put_sample(float light, MipCurve its_curve, size_t channel, uint8_t* texel) const {
    if (type == SampleType::unorm8) {
      texel[channel] = its_curve == MipCurve::srgb ? srgb_bytes.of(light) : linear_byte(light);
      return;
    }
    const uint16_t sample = wide_sample_of(light, type, its_curve);
    std::memcpy(texel + 2 * channel, &sample, sizeof sample);
  }

  std::vector<float> color, alpha;  // light of the samples
  SrgbBytes srgb_bytes;
};

namespace {

// The latest rows of the source as light; as many as a level's texel needs.
template <typename Tables>
class SourceLight {
 public:
  SourceLight(const SampleRows& source, const Tables& tables, size_t kept)
      : source_(source),
        tables_(tables),
        samples_(static_cast<size_t>(source.width * source.channels * sample_bytes(source.samples))),
        light_{source.width, static_cast<int>(kept), tables.lanes, {}},
        held_(kept, -1) {
    light_.texels.resize(light_.row_size() * kept);
  }
  const float* row(int y) {
    const auto slot = static_cast<size_t>(y) % held_.size();
    float* const row = light_.row(static_cast<int>(slot));
    if (held_[slot] != y) {
      source_.read(y, samples_.data());
      tables_.to_light(samples_.data(), source_.width, row);
      held_[slot] = y;
    }
    return row;
  }

 private:
  const SampleRows& source_;
  const Tables& tables_;
  std::vector<uint8_t> samples_;
  Light light_;
  std::vector<int> held_;  // which row each slot has
};

// Rows [y0, y1) of a level, from a source whose rows have `row_size` numbers.
template <typename Source>
void filter_rows(Source& source, size_t row_size, const FilterTaps& across, const FilterTaps& down, int y0, int y1,
                 Light& level) {
  std::vector<float> sums(row_size);
  std::vector<const float*> rows;
  for (int y = y0; y < y1; ++y) {
    const auto i = static_cast<size_t>(y);
    rows.clear();
    for (int t = 0; t < down.count[i]; ++t) rows.push_back(source.row(down.first[i] + t));
    add_rows(&down.weights[i * down.most], rows, sums);
    if (level.lanes == 1) add_texels<1>(across, sums.data(), level.row(y));
    if (level.lanes == 4) add_texels<4>(across, sums.data(), level.row(y));
    if (level.lanes == 8) add_texels<8>(across, sums.data(), level.row(y));
  }
}

// The share of one of `count` threads in `rows`.
int share(int rows, size_t i, size_t count) { return static_cast<int>(static_cast<size_t>(rows) * i / count); }

}  // namespace

std::string_view name(MipFilter filter) { return filter == MipFilter::box ? "box" : "kaiser"; }

std::optional<MipFilter> mip_filter_from_name(std::string_view wanted) {
  for (const MipFilter filter : kMipFilters)
    if (name(filter) == wanted) return filter;
  return std::nullopt;
}

SampleRows rows_of(const DecodedImage& image) {
  return {.width = image.width,
          .height = image.height,
          .channels = image.channels,
          .samples = image.samples,
          .read = [&image, size = static_cast<size_t>(image.width * image.channels * sample_bytes(image.samples))](
                      int y, uint8_t* row) { std::memcpy(row, &image.pixels[static_cast<size_t>(y) * size], size); }};
}

PictureFilter::PictureFilter(const MipRules& rules, int channels, SampleType samples)
    : rules_(rules), channels_(channels), samples_(samples) {
  REQUIRE_USE(channels >= 1 && channels <= 4, "a picture has 1 to 4 channels");
  REQUIRE_USE(rules.content != MipContent::normals || channels >= 2, "normals have two channels or more");
  REQUIRE_USE(rules.content != MipContent::transparency || channels == 4, "transparency is the fourth channel");
  tables_ = std::make_unique<const Tables>(rules, channels, samples);
}
PictureFilter::~PictureFilter() = default;
PictureFilter::PictureFilter(PictureFilter&&) noexcept = default;
PictureFilter& PictureFilter::operator=(PictureFilter&&) noexcept = default;

const FilterTaps& PictureFilter::taps(int from, int to) {
  constexpr size_t kMostKept = 256;
  if (taps_.size() >= kMostKept && !taps_.contains({from, to})) taps_.clear();
  const auto [found, is_new] = taps_.try_emplace({from, to});
  if (is_new) found->second = filter_taps(rules_.filter, from, to);
  return found->second;
}

void PictureFilter::filter(const SampleRows& source, std::span<const LevelTarget> levels, Workers& workers) {
  REQUIRE_USE(source.width >= 1 && source.height >= 1, "the source has no texels");
  REQUIRE_USE(source.channels == channels_ && source.samples == samples_, "the source has other channels or samples");
  std::vector<Light> lights(levels.size());
  const auto threads = static_cast<size_t>(workers.threads()) + 1;
  for (size_t n = 0; n < levels.size(); ++n) {
    const LevelTarget& level = levels[n];
    REQUIRE_USE(level.width >= 1 && level.height >= 1, "a level must have 1 texel at least");
    REQUIRE_USE(level.texel_samples >= channels_, "the level's texels have no room for all channels");
    const Light* larger = n < 2 ? nullptr : &lights[n - 2];
    const int from_width = larger ? larger->width : source.width, from_height = larger ? larger->height : source.height;
    const FilterTaps across = taps(from_width, level.width), down = taps(from_height, level.height);
    Light& light = lights[n];
    light = {level.width, level.height, tables_->lanes, {}};
    light.texels.resize(light.row_size() * static_cast<size_t>(level.height));
    const size_t row_size = static_cast<size_t>(from_width) * tables_->lanes;
    workers.parallel_for(threads, [&](size_t i) {
      const int y0 = share(level.height, i, threads), y1 = share(level.height, i + 1, threads);
      if (larger) {
        filter_rows(*larger, row_size, across, down, y0, y1, light);
      } else {
        SourceLight rows(source, *tables_, down.most);
        filter_rows(rows, row_size, across, down, y0, y1, light);
      }
      for (int y = y0; y < y1; ++y) tables_->to_samples(light.row(y), level, y);
    });
    if (n >= 2) lights[n - 2] = {};
  }
}

void scale(const DecodedImage& source, const MipRules& rules, int width, int height, DecodedImage& scaled) {
  scaled.resize(width, height, source.channels, source.samples);
  Workers none(0);
  const LevelTarget level{.width = width,
                          .height = height,
                          .texel_samples = source.channels,
                          .texels = scaled.pixels.data(),
                          .stride_bytes = width * source.channels * sample_bytes(source.samples)};
  PictureFilter(rules, source.channels, source.samples).filter(rows_of(source), {&level, 1}, none);
}

}  // namespace texcast
