// frame.h — uncompressed frames, as decoders and captures deliver them.
//
// Pictures are row-major, top row first. Plane p of a frame is `plane_rows(…)` rows of `plane_row_bytes(…)` bytes, each
// row `stride_bytes` after the previous one. 16-bit samples are little-endian.
//
// Thread-safe: values and functions only. All functions throw Error{misuse} (error.h) for a pixel format or a plane
// that does not exist, and for sides out of range.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/shape.h"

namespace texcast {

// The source formats that the kernels read. Names and layouts are FFmpeg's. The kernels use the same values.
enum class PixelFormat : uint8_t {
  yuv420p,    // Y, U, V planes; U and V at half width and half height, rounded up
  nv12,       // Y plane, then interleaved UV at half width and half height
  yuv422p,    // U and V at half width
  yuv444p,    // U and V at full size
  yuyv422,    // packed Y0 U Y1 V
  uyvy422,    // packed U Y0 V Y1
  yuv420p10,  // as yuv420p with 16 bits per sample, of which the low 10 are used
  p010,       // as nv12 with 16 bits per sample, of which the high 10 are used
  rgb24,      // packed R G B
  rgba,       // packed R G B A; A (straight, not premultiplied) is used by textures with alpha
  bgra,       // packed B G R A, the same
  gray,       // one plane of luma; U and V are neutral
  gray16,     // the same with 16 bits per sample (height maps); 8-bit texture formats round to the nearest byte
  rgba_half,  // packed R G B A, half floats: linear light in which 1 is white (scene or display); A is not read. 8-bit
              // texture formats take the values between 0 and 1 in sRGB's curve
};
inline constexpr int kPixelFormatCount = 14;

enum class ColorMatrix : uint8_t { bt601, bt709, bt2020 };  // non-constant luminance
enum class ColorRange : uint8_t { limited, full };          // 16..235 (8 bit) or 0..255

// How sample values represent colour. `matrix` and `range` determine the conversion to RGB. The other two are H.273
// code points that are passed on unchanged (2 = unspecified). RGB formats use only `range`, which is usually full.
struct ColorSpec {
  ColorMatrix matrix = ColorMatrix::bt709;
  ColorRange range = ColorRange::limited;
  uint8_t primaries = 2;
  uint8_t transfer = 2;
  bool operator==(const ColorSpec&) const = default;
};

// Transfer functions of H.273.
inline constexpr uint8_t kLinearTransfer = 8;  // values are proportional to light
inline constexpr uint8_t kSrgbTransfer = 13;

// For RGB frames as programs draw and display them. (Limited range, the default, is that of video.)
inline constexpr ColorSpec kFullRange{.range = ColorRange::full};

struct FrameFormat {
  PixelFormat pixel_format = PixelFormat::rgba;
  int width = 0;        // texels, 1..16384
  int height = 0;       // texels, 1..16384
  ColorSpec color{};    // for RGB formats nearly always kFullRange
  bool opaque = false;  // rgba, bgra: the fourth byte is undefined, alpha is 255
  PixelAspect aspect{};
  bool operator==(const FrameFormat&) const = default;
};

struct PlaneView {
  const std::byte* data = nullptr;
  std::ptrdiff_t stride_bytes = 0;
};

// Borrowed: the creator of the view keeps the memory alive while it is used.
struct FrameView {
  FrameFormat format{};
  std::array<PlaneView, 3> planes{};
  // From a capture that knows which areas were drawn: one byte per tile (tiles.h) of the frame, 0 if all of its bytes
  // are those of the frame that was submitted before. Empty: not known. Encoders that compare frames skip the
  // comparison of such tiles.
  std::span<const uint8_t> changed{};
};

// The layout of a frame in one piece of memory, where texcast chooses it: byte offsets of the planes, bytes between
// rows.
struct FramePlacement {
  std::array<int, 3> offset{};
  std::array<int, 3> stride{};
  // The picture has plane_rows(…) of them; the others may be written, and are not read.
  std::array<int, 3> padded_rows{};
  size_t bytes = 0;  // whole rows of the first plane, up to the last of the picture: the size that a device needs
  size_t padded_bytes = 0;  // size of the memory for a decoder
};
// Planes one after the other, strides that are multiples of 64 bytes (whole cache lines) and in the proportion of the
// planes' widths, and room below each plane: FFmpeg's decoders write whole macroblocks, up to 32 rows, and two rows
// more.
TEXCAST_API FramePlacement place_frame(const FrameFormat& format);

TEXCAST_API bool is_rgb(PixelFormat format);
TEXCAST_API bool has_alpha(const FrameFormat& format);
TEXCAST_API int plane_count(PixelFormat format);  // 1..3
TEXCAST_API int plane_rows(const FrameFormat& format, int plane);
TEXCAST_API int plane_row_bytes(const FrameFormat& format, int plane);
TEXCAST_API std::string_view name(PixelFormat format);
TEXCAST_API std::optional<PixelFormat> pixel_format_from_name(std::string_view name);

}  // namespace texcast
