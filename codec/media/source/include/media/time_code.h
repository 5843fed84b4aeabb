// time_code.h — a moment of the sender's clock in the picture itself, as a strip of black and white cells along its
// upper edge, and the way to read it back from what is shown: how old a picture is that somebody sees.
//
//      |0 |1 |2 |…|7 |8 |…|47|48|…|63|     64 cells of `cell` x `height` texels from the upper left corner on
//      |  known   | the time |  check |     white 1, black 0
//
// Cells begin on multiples of 4 texels, so no block has two of them, and differ in luma alone: every format keeps them.
// The check (CRC-16) tells pictures that are a blend or a tear of two, and pictures that have no code.
//
// Thread-safe: functions only.
#pragma once

#include <cstdint>
#include <optional>

#include "texcast/frame.h"
#include "texcast/frame_pool.h"
#include "texcast/frame_times.h"
#include "texcast/image.h"

namespace texcast::media {

inline constexpr int kTimeCodeCells = 64;

struct TimeCodeStrip {
  int cell = 0;    // texels across; 0: the picture is too small for a code
  int height = 0;  // texels
};
// Pictures from 256 x 16 on have one.
TimeCodeStrip time_code_strip(int width, int height);

// Into a frame of yuv420p that is too small for none (else misuse). Milliseconds are kept, modulo 2^40 of them (34
// years).
void draw_time_code(const FrameLease& frame, WallTime time);

// Where a picture is in an image: pixels from its upper left corner, which may lie between two.
struct PicturePlace {
  double x = 0, y = 0;
  double width = 0, height = 0;
};
// Milliseconds since 1970 modulo 2^40, of a picture of that size in texels, shown there; nothing where there is no code
// beyond doubt. The image has one sample a channel of 8 bits (else nothing).
std::optional<int64_t> read_time_code(const DecodedImage& image, int picture_width, int picture_height,
                                      const PicturePlace& place);
// Of a picture in its original size that fills the image.
std::optional<int64_t> read_time_code(const DecodedImage& image);
// Where in a larger image, a screen, a picture of that size is shown a texel a pixel: by its code, to half a pixel.
// Nothing where there is none. Looks through all of the image.
std::optional<PicturePlace> find_time_code(const DecodedImage& image, int picture_width, int picture_height);

// What read_time_code() gives of a picture into which draw_time_code() drew that time.
int64_t code_of(WallTime time);

// How long before `now` the moment was that a code tells; negative where it is ahead. Codes wrap, so within 17 years.
nanoseconds age_of(int64_t code_ms, WallTime now);

}  // namespace texcast::media
