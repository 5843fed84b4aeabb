// stream.h — the transport's description of a video stream. It knows no pixels: a frame is bytes with a FourCC, a size
// and times. docs/wire.md specifies every bit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "texcast/frame_times.h"

namespace texcast::transport {

using FourCC = std::array<char, 4>;
inline constexpr FourCC kFourCcDxt1{'D', 'X', 'T', '1'};
inline constexpr FourCC kFourCcDxt5{'D', 'X', 'T', '5'};  // always scaled YCoCg

// Bytes [begin, end) of a frame.
struct ByteRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool operator==(const ByteRange&) const = default;
};

// Constant during a stream; a change begins a new stream at the receiver.
struct StreamDesc {
  FourCC fourcc{};
  // True size in pixels. UltraGrid's header carries it rounded up to a multiple of 4.
  int width = 0;
  int height = 0;
  double fps = 0;
  uint8_t interlacing = 0;  // as sent: 0 progressive, 1 upper field first, 2 lower, 3 merged, 4 segmented
  // From texcast's header extension; defaults without it.
  bool has_extension = false;
  uint8_t texture_format = 0;                                  // a TextureFormat; 0: according to the FourCC
  uint8_t matrix = 1, range = 1, primaries = 2, transfer = 2;  // values of ColorSpec
  uint16_t pixel_aspect = 0;                                   // width of a pixel : its height, in 1/1024; 0: square
  // 0: frames are the bytes of a texture in memory (raw stream). From 1: the version of a coded stream's coding. Its
  // frames are payloads, and it has no FourCC but a texture format.
  uint8_t coding = 0;
  uint32_t coder = 0;  // parameters of the coding, opaque here
  bool compact() const { return coding != 0; }
  bool operator==(const StreamDesc&) const = default;
};

// Why a datagram was refused.
enum class Refusal : uint8_t {
  none,
  no_key,           // it is encrypted, and this receiver has no key
  wrong_key,        // it was encrypted with another key, or is damaged
  replayed,         // it has arrived before
  in_the_clear,     // it is not encrypted, and this receiver has a key
  other_cipher,     // it may be encrypted with this receiver's key, but not with the chosen cipher
  old_sealing,      // sealed by a texcast whose sessions carried no time
  too_old,          // its session is new here, and older than allowed
  from_the_future,  // its session is new here, and its time is ahead of ours by more than allowed
};

// A refusal with details.
struct Refused {
  Refused() = default;
  Refused(Refusal reason) : why(reason) {}  // NOLINT: converts from a reason without details
  Refusal why = Refusal::none;
  int64_t seconds = 0;        // too_old, from_the_future: the difference of the clocks, or the session's age
  std::string_view cipher{};  // other_cipher: its name for `--crypto`; empty: it has none
};

}  // namespace texcast::transport
