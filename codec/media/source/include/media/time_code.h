// time_code.h — writes a time of the sender's clock into the picture itself, as a strip of black and white cells along
// its upper edge, and reads it back from what is displayed, which tells how old the displayed picture is.
//
//      |0 |1 |2 |…|7 |8 |…|47|48|…|63|     64 cells of `cell` x `height` texels from the upper left corner on
//      |  known   | the time |  check |     white 1, black 0
//
// Cells begin on multiples of 4 texels, so no block contains two of them, and differ in luma only: every format keeps
// them. The check (CRC-16) detects pictures that are a blend or a tear of two, and pictures without a code.
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

// Draws into a frame of yuv420p that is large enough (else misuse). Milliseconds are stored, modulo 2^40 (34 years).
void draw_time_code(const FrameLease& frame, WallTime time);

// The position of a picture in an image: pixels from its upper left corner, which may be fractional.
struct PicturePlace {
  double x = 0, y = 0;
  double width = 0, height = 0;
};
// Milliseconds since 1970 modulo 2^40, from a picture of that size in texels that is displayed there; nothing if the
// code cannot be read reliably. The image has one sample per channel of 8 bits (else nothing).
std::optional<int64_t> read_time_code(const DecodedImage& image, int picture_width, int picture_height,
                                      const PicturePlace& place);
// For a picture in its original size that fills the image.
std::optional<int64_t> read_time_code(const DecodedImage& image);
// Finds a picture of that size that is displayed in a larger image (a screen) at one pixel per texel, by its code, to
// half a pixel. Nothing if there is none. Searches the whole image.
std::optional<PicturePlace> find_time_code(const DecodedImage& image, int picture_width, int picture_height);

// The result of read_time_code() for a picture into which draw_time_code() drew that time.
int64_t code_of(WallTime time);

// How long before `now` the time of a code was; negative if it is in the future. Codes wrap, so the result is within 17
// years.
nanoseconds age_of(int64_t code_ms, WallTime now);

}  // namespace texcast::media
