// packet.h — one RTP datagram taken apart and put together: RTP header, texcast's header extension, UltraGrid's video
// header. Pure functions over bytes; docs/wire.md has every bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/frame_times.h"
#include "transport/stream.h"

namespace texcast::transport {

// UltraGrid's fixed payload types (no negotiation). Only kVideo is understood so far; a receiver counts the rest as
// foreign.
enum class PayloadType : uint8_t {
  video = 20,
  video_ldgm = 22,
  video_encrypted = 24,
  video_reed_solomon = 27,
  video_encrypted_ldgm = 29,
  video_encrypted_reed_solomon = 30,
};

inline constexpr size_t kRtpHeaderBytes = 12;
inline constexpr size_t kVideoHeaderBytes = 24;
inline constexpr size_t kExtensionBytes = 32;     // texcast's, its four-byte RFC 3550 preamble included
inline constexpr uint16_t kExtensionId = 0x5443;  // "TC"
inline constexpr uint8_t kExtensionVersion = 1;
inline constexpr int kBufferIdBits = 22;
inline constexpr uint32_t kBufferIdMask = (1u << kBufferIdBits) - 1;

// A parsed RTP datagram; the spans point into it.
struct RtpPacket {
  uint8_t payload_type = 0;  // PayloadType where it is one that we know
  bool marker = false;
  uint16_t sequence = 0;
  uint32_t timestamp = 0;  // 90 kHz
  uint32_t ssrc = 0;
  std::optional<uint16_t> extension_id{};
  Bytes extension{};  // without its four-byte preamble
  Bytes payload{};    // CSRCs, extension and padding taken off
};

// UltraGrid's video header: six big-endian words.
struct VideoHeader {
  uint16_t substream = 0;  // tile, 10 bits
  uint32_t buffer_id = 0;  // frame number, 22 bits
  uint32_t offset = 0;     // of this payload in the frame, bytes
  uint32_t length = 0;     // of the frame, bytes
  uint16_t width = 0;      // pixels, as on the wire (texcast's own streams: a multiple of 4)
  uint16_t height = 0;
  FourCC fourcc{};
  uint8_t interlacing = 0;  // 0 progressive; 3 bits
  double fps = 0;
};

// The body of texcast's extension, version 1.
struct StreamExtension {
  uint8_t texture_format = 0;
  uint8_t matrix = 1, range = 1, primaries = 2, transfer = 2;
  uint16_t width = 0;  // true size, pixels
  uint16_t height = 0;
  // The sender's clock; zero where it did not know. `encoded` and `sent` travel as microseconds since the one before
  // (at most 2^32-2), so they come back rounded down to microseconds.
  WallTime available{}, encoded{}, sent{};
};

// Nothing for what is no RTP (version 2) or is shorter than its own fields claim.
std::optional<RtpPacket> parse_rtp(Bytes datagram);
// Nothing for fewer than 24 bytes. Does not judge the values.
std::optional<VideoHeader> parse_video_header(Bytes payload);
// Nothing for another version or a short body. Longer ones are fine: later versions of version 1 may add fields.
std::optional<StreamExtension> parse_stream_extension(Bytes body);

// Writers fill the front of `out`, which is large enough (misuse otherwise), and give the bytes written.
size_t write_rtp_header(MutableBytes out, const RtpPacket& header, bool with_extension);  // not its extension, payload
size_t write_video_header(MutableBytes out, const VideoHeader& header);
size_t write_stream_extension(MutableBytes out, const StreamExtension& extension);  // preamble included

// The sixth word of the video header without its interlacing bits. Rates that UltraGrid's encoder can write are written
// as it writes them; others as a fraction with a divisor up to 15, which its decoder reads.
uint32_t encode_fps(double fps);
double decode_fps(uint32_t word);

}  // namespace texcast::transport
