#include "ref/convert.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/ensure.h"
#include "base/misuse.h"
#include "frames/require_frame.h"
#include "kernels/srgb_steps.h"
#include "texcast/image.h"

namespace texcast::ref {
namespace {

int to_byte(int fixed_point) { return std::clamp(fixed_point / kByteStep, 0, 255); }

// Linear light, given as the bits of a half, as a byte in sRGB's curve.
int srgb_byte(int half_bits) {
  static constexpr std::array<uint16_t, 256> kSteps = {TEXCAST_SRGB_STEPS};
  if (half_bits > TEXCAST_INFINITE_HALF) return 0;  // negative, or NaN
  return static_cast<int>(std::ranges::upper_bound(kSteps, half_bits) - kSteps.begin()) - 1;
}

// In the order of values, as in ref/bc6h.h: NaN becomes 0, infinity the largest value.
int ordered_half(int half_bits) {
  const int size = half_bits & 0x7FFF;
  if (size > TEXCAST_INFINITE_HALF) return 0;
  const int number = std::min(size, TEXCAST_INFINITE_HALF - 1);
  return half_bits > 0x7FFF ? -number : number;
}

}  // namespace

FrameReader::FrameReader(const FrameView& frame)
    : frame_(frame), conversion_(color_conversion(frame.format.pixel_format, frame.format.color)) {
  require_readable(frame, __func__);
}

// The three stored samples of a texel: Y U V, or R G B.
std::array<int, 3> FrameReader::samples(int x, int y) const {
  const auto byte = [&](int plane, int offset, int row) {
    const PlaneView& p = frame_.planes[static_cast<size_t>(plane)];
    return std::to_integer<int>(p.data[row * p.stride_bytes + offset]);
  };
  const auto word = [&](int plane, int offset, int row) {
    return byte(plane, offset, row) | byte(plane, offset + 1, row) << 8;
  };
  const int half_x = x / 2, half_y = y / 2;
  switch (frame_.format.pixel_format) {
    case PixelFormat::yuv420p: return {byte(0, x, y), byte(1, half_x, half_y), byte(2, half_x, half_y)};
    case PixelFormat::nv12: return {byte(0, x, y), byte(1, 2 * half_x, half_y), byte(1, 2 * half_x + 1, half_y)};
    case PixelFormat::yuv422p: return {byte(0, x, y), byte(1, half_x, y), byte(2, half_x, y)};
    case PixelFormat::yuv444p: return {byte(0, x, y), byte(1, x, y), byte(2, x, y)};
    case PixelFormat::yuyv422: return {byte(0, 2 * x, y), byte(0, 4 * half_x + 1, y), byte(0, 4 * half_x + 3, y)};
    case PixelFormat::uyvy422: return {byte(0, 2 * x + 1, y), byte(0, 4 * half_x, y), byte(0, 4 * half_x + 2, y)};
    case PixelFormat::yuv420p10:
      return {word(0, 2 * x, y) & 1023, word(1, 2 * half_x, half_y) & 1023, word(2, 2 * half_x, half_y) & 1023};
    case PixelFormat::p010:
      return {word(0, 2 * x, y) >> 6, word(1, 4 * half_x, half_y) >> 6, word(1, 4 * half_x + 2, half_y) >> 6};
    case PixelFormat::rgb24: return {byte(0, 3 * x, y), byte(0, 3 * x + 1, y), byte(0, 3 * x + 2, y)};
    case PixelFormat::rgba: return {byte(0, 4 * x, y), byte(0, 4 * x + 1, y), byte(0, 4 * x + 2, y)};
    case PixelFormat::bgra: return {byte(0, 4 * x + 2, y), byte(0, 4 * x + 1, y), byte(0, 4 * x, y)};
    case PixelFormat::gray: return {byte(0, x, y), conversion_.chroma_offset, conversion_.chroma_offset};
    case PixelFormat::gray16: return {word(0, 2 * x, y), conversion_.chroma_offset, conversion_.chroma_offset};
    case PixelFormat::rgba_half: return {word(0, 8 * x, y), word(0, 8 * x + 2, y), word(0, 8 * x + 4, y)};
  }
  ENSURE(false);
}

std::array<int, 3> FrameReader::rgb(int x, int y) const {
  x = std::clamp(x, 0, frame_.format.width - 1);
  y = std::clamp(y, 0, frame_.format.height - 1);
  if (frame_.format.pixel_format == PixelFormat::gray16) {
    const int gray = luma(x, y);
    return {gray, gray, gray};
  }
  const auto s = samples(x, y);
  if (frame_.format.pixel_format == PixelFormat::rgba_half) return {srgb_byte(s[0]), srgb_byte(s[1]), srgb_byte(s[2])};
  const ColorConversion& c = conversion_;
  const auto luma = [&](int sample) { return (sample - c.luma_offset) * c.luma_scale + kByteStep / 2; };
  if (is_rgb(frame_.format.pixel_format)) return {to_byte(luma(s[0])), to_byte(luma(s[1])), to_byte(luma(s[2]))};
  const int u = s[1] - c.chroma_offset, v = s[2] - c.chroma_offset;
  return {to_byte(luma(s[0]) + c.red_v * v), to_byte(luma(s[0]) + c.green_u * u + c.green_v * v),
          to_byte(luma(s[0]) + c.blue_u * u)};
}

int FrameReader::alpha(int x, int y) const {
  if (!has_alpha(frame_.format)) return 255;
  x = std::clamp(x, 0, frame_.format.width - 1);
  y = std::clamp(y, 0, frame_.format.height - 1);
  return std::to_integer<int>(frame_.planes[0].data[y * frame_.planes[0].stride_bytes + 4 * x + 3]);
}

// In 65536ths of a byte, by BT.709.
int FrameReader::luma_of_rgb(int x, int y) const {
  const auto [r, g, b] = rgb(x, y);
  return 13933 * r + 46871 * g + 4732 * b;
}

int FrameReader::luma(int x, int y) const {
  if (is_rgb(frame_.format.pixel_format)) return (luma_of_rgb(x, y) + 32768) >> 16;
  return to_byte(fine_luma(x, y) + kByteStep / 2);
}

int FrameReader::fine_luma(int x, int y) const {
  if (is_rgb(frame_.format.pixel_format)) return static_cast<int>(int64_t{luma_of_rgb(x, y)} * kByteStep >> 16);
  x = std::clamp(x, 0, frame_.format.width - 1);
  y = std::clamp(y, 0, frame_.format.height - 1);
  const int scaled = (samples(x, y)[0] - conversion_.luma_offset) * conversion_.luma_scale;
  const bool is_finer = frame_.format.pixel_format == PixelFormat::gray16;
  return std::clamp(is_finer ? (scaled + 128) >> 8 : scaled, 0, kFineWhite);
}

int FrameReader::fine_alpha_or_luma(int x, int y) const {
  return has_alpha(frame_.format) ? kByteStep * alpha(x, y) : fine_luma(x, y);
}

int FrameReader::alpha_or_luma(int x, int y) const { return has_alpha(frame_.format) ? alpha(x, y) : luma(x, y); }

ChannelBlock FrameReader::alpha_block(int block_x, int block_y) const {
  ChannelBlock block{};
  for (int i = 0; i < 16; ++i) block[static_cast<size_t>(i)] = alpha(4 * block_x + i % 4, 4 * block_y + i / 4);
  return block;
}

ChannelBlock FrameReader::alpha_or_luma_block(int block_x, int block_y) const {
  ChannelBlock block{};
  for (int i = 0; i < 16; ++i) block[static_cast<size_t>(i)] = alpha_or_luma(4 * block_x + i % 4, 4 * block_y + i / 4);
  return block;
}

std::array<int, 3> FrameReader::halves(int x, int y) const {
  std::array<int, 3> numbers{};
  if (frame_.format.pixel_format == PixelFormat::rgba_half) {
    const auto bits = samples(std::clamp(x, 0, frame_.format.width - 1), std::clamp(y, 0, frame_.format.height - 1));
    for (size_t c = 0; c < 3; ++c) numbers[c] = ordered_half(bits[c]);
  } else {
    const auto bytes = rgb(x, y);
    for (size_t c = 0; c < 3; ++c) numbers[c] = half_from_double(bytes[c] / 255.0);
  }
  return numbers;
}

HalfBlock FrameReader::half_block(int block_x, int block_y) const {
  HalfBlock block{};
  for (int i = 0; i < 16; ++i) block[static_cast<size_t>(i)] = halves(4 * block_x + i % 4, 4 * block_y + i / 4);
  return block;
}

namespace {

// Copies a row of 8-bit RGB. `order`: the positions of red, green and blue among the bytes of a texel.
template <int kBytes>
uint8_t* copy_rgb(const uint8_t* row, const std::array<int, 3>& order, int x0, int x1, uint8_t* rgb) {
  for (int x = x0; x < x1; ++x, rgb += 3)
    for (size_t c = 0; c < 3; ++c) rgb[c] = row[kBytes * x + order[c]];
  return rgb;
}
// A row of 8-bit YUV with one chroma sample per `kAcross` texels, `kStep` bytes apart.
template <int kAcross, int kStep>
uint8_t* convert_yuv(const ColorConversion& c, const std::array<const uint8_t*, 3>& rows, int x0, int x1,
                     uint8_t* rgb) {
  const auto [ys, us, vs] = rows;
  for (int x = x0; x < x1; ++x, rgb += 3) {
    const int at = x / kAcross * kStep, u = us[at] - c.chroma_offset, v = vs[at] - c.chroma_offset;
    const int luma = (ys[x] - c.luma_offset) * c.luma_scale + kByteStep / 2;
    rgb[0] = static_cast<uint8_t>(to_byte(luma + c.red_v * v));
    rgb[1] = static_cast<uint8_t>(to_byte(luma + c.green_u * u + c.green_v * v));
    rgb[2] = static_cast<uint8_t>(to_byte(luma + c.blue_u * u));
  }
  return rgb;
}

// Reads a row of the most frequent formats. nullptr: it is none of them.
uint8_t* read_row(const FrameView& frame, const ColorConversion& c, int x0, int x1, int y, uint8_t* rgb) {
  const auto row = [&](size_t plane, int of) {
    return reinterpret_cast<const uint8_t*>(frame.planes[plane].data) + of * frame.planes[plane].stride_bytes;
  };
  const bool is_as_it_is = c.luma_offset == 0 && c.luma_scale == kByteStep;
  switch (frame.format.pixel_format) {
    case PixelFormat::yuv420p: return convert_yuv<2, 1>(c, {row(0, y), row(1, y / 2), row(2, y / 2)}, x0, x1, rgb);
    case PixelFormat::nv12: return convert_yuv<2, 2>(c, {row(0, y), row(1, y / 2), row(1, y / 2) + 1}, x0, x1, rgb);
    case PixelFormat::yuv422p: return convert_yuv<2, 1>(c, {row(0, y), row(1, y), row(2, y)}, x0, x1, rgb);
    case PixelFormat::yuv444p: return convert_yuv<1, 1>(c, {row(0, y), row(1, y), row(2, y)}, x0, x1, rgb);
    case PixelFormat::rgb24: return is_as_it_is ? copy_rgb<3>(row(0, y), {0, 1, 2}, x0, x1, rgb) : nullptr;
    case PixelFormat::rgba: return is_as_it_is ? copy_rgb<4>(row(0, y), {0, 1, 2}, x0, x1, rgb) : nullptr;
    case PixelFormat::bgra: return is_as_it_is ? copy_rgb<4>(row(0, y), {2, 1, 0}, x0, x1, rgb) : nullptr;
    default: return nullptr;
  }
}

}  // namespace

// Rows of the most frequent formats are read as a whole.
void FrameReader::texels(int x0, int y0, int across, int down, uint8_t* out) const {
  const int last = frame_.format.width - 1, begin = std::min(x0, last), end = std::min(x0 + across, last + 1);
  for (int y = y0; y < y0 + down; ++y, out += 3 * across) {
    const int row = std::min(y, frame_.format.height - 1);
    if (read_row(frame_, conversion_, begin, end, row, out) == nullptr)
      for (int x = begin; x < end; ++x) {
        const auto texel = rgb(x, row);
        for (int c = 0; c < 3; ++c) out[3 * (x - begin) + c] = static_cast<uint8_t>(texel[static_cast<size_t>(c)]);
      }
    for (int n = 3 * (end - begin); n < 3 * across; ++n) out[n] = out[n - 3];
  }
}

RgbBlock FrameReader::block(int block_x, int block_y) const {
  std::array<uint8_t, 48> bytes{};
  texels(4 * block_x, 4 * block_y, 4, 4, bytes.data());
  RgbBlock block{};
  for (size_t lane = 0; lane < 16; ++lane) {
    block.r[lane] = bytes[3 * lane];
    block.g[lane] = bytes[3 * lane + 1];
    block.b[lane] = bytes[3 * lane + 2];
  }
  return block;
}

void read_rgb(const FrameView& frame, int x0, int y0, int x1, int y1, uint8_t* rgb) {
  const FrameReader reader(frame);
  const ColorConversion conversion = color_conversion(frame.format.pixel_format, frame.format.color);
  for (; y0 < y1; ++y0) {
    uint8_t* const next = read_row(frame, conversion, x0, x1, y0, rgb);
    if (next == nullptr) break;
    rgb = next;
  }
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x)
      for (const int value : reader.rgb(x, y)) *rgb++ = static_cast<uint8_t>(value);
}

namespace {

// Scales 0..kFineWhite to 0..65535, rounded to nearest.
uint16_t to_unorm16(int fine) { return static_cast<uint16_t>((int64_t{fine} * 65535 + kFineWhite / 2) / kFineWhite); }

}  // namespace

ChannelReader::ChannelReader(const FrameView& frame, int channels, SampleType samples)
    : frame_(frame), reader_(frame), channels_(channels), samples_(samples) {
  REQUIRE_USE(channels >= 1 && channels <= 4, "a picture has 1 to 4 channels");
  REQUIRE_USE(samples <= SampleType::half, "there is no such type of samples");
}

void ChannelReader::read(int y, uint8_t* row) const {
  if (samples_ == SampleType::unorm8) return read_bytes(y, row);
  const auto channels = static_cast<size_t>(channels_);
  for (int x = 0; x < frame_.format.width; ++x, row += 2 * channels) {
    const auto texel = samples_ == SampleType::half ? halves(x, y) : words(x, y);
    std::memcpy(row, texel.data(), 2 * channels);
  }
}

std::array<uint16_t, 4> ChannelReader::words(int x, int y) const {
  std::array<uint16_t, 4> texel{};
  if (channels_ == 1) {
    texel[0] = to_unorm16(reader_.fine_alpha_or_luma(x, y));
    return texel;
  }
  const auto rgb = reader_.rgb(x, y);
  for (size_t c = 0; c < 3; ++c) texel[c] = to_unorm16(kByteStep * rgb[c]);
  texel[3] = to_unorm16(kByteStep * reader_.alpha(x, y));
  return texel;
}

std::array<uint16_t, 4> ChannelReader::halves(int x, int y) const {
  const auto numbers = reader_.halves(x, y);
  std::array<uint16_t, 4> texel = {0, 0, 0, half_from_double(reader_.alpha(x, y) / 255.0)};
  for (size_t c = 0; c < 3; ++c) texel[c] = static_cast<uint16_t>(numbers[c] < 0 ? 0x8000 | -numbers[c] : numbers[c]);
  return texel;
}

void ChannelReader::read_bytes(int y, uint8_t* row) const {
  const int width = frame_.format.width;
  if (channels_ == 1) {
    for (int x = 0; x < width; ++x) row[x] = static_cast<uint8_t>(reader_.alpha_or_luma(x, y));
    return;
  }
  if (channels_ == 3) return read_rgb(frame_, 0, y, width, y + 1, row);
  std::vector<uint8_t> rgb(3 * static_cast<size_t>(width));
  read_rgb(frame_, 0, y, width, y + 1, rgb.data());
  const bool alpha = has_alpha(frame_.format);
  const auto* stored = reinterpret_cast<const uint8_t*>(frame_.planes[0].data) + y * frame_.planes[0].stride_bytes;
  const auto channels = static_cast<size_t>(channels_);
  for (size_t x = 0; x < static_cast<size_t>(width); ++x, row += channels) {
    row[0] = rgb[3 * x];
    row[1] = rgb[3 * x + 1];
    if (channels_ == 2) continue;
    row[2] = rgb[3 * x + 2];
    row[3] = alpha ? stored[4 * x + 3] : 255;
  }
}

}  // namespace texcast::ref
