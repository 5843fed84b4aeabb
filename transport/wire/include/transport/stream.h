// stream.h — what the transport knows of a video stream. It knows no pixels: a frame is bytes with a FourCC, a size and
// times. docs/wire.md has every bit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "texcast/frame_times.h"

namespace texcast::transport {

using FourCC = std::array<char, 4>;
inline constexpr FourCC kFourCcDxt1{'D', 'X', 'T', '1'};
inline constexpr FourCC kFourCcDxt5{'D', 'X', 'T', '5'};  // scaled YCoCg always

// [begin, end) of a frame.
struct ByteRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool operator==(const ByteRange&) const = default;
};

// Constant while a stream runs; a change starts a new one at the receiver.
struct StreamDesc {
  FourCC fourcc{};
  // True size in pixels. UltraGrid's header carries it rounded up to a multiple of 4.
  int width = 0;
  int height = 0;
  double fps = 0;
  uint8_t interlacing = 0;  // as the sender says: 0 progressive, 1 upper field first, 2 lower, 3 merged, 4 segmented
  // Carried in texcast's own header extension; a stream without one has the defaults.
  bool has_extension = false;
  uint8_t texture_format = 0;                                  // TextureFormat's value; 0 = as the FourCC says
  uint8_t matrix = 1, range = 1, primaries = 2, transfer = 2;  // ColorSpec's values
  uint16_t pixel_aspect = 0;                                   // width of a pixel : its height, in 1/1024; 0: square
  // 0: frames are bytes, of a texture as it lies in memory. From 1: the version of the coder of a compact stream, whose
  // frames are payloads; such a stream has no FourCC, but a texture format.
  uint8_t coding = 0;
  uint32_t coder = 0;  // the coder's own word on the stream
  bool compact() const { return coding != 0; }
  bool operator==(const StreamDesc&) const = default;
};

// Why a datagram counts as refused.
enum class Refusal : uint8_t {
  none,
  no_key,           // it is encrypted, and this receiver has no key
  wrong_key,        // it was not made under this receiver's key, or is damaged
  replayed,         // it came before
  in_the_clear,     // it is not encrypted, and this receiver has a key
  other_cipher,     // it may be under this receiver's key, but not in the cipher that was chosen
  old_sealing,      // sealed as texcast did it before sessions had a time
  too_old,          // a session that began unheard, and was sealed longer ago than may be
  from_the_future,  // and was sealed later than now, by more than may be
};

// With what there is to say about it.
struct Refused {
  Refused() = default;
  Refused(Refusal reason) : why(reason) {}  // NOLINT: a reason alone is one
  Refusal why = Refusal::none;
  int64_t seconds = 0;        // too_old, from_the_future: by how much the clocks differ, or how long ago it was
  std::string_view cipher{};  // other_cipher: what `--crypto` calls it; empty: there is no such cipher
};

}  // namespace texcast::transport
