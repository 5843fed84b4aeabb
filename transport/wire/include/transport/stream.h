// stream.h — what the transport knows of a video stream, and the counters it keeps. It knows no pixels: a frame is
// bytes with a FourCC, a size and times. docs/wire.md has every bit.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/frame_times.h"

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
  bool operator==(const StreamDesc&) const = default;
};

// One cause, one counter.
struct ReceiveCounters {
  uint64_t packets = 0;    // taken into a frame
  uint64_t bytes = 0;      // payload of those
  uint64_t lost = 0;       // gaps in sequence numbers, counted when the frame they lie in is given out; goes down
                           // by one where a late packet fills one after all
  uint64_t reordered = 0;  // taken, but came after a later one
  uint64_t duplicate = 0;  // the same bytes again
  uint64_t late = 0;       // for a frame that was already given out
  uint64_t malformed = 0;  // no RTP, or a header that contradicts itself, its frame or the stream
  uint64_t foreign = 0;    // another payload type, another sender, or a tile of an arrangement that we do not show
  uint64_t surplus = 0;    // parity, and data that parity had given back already, of frames that were whole without it
  uint64_t refused = 0;    // encrypted where we have no key, by another key or damaged, replayed, or in the clear where
                           // we have a key
  uint64_t recovered_parity = 0;          // lost packets that parity gave back (of UltraGrid's FEC, whose symbols are
                                          // no packets: the bytes given back, in packets of the frame's size)
  uint64_t requested = 0;                 // packets asked for again, each as often as it was
  uint64_t recovered_retransmission = 0;  // lost packets that came when they were asked for again
  uint64_t frames_complete = 0;
  uint64_t frames_concealed = 0;  // given out with holes filled from the frame before
  uint64_t frames_recovered = 0;  // of the complete ones: those that parity was needed for
  uint64_t frames_lost = 0;    // gaps in frame numbers: nothing of them arrived (or one packet that hung in the air),
                               // or nothing that could be shown
  uint64_t frames_unread = 0;  // finished, but pushed out by newer ones before poll() was called
  uint64_t concealed_bytes = 0;
  uint64_t streams = 0;         // how often a new stream began
  uint64_t socket_dropped = 0;  // by the kernel, for want of buffer (SO_RXQ_OVFL)
};

// Why a datagram counts as refused.
enum class Refusal : uint8_t {
  none,
  no_key,        // it is encrypted, and this receiver has no key
  wrong_key,     // it was not made under this receiver's key, or is damaged
  replayed,      // it came before
  in_the_clear,  // it is not encrypted, and this receiver has a key
};

struct SendCounters {
  uint64_t frames = 0;
  uint64_t packets = 0;
  uint64_t bytes = 0;    // datagram payloads
  uint64_t refused = 0;  // packets the socket would not take (nobody listens, no route)
};

}  // namespace texcast::transport
