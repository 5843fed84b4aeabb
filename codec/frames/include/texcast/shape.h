// shape.h — how the samples of a picture are meant to be seen: the shape of a pixel, and which way up.
//
// Thread-safe: values and functions only. "Misuse" here and in all headers: Error{misuse} (error.h) is thrown, nothing
// has happened, and objects live on.
#pragma once

#include <cstdint>
#include <optional>

#include "texcast/export.h"

namespace texcast {

inline constexpr int kMaxFrameSize = 16384;  // either side; keeps every byte count of a frame inside 31 bits

// Width of a pixel : its height, as "sample aspect ratio" in video: 16:11 of widescreen PAL, 1:1 of nearly all else.
// In lowest terms, and between 1:16 and 16:1.
struct PixelAspect {
  int num = 1;
  int den = 1;
  bool is_square() const { return num == den; }
  PixelAspect turned() const { return {den, num}; }  // of the picture turned by 90 degrees
  bool operator==(const PixelAspect&) const = default;
};
inline constexpr int kMaxPixelAspect = 16;

// Terms too large to be meant (beyond 65535) are rounded. Nothing for a ratio that is none, or is out of range.
TEXCAST_API std::optional<PixelAspect> pixel_aspect(int64_t num, int64_t den);
// The fraction of the smallest terms within `tolerance` (above 0, else misuse) of `value`; nothing where `value` is out
// of range.
TEXCAST_API std::optional<PixelAspect> simplest_aspect(double value, double tolerance);

// How a picture is turned to be seen, in the numbers of EXIF: mirrored left to right where that is said, then turned
// clockwise.
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
// Whether width and height change places.
constexpr bool swaps_sides(Orientation o) { return static_cast<int>(o) >= 5; }
// 0, 90, 180, 270 degrees clockwise (else misuse).
TEXCAST_API Orientation orientation_turned(int degrees);

// Where a point of the stored picture is seen, from its centre, x to the right and y down:
// seen x = xx * x + xy * y, seen y = yx * x + yy * y. The way back is the transposed matrix.
struct Turn {
  int xx = 1, xy = 0;
  int yx = 0, yy = 1;
  bool operator==(const Turn&) const = default;
};
TEXCAST_API Turn turn_of(Orientation orientation);
// That of the nearest multiple of 90 degrees, with the signs of the four factors as they are; nothing for a matrix that
// turns nothing into anything (all zero).
TEXCAST_API std::optional<Orientation> nearest_orientation(double xx, double xy, double yx, double yy);

// Of the stored pixels, where the whole picture is to be seen `shape` wide : high. Nothing where that is out of range.
TEXCAST_API std::optional<PixelAspect> aspect_for_shape(PixelAspect shape, int width, int height,
                                                        Orientation orientation);

struct ShownSize {
  int width = 0;
  int height = 0;
  bool operator==(const ShownSize&) const = default;
};
// In square pixels and turned: the side that non-square pixels stretch grows, so that nothing is lost; both are at most
// `most`. `aspect` is of the stored picture. Misuse: sides, terms or `most` below 1.
TEXCAST_API ShownSize shown_size(int width, int height, PixelAspect aspect,
                                 Orientation orientation = Orientation::upright, int most = kMaxFrameSize);

}  // namespace texcast
