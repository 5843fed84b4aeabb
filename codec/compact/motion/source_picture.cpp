#include "compact/source_picture.h"

#include <array>
#include <cstring>

#include "compact/simd.h"
#include "frames/color.h"
#include "frames/require_frame.h"
#include "ref/convert.h"
#include "texcast/format.h"
#include "yuv_rows.h"

namespace texcast::compact {
namespace {

constexpr int kAtOnce = 16;  // pixels

// Single precision is exact here (frames/color.h). This includes the division by 16420 of integers up to 2^22 plus 1/2,
// rounded down. source_picture_test.cpp tries all lumas with all chromas.
class YuvConverter {
 public:
  explicit YuvConverter(const YuvFactors& f)
      : luma_scale_(F32x4{} + f.luma_scale),
        luma_more_(F32x4{} + f.luma_more),
        chroma_offset_(F32x4{} + f.chroma_offset),
        red_v_(F32x4{} + f.red_v),
        green_u_(F32x4{} + f.green_u),
        green_v_(F32x4{} + f.green_v),
        blue_u_(F32x4{} + f.blue_u) {}

  // Converts eight pixels. A chroma texel covers kAcross pixels, and the next one is kStep bytes away; if these are
  // two, u and v are interleaved.
  template <int kAcross, int kStep>
  void eight(const uint8_t* y, const uint8_t* u, const uint8_t* v, uint32_t* out) const {
    for (int i = 0; i < 8; i += kAcross * 4) {
      I32x4 u4, v4;
      if constexpr (kStep == 2) {
        uint64_t both = 0;
        std::memcpy(&both, u, 8);
        const auto words = reinterpret_cast<U32x4>(mix_low(reinterpret_cast<U8x16>(U64x2{both, 0}), U8x16{}));
        u4 = reinterpret_cast<I32x4>(words & 0xFFFF);
        v4 = reinterpret_cast<I32x4>(words >> 16);
      } else {
        u4 = four(u + i / kAcross);
        v4 = four(v + i / kAcross);
      }
      const F32x4 from_u = __builtin_convertvector(u4, F32x4) - chroma_offset_,
                  from_v = __builtin_convertvector(v4, F32x4) - chroma_offset_;
      const F32x4 red = from_v * red_v_, green = from_u * green_u_ + from_v * green_v_, blue = from_u * blue_u_;
      if constexpr (kAcross == 1) {
        put(y + i, red, green, blue, out + i);
      } else {
        const auto first = [](F32x4 a) { return __builtin_shufflevector(a, a, 0, 0, 1, 1); };
        const auto second = [](F32x4 a) { return __builtin_shufflevector(a, a, 2, 2, 3, 3); };
        put(y, first(red), first(green), first(blue), out);
        put(y + 4, second(red), second(green), second(blue), out + 4);
      }
    }
  }

 private:
  static I32x4 four(const uint8_t* from) {
    uint32_t bytes = 0;
    std::memcpy(&bytes, from, 4);
    const U8x16 words = mix_low(reinterpret_cast<U8x16>(U32x4{bytes, 0, 0, 0}), U8x16{});
    return reinterpret_cast<I32x4>(
        __builtin_shufflevector(reinterpret_cast<U16x8>(words), U16x8{}, 0, 8, 1, 9, 2, 10, 3, 11));
  }
  static U32x4 bytes_of(F32x4 sum) {
    constexpr float kMost = 1 << 22;  // 255
    sum = sum > 0.F ? sum : F32x4{};
    sum = sum < kMost ? sum : F32x4{} + kMost;
    return reinterpret_cast<U32x4>(__builtin_convertvector((sum + 0.5F) * (1.F / kByteStep), I32x4));
  }
  void put(const uint8_t* y, F32x4 red, F32x4 green, F32x4 blue, uint32_t* out) const {
    const F32x4 luma = __builtin_convertvector(four(y), F32x4) * luma_scale_ + luma_more_;
    store_vector(out, bytes_of(luma + red) | bytes_of(luma + green) << 8 | bytes_of(luma + blue) << 16);
  }

  F32x4 luma_scale_, luma_more_, chroma_offset_, red_v_, green_u_, green_v_, blue_u_;
};

YuvFactors factors_of(const ColorConversion& c) {
  constexpr auto kHalfStep = kByteStep / 2;
  return {.luma_scale = static_cast<float>(c.luma_scale),
          .luma_more = static_cast<float>(kHalfStep - c.luma_offset * c.luma_scale),
          .chroma_offset = static_cast<float>(c.chroma_offset),
          .red_v = static_cast<float>(c.red_v),
          .green_u = static_cast<float>(c.green_u),
          .green_v = static_cast<float>(c.green_v),
          .blue_u = static_cast<float>(c.blue_u)};
}

// Converts `count` pixels from `row` on. It writes eight at a time, so that up to seven more may be written.
template <int kAcross, int kStep>
void convert_row(const YuvConverter& converter, YuvRow row, int count, uint32_t* out) {
  constexpr int kChroma = 8 / kAcross * kStep;  // bytes of eight pixels
  for (; count >= 8; count -= 8, out += 8) {
    converter.eight<kAcross, kStep>(row.y, row.u, row.v, out);
    row = {row.y + 8, row.u + kChroma, row.v + kChroma};
  }
  if (count <= 0) return;
  uint8_t y[8]{}, u[8]{}, v[8]{};
  const auto chroma = static_cast<size_t>((count + kAcross - 1) / kAcross * kStep);
  std::memcpy(y, row.y, static_cast<size_t>(count));
  std::memcpy(u, row.u, chroma);
  if (kStep == 1) std::memcpy(v, row.v, chroma);
  converter.eight<kAcross, kStep>(y, u, v, out);
}

U8x16 luma_of(const uint32_t* pixels) {
  I32x4 luma[4];
  for (int j = 0; j < 4; ++j) {
    const auto rgb = load_vector<U32x4>(pixels + j * 4);
    const I32x4 both = multiply_pairs(reinterpret_cast<I16x8>(rgb & 0x00FF00FF), I16x8{} + 1);
    luma[j] = (both + reinterpret_cast<I32x4>((rgb >> 8 & 0xFF) << 1) + 2) >> 2;
  }
  return low_bytes(reinterpret_cast<U16x8>(low_words(luma[0], luma[1])),
                   reinterpret_cast<U16x8>(low_words(luma[2], luma[3])));
}

void luma_of_row(const uint32_t* pixels, int count, uint8_t* out) {
  const YuvRows* const wide = wide_yuv_rows();
  const int at_once = wide != nullptr ? count / YuvRows::kAtOnce * YuvRows::kAtOnce : 0;
  if (at_once > 0) wide->luma(pixels, at_once, out);
  for (int x = at_once; x < count; x += kAtOnce) store_vector(out + x, luma_of(pixels + x));
}

// Reads rows of the most frequent formats.
class RowReader {
 public:
  explicit RowReader(const FrameView& frame)
      : frame_(frame),
        conversion_(color_conversion(frame.format.pixel_format, frame.format.color)),
        factors_(factors_of(conversion_)),
        converter_(factors_) {}
  // False: the format is another one.
  bool read(int x, int y, int count, uint32_t* out) const {
    const bool is_full_range = conversion_.luma_offset == 0 && conversion_.luma_scale == kByteStep;
    switch (frame_.format.pixel_format) {
      case PixelFormat::yuv420p:
        convert<2, 1>(&YuvRows::halved, {at(0, x, y), at(1, x / 2, y / 2), at(2, x / 2, y / 2)}, count, out);
        return true;
      case PixelFormat::nv12:
        convert<2, 2>(&YuvRows::interleaved, {at(0, x, y), at(1, x / 2 * 2, y / 2), at(1, x / 2 * 2 + 1, y / 2)}, count,
                      out);
        return true;
      case PixelFormat::yuv422p:
        convert<2, 1>(&YuvRows::halved, {at(0, x, y), at(1, x / 2, y), at(2, x / 2, y)}, count, out);
        return true;
      case PixelFormat::yuv444p:
        convert<1, 1>(&YuvRows::full, {at(0, x, y), at(1, x, y), at(2, x, y)}, count, out);
        return true;
      case PixelFormat::rgba:
        for (int i = 0; i < count && is_full_range; ++i) out[i] = texel(x + i, y) & 0xFFFFFF;
        return is_full_range;
      case PixelFormat::bgra:
        for (int i = 0; i < count && is_full_range; ++i) {
          const uint32_t bgr = texel(x + i, y);
          out[i] = (bgr & 0xFF) << 16 | (bgr & 0xFF00) | (bgr >> 16 & 0xFF);
        }
        return is_full_range;
      default: return false;
    }
  }

 private:
  // `wide` does the same faster.
  template <int kAcross, int kStep>
  void convert(decltype(YuvRows::full) YuvRows::*wide, YuvRow row, int count, uint32_t* out) const {
    const YuvRows* const rows = wide_yuv_rows();
    const int at_once = rows != nullptr ? count / YuvRows::kAtOnce * YuvRows::kAtOnce : 0;
    if (at_once > 0) (rows->*wide)(factors_, row, at_once, out);
    const int chroma = at_once / kAcross * kStep;
    convert_row<kAcross, kStep>(converter_, {row.y + at_once, row.u + chroma, row.v + chroma}, count - at_once,
                                out + at_once);
  }
  const uint8_t* at(size_t plane, int byte, int y) const {
    const PlaneView& of = frame_.planes[plane];
    return reinterpret_cast<const uint8_t*>(of.data) + y * of.stride_bytes + byte;
  }
  uint32_t texel(int x, int y) const {
    uint32_t value = 0;
    std::memcpy(&value, at(0, 4 * x, y), 4);
    return value;
  }

  const FrameView& frame_;
  ColorConversion conversion_;
  YuvFactors factors_;
  YuvConverter converter_;
};

// Reads a row of any other format.
void read_other(const FrameView& frame, int x0, int x1, int y, uint32_t* row) {
  constexpr int kAtMost = 256;
  std::array<uint8_t, size_t{kAtMost} * 3> bytes;
  for (int from = x0; from < x1; from += kAtMost) {
    const int to = std::min(from + kAtMost, x1);
    ref::read_rgb(frame, from, y, to, y + 1, bytes.data());
    for (int x = from; x < to; ++x) {
      const uint8_t* const rgb = bytes.data() + size_t{3} * static_cast<size_t>(x - from);
      row[x] = static_cast<uint32_t>(rgb[0] | rgb[1] << 8 | rgb[2] << 16);
    }
  }
}

}  // namespace

// Rows are multiples of 16 pixels, and 16 pixels more may be read or written at the end.
SourcePicture::SourcePicture(int width, int height)
    : width_(width),
      height_(height),
      stride_((width + kAtOnce - 1) / kAtOnce * kAtOnce),
      rgb_(static_cast<size_t>(stride_) * static_cast<size_t>(height) + kAtOnce),
      luma_(static_cast<size_t>(stride_) * static_cast<size_t>(height) + kAtOnce) {}

bool SourcePicture::can_show(const TileGrid& grid) {
  const TextureFormat format = grid.texture().format;
  return is_planar_ycocg(format) || (grid.component(0).kind == SubBlockKind::color && !is_ycbcr(format));
}

void SourcePicture::draw(const FrameView& frame, const BlockRect& rect) {
  require_readable(frame, __func__);
  const RowReader reader(frame);
  const int x0 = rect.x0 * 4, x1 = std::min(rect.x1 * 4, width_), y1 = std::min(rect.y1 * 4, height_);
  // Tiles begin at multiples of 16 pixels, so that pixels written beyond their end belong to no other tile.
  const int end = std::min(rect.x1 * 4, stride_);
  for (int y = rect.y0 * 4; y < y1; ++y) {
    uint32_t* const row = rgb_.data() + of_row(y);
    if (!reader.read(x0, y, x1 - x0, row + x0)) read_other(frame, x0, x1, y, row);
    for (int x = x1; x < end; ++x) row[x] = row[x1 - 1];
    uint8_t* const luma = luma_.data() + of_row(y);
    luma_of_row(row + x0, (end - x0 + kAtOnce - 1) / kAtOnce * kAtOnce, luma + x0);
  }
}

}  // namespace texcast::compact
