#include "compact/film_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "compact/simd.h"
#include "frames/color.h"
#include "texcast/format.h"

namespace texcast::compact {
namespace {

constexpr int kMargin = 8;  // of rows in memory, so that vectors of texels begin at the first one

I32x4 sums_of(I16x8 u, I16x8 v, int16_t of_u, int16_t of_v, bool high) {
  const auto a = reinterpret_cast<U16x8>(u), b = reinterpret_cast<U16x8>(v);
  const auto pairs = high ? __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
                          : __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  return multiply_pairs(reinterpret_cast<I16x8>(pairs), I16x8{of_u, of_v, of_u, of_v, of_u, of_v, of_u, of_v});
}
I16x8 weighted(I16x8 u, I16x8 v, int16_t of_u, int16_t of_v, int shift) {
  const int half = 1 << (shift - 1);
  return low_words((sums_of(u, v, of_u, of_v, false) + half) >> shift,
                   (sums_of(u, v, of_u, of_v, true) + half) >> shift);
}

// Bilinear interpolation of decoders softens chroma, which this filter makes up for: -3, 22, -3 in 1/8, twice the
// value.
I16x8 sharpened(I16x8 before, I16x8 at, I16x8 after) {
  return (at * int16_t{22} - (before + after) * int16_t{3} + int16_t{4}) >> 3;
}

// Texels from `x` - 1 to `x` + `columns`, less 128, of a row of `width` texels that are kStep bytes apart. The one at
// `x` comes to to[kMargin].
template <int kStep>
void read_row(const uint8_t* from, int x, int columns, int width, int16_t* to) {
  const auto texel = [&](int i) { return static_cast<int16_t>(from[std::clamp(i, 0, width - 1) * kStep] - 128); };
  const int inside = std::clamp(width - x, 0, columns);
  __builtin_prefetch(from + (x + columns) * kStep);
  for (int i = 0; i < inside; ++i) to[kMargin + i] = static_cast<int16_t>(from[(x + i) * kStep] - 128);
  for (int i = inside; i < columns; ++i) to[kMargin + i] = texel(x + i);
  to[kMargin - 1] = texel(x - 1);
  to[kMargin + columns] = texel(x + columns);
}

}  // namespace

bool FilmSource::can_read(const TileGrid& grid, const FrameView& frame) {
  const bool is_halved = grid.texture().format == TextureFormat::ycocg_bc4_420;
  const PixelFormat pixels = frame.format.pixel_format;
  return is_halved && (pixels == PixelFormat::yuv420p || pixels == PixelFormat::nv12);
}

FilmSource::FilmSource(const FrameView& frame)
    : frame_(frame),
      width_(frame.format.width),
      height_(frame.format.height),
      chroma_width_((width_ + 1) / 2),
      chroma_height_((height_ + 1) / 2),
      is_interleaved_(frame.format.pixel_format == PixelFormat::nv12) {
  const ColorConversion c = color_conversion(frame.format.pixel_format, frame.format.color);
  const auto scaled = [](double factor, double scale) {
    return static_cast<int16_t>(std::lround(factor / kByteStep * scale));
  };
  luma_scale_ = static_cast<uint16_t>(std::lround(c.luma_scale * 32768.0 / kByteStep));
  luma_more_ = static_cast<int16_t>(32 + scaled(-double{1} * c.luma_offset * c.luma_scale, 64));
  luma_u_ = scaled((c.blue_u + 2.0 * c.green_u) / 4, 1 << 14);
  luma_v_ = scaled((c.red_v + 2.0 * c.green_v) / 4, 1 << 14);
  co_u_ = scaled(-c.blue_u / 2.0, 1 << 13);
  co_v_ = scaled(c.red_v / 2.0, 1 << 13);
  cg_u_ = scaled((2.0 * c.green_u - c.blue_u) / 4, 1 << 13);
  cg_v_ = scaled((2.0 * c.green_v - c.red_v) / 4, 1 << 13);
}

const uint8_t* FilmSource::row(size_t plane, int y) const {
  const PlaneView& of = frame_.planes[plane];
  const int last = (plane == 0 ? height_ : chroma_height_) - 1;
  return reinterpret_cast<const uint8_t*>(of.data) + std::clamp(y, 0, last) * of.stride_bytes;
}

void FilmSource::gather(int x, int y, int columns, int rows, Chroma& chroma) const {
  for (int j = -1; j <= rows; ++j) {
    const uint8_t* const u = row(1, y + j);
    if (is_interleaved_) {
      read_row<2>(u, x, columns, chroma_width_, chroma.u[j + 1]);
      read_row<2>(u + 1, x, columns, chroma_width_, chroma.v[j + 1]);
    } else {
      read_row<1>(u, x, columns, chroma_width_, chroma.u[j + 1]);
      read_row<1>(row(2, y + j), x, columns, chroma_width_, chroma.v[j + 1]);
    }
  }
}

void FilmSource::read_luma(const BlockRect& rect, uint8_t* to, size_t stride) const {
  const int x0 = rect.x0 * 4, y0 = rect.y0 * 4, columns = rect.width() * 4, rows = rect.height() * 4;
  const int inside = std::min(columns, width_ - x0);
  Chroma chroma;
  gather(x0 / 2, y0 / 2, (columns + 1) / 2, (rows + 1) / 2, chroma);
  for (int y = 0; y < rows; ++y) {
    std::array<uint8_t, kTileWidth + 16> luma, out;
    const uint8_t* const from = row(0, y0 + y) + x0;
    __builtin_prefetch(from + kTileWidth);
    std::memcpy(luma.data(), from, static_cast<size_t>(inside));
    std::memset(luma.data() + inside, luma[static_cast<size_t>(inside) - 1], luma.size() - static_cast<size_t>(inside));
    for (int x = 0; x < columns; x += 16) {
      const int16_t *const u = &chroma.u[y / 2 + 1][x / 2 + kMargin], *const v = &chroma.v[y / 2 + 1][x / 2 + kMargin];
      const I16x8 more = weighted(load_vector<I16x8>(u), load_vector<I16x8>(v), luma_u_, luma_v_, 8) + luma_more_;
      const auto scaled = [&](const uint8_t* at) {
        return reinterpret_cast<I16x8>(
            multiply_high(reinterpret_cast<U16x8>(load_words(at)) << 7, U16x8{} + luma_scale_));
      };
      const I16x8 first =
          scaled(&luma[static_cast<size_t>(x)]) + __builtin_shufflevector(more, more, 0, 0, 1, 1, 2, 2, 3, 3);
      const I16x8 second =
          scaled(&luma[static_cast<size_t>(x) + 8]) + __builtin_shufflevector(more, more, 4, 4, 5, 5, 6, 6, 7, 7);
      store_vector(&out[static_cast<size_t>(x)], limited_bytes(first >> 6, second >> 6));
    }
    std::memcpy(to + static_cast<size_t>(y) * stride, out.data(), static_cast<size_t>(columns));
  }
}

void FilmSource::read_chroma(const BlockRect& rect, uint8_t* co, uint8_t* cg, size_t stride) const {
  const int columns = rect.width() * 4, rows = rect.height() * 4;
  Chroma chroma;
  gather(rect.x0 * 4, rect.y0 * 4, columns, rows, chroma);
  for (int x = 0; x < columns; x += 8) {
    const auto across = [&](const int16_t* row) {
      const int16_t* const at = row + x + kMargin;
      return sharpened(load_vector<I16x8>(at - 1), load_vector<I16x8>(at), load_vector<I16x8>(at + 1));
    };
    I16x8 u[3]{{}, across(chroma.u[0]), across(chroma.u[1])}, v[3]{{}, across(chroma.v[0]), across(chroma.v[1])};
    for (int y = 0; y < rows; ++y) {
      u[0] = u[1], u[1] = u[2], u[2] = across(chroma.u[y + 2]);
      v[0] = v[1], v[1] = v[2], v[2] = across(chroma.v[y + 2]);
      const I16x8 filtered_u = sharpened(u[0], u[1], u[2]), filtered_v = sharpened(v[0], v[1], v[2]);
      const size_t at = static_cast<size_t>(y) * stride + static_cast<size_t>(x);
      const int room = std::min(columns - x, 8);
      std::array<uint8_t, 8> bytes;
      store_limited_words(bytes.data(), weighted(filtered_u, filtered_v, co_u_, co_v_, 15) + int16_t{128});
      std::memcpy(co + at, bytes.data(), static_cast<size_t>(room));
      store_limited_words(bytes.data(), weighted(filtered_u, filtered_v, cg_u_, cg_v_, 15) + int16_t{128});
      std::memcpy(cg + at, bytes.data(), static_cast<size_t>(room));
    }
  }
}

}  // namespace texcast::compact
