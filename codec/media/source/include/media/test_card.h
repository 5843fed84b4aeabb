// test_card.h — a moving test picture with its frame number burnt in, and a reader of that number, so that a test can
// prove which frame is displayed.
//
// Example:
//     TestCard card(1920, 1080);
//     encoder->submit(card.draw(42, 700ms), times);  // … read_frame_number() of what comes out is 42
//
// Colour bars with a box that flashes white once a second, a gray ramp with a bar moving over it, a scrolling band of
// colours, a zone plate and fine checks. The number is up to 8 white seven-segment digits on black, the time of the
// frame below it as HH:MM:SS.mmm. Small pictures have room for fewer digits (three at 16 texels across: the number
// modulo 1000) and none for the time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "texcast/frame.h"
#include "texcast/frame_pool.h"
#include "texcast/frame_times.h"
#include "texcast/image.h"

namespace texcast::media {

inline constexpr int kMinTestCardSize = 16;  // pixels per side

// Not thread-safe. Draws only what moves: about 0.1 ms per frame at 1920x1080.
class TestCard {
 public:
  TestCard(int width, int height);  // kMinTestCardSize..kMaxFrameSize each (else misuse)
  ~TestCard();
  const FrameFormat& format() const;  // yuv420p, BT.709, limited range
  // Draws into the card's own planes, which the next call overwrites. `number` is shown as far as its digits fit, `pts`
  // as HH:MM:SS.mmm.
  FrameView draw(uint32_t number, nanoseconds pts);
  // The same into a frame of a pool for format(). `is_new`: the frame does not hold an older picture of this card, so
  // everything is drawn.
  void draw_into(const FrameLease& frame, bool is_new, uint32_t number, nanoseconds pts);

 private:
  class Picture;
  std::unique_ptr<Picture> picture_;
};

// The number on a picture of the card in its original size, also after BC1 or YCoCg-BC4. Nothing if the digits cannot
// be read reliably. Thread-safe.
std::optional<uint32_t> read_frame_number(const DecodedImage& image);

// Whether the picture, in its original size and after any format, is one that flashes: the first of each second, when
// open_test_sound() clicks. Thread-safe.
bool shows_flash(const DecodedImage& image);

}  // namespace texcast::media
