// shape.h — pixel aspect ratio and orientation of a picture.
//
// Thread-safe: values and functions only. "Misuse" here and in all headers means: Error{misuse} (error.h) is thrown,
// the call has no effect, and objects stay usable.
#pragma once

#include <cstdint>
#include <optional>

#include "texcast/export.h"

namespace texcast {

inline constexpr int kMaxFrameSize = 16384;  // either side; keeps every byte count of a frame below 2^31

// Width of a pixel : its height, "sample aspect ratio" in video: 16:11 for widescreen PAL, 1:1 for nearly everything
// else. In lowest terms, and between 1:16 and 16:1.
struct PixelAspect {
  int num = 1;
  int den = 1;
  bool is_square() const { return num == den; }
  PixelAspect turned() const { return {den, num}; }  // of the picture rotated by 90 degrees
  bool operator==(const PixelAspect&) const = default;
};
inline constexpr int kMaxPixelAspect = 16;

// Implausibly large terms (beyond 65535) are rounded. Nothing if the ratio is invalid or out of range.
TEXCAST_API std::optional<PixelAspect> pixel_aspect(int64_t num, int64_t den);
// The fraction with the smallest terms within `tolerance` (above 0, else misuse) of `value`; nothing if `value` is out
// of range.
TEXCAST_API std::optional<PixelAspect> simplest_aspect(double value, double tolerance);

// How a stored picture must be transformed for display, in EXIF's numbers: mirrored left to right if the name says so,
// then rotated clockwise.
enum class Orientation : uint8_t {
  upright = 1,
  mirrored = 2,
  turned_180 = 3,
  upside_down_mirrored = 4,  // top to bottom
  mirrored_turned_270 = 5,   // rows become columns
  turned_90 = 6,
  mirrored_turned_90 = 7,
  turned_270 = 8,
};
// Whether width and height are exchanged.
constexpr bool swaps_sides(Orientation o) { return static_cast<int>(o) >= 5; }
// 0, 90, 180, 270 degrees clockwise (else misuse).
TEXCAST_API Orientation orientation_turned(int degrees);

// Maps a point of the stored picture to its displayed position, both from the centre, x to the right and y down:
// displayed x = xx * x + xy * y, displayed y = yx * x + yy * y. The inverse is the transposed matrix.
struct Turn {
  int xx = 1, xy = 0;
  int yx = 0, yy = 1;
  bool operator==(const Turn&) const = default;
};
TEXCAST_API Turn turn_of(Orientation orientation);
// The orientation of the nearest multiple of 90 degrees; the four factors have the signs of Turn. Nothing for a matrix
// of zeros.
TEXCAST_API std::optional<Orientation> nearest_orientation(double xx, double xy, double yx, double yy);

// The aspect of the stored pixels if the whole picture is to be displayed `shape` wide : high. Nothing if that is out
// of range.
TEXCAST_API std::optional<PixelAspect> aspect_for_shape(PixelAspect shape, int width, int height,
                                                        Orientation orientation);

struct ShownSize {
  int width = 0;
  int height = 0;
  bool operator==(const ShownSize&) const = default;
};
// The displayed size in square pixels, after rotation. The side that non-square pixels stretch grows, so that no detail
// is lost; both are at most `most`. `aspect` is that of the stored picture. Misuse if sides, terms or `most` are below
// 1.
TEXCAST_API ShownSize shown_size(int width, int height, PixelAspect aspect,
                                 Orientation orientation = Orientation::upright, int most = kMaxFrameSize);

}  // namespace texcast
