// packet.h — parses and writes RTP datagrams: the RTP header, texcast's header extension, and UltraGrid's video, FEC
// and crypto headers. Functions over bytes only; docs/wire.md specifies every bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/stream.h"

namespace texcast::transport {

// UltraGrid's fixed payload types (there is no negotiation) determine which headers follow the RTP header:
//   20 video            22, 27 FEC            24 video, crypto            29, 30 FEC, crypto
enum class PayloadType : uint8_t {
  video = 20,
  video_ldgm = 22,
  video_encrypted = 24,
  video_reed_solomon = 27,
  video_encrypted_ldgm = 29,
  video_encrypted_reed_solomon = 30,
};

// IP and UDP headers of a datagram.
constexpr int ip_udp_header_bytes(bool ipv6) { return (ipv6 ? 40 : 20) + 8; }
inline constexpr size_t kRtpHeaderBytes = 12;
inline constexpr size_t kVideoHeaderBytes = 24;
inline constexpr size_t kFecHeaderBytes = 20;
inline constexpr size_t kCryptoHeaderBytes = 4;
inline constexpr size_t kExtensionBytes = 32;      // texcast's, including the four-byte preamble of RFC 3550
inline constexpr size_t kLongExtensionBytes = 40;  // if packets are symbols
inline constexpr uint16_t kExtensionId = 0x5443;   // "TC"
inline constexpr uint8_t kExtensionVersion = 1;
inline constexpr int kBufferIdBits = 22;
inline constexpr uint32_t kBufferIdMask = (1u << kBufferIdBits) - 1;

// A parsed RTP datagram, into which the spans point.
struct RtpPacket {
  uint8_t payload_type = 0;  // a PayloadType if it is known
  bool marker = false;
  uint16_t sequence = 0;
  uint32_t timestamp = 0;  // 90 kHz
  uint32_t ssrc = 0;
  std::optional<uint16_t> extension_id{};
  Bytes extension{};  // without its four-byte preamble
  Bytes payload{};    // without CSRCs, extension and padding
};

// UltraGrid's video header: six big-endian words.
struct VideoHeader {
  uint16_t substream = 0;  // tile, 10 bits
  uint32_t buffer_id = 0;  // frame number, 22 bits
  uint32_t offset = 0;     // of this payload within the frame, bytes
  uint32_t length = 0;     // of the frame, bytes
  uint16_t width = 0;      // pixels, as on the wire (texcast's own streams: a multiple of 4)
  uint16_t height = 0;
  FourCC fourcc{};
  uint8_t interlacing = 0;  // 0 progressive; 3 bits
  double fps = 0;
};

// How the parity of an FEC block is computed.
enum class FecScheme : uint8_t { none, reed_solomon, ldgm };

// UltraGrid's FEC header: five big-endian words, in place of the video header, which is inside the block
// (transport/ultragrid_fec_block.h).
struct FecHeader {
  uint16_t substream = 0;     // tile, 10 bits
  uint32_t buffer_id = 0;     // frame number, 22 bits
  uint32_t offset = 0;        // of this payload within the block, bytes
  uint32_t block_length = 0;  // data and parity symbols, bytes
  uint16_t k = 0;             // data symbols, 13 bits
  uint16_t m = 0;             // parity symbols, 13 bits
  uint8_t c = 0;              // LDGM: ones in a column, 6 bits; Reed-Solomon: 0
  uint32_t seed = 0;          // LDGM: seed of its matrix; Reed-Solomon: 0
  uint32_t symbol_bytes() const { return k + m > 0 ? block_length / (uint32_t{k} + m) : 0; }
};

// UltraGrid's crypto header: one word after the media header, whose lower 24 bits are zero.
struct CryptoHeader {
  uint8_t mode = 0;  // 1 CTR, 2 CFB, 3 ECB, 4 CBC, 5 GCM
};

// The body of texcast's extension, version 1.
struct StreamExtension {
  uint8_t texture_format = 0;
  uint8_t matrix = 1, range = 1, primaries = 2, transfer = 2;
  uint16_t pixel_aspect = 0;  // width of a pixel : its height, in 1/1024; 0: square
  uint16_t width = 0;         // true size, pixels
  uint16_t height = 0;
  // The sender's clock; zero: unknown. On the wire `encoded` and `sent` are microseconds since the preceding time (at
  // most 2^32-2), so they are rounded down to microseconds.
  WallTime available{}, encoded{}, sent{};
  // The frame's packets as symbols of an erasure code (symbol_layout.h); all 0: they are no symbols.
  uint16_t symbol_bytes = 0;
  uint16_t groups = 0;
  uint8_t parity = 0;             // parity packets of each group
  bool answers_requests = false;  // the sender answers NACKs
  bool has_symbols() const { return symbol_bytes != 0; }
};

// texcast's own datagrams, which are not RTP: 'T' 'C' (RTP version bits 01, so every RTP receiver drops them), version
// 1, type, body.
struct OwnDatagram {
  uint8_t type = 0;
  Bytes body{};  // what follows the type
};
inline constexpr size_t kOwnHeaderBytes = 4;
inline constexpr uint8_t kOwnVersion = 1;

// Nothing if it does not begin like this. Another version is returned as type 0.
std::optional<OwnDatagram> parse_own_datagram(Bytes datagram);
// Nothing if it is not RTP (version 2) or is shorter than its own fields claim.
std::optional<RtpPacket> parse_rtp(Bytes datagram);
// Nothing below 24 bytes. Values are not checked.
std::optional<VideoHeader> parse_video_header(Bytes payload);
// Nothing below 20 (4) bytes. Values are not checked.
std::optional<FecHeader> parse_fec_header(Bytes payload);
std::optional<CryptoHeader> parse_crypto_header(Bytes payload);
// True if a block of this shape is possible: whole symbols with room for a frame, and a matrix that can be constructed.
//   Reed-Solomon: k, m >= 1, k + m <= 255.   LDGM: k >= 2, m >= 1, 1 <= c <= m (senders use 64..8191 and c 2..63);
//   its seed 1..2^31-2.
// The caller must bound the block's length.
bool is_plausible(FecScheme scheme, const FecHeader& header);

// The meaning of a payload type; other types are neither video nor FEC.
bool is_video(uint8_t payload_type);  // any PayloadType
FecScheme fec_scheme(uint8_t payload_type);
PayloadType payload_type_of(FecScheme scheme, bool encrypted);
inline bool is_fec(uint8_t payload_type) { return fec_scheme(payload_type) != FecScheme::none; }
bool is_encrypted(uint8_t payload_type);

// Nothing for another version or a short body. Longer ones are accepted: later revisions of version 1 may add fields.
std::optional<StreamExtension> parse_stream_extension(Bytes body);

// Write to the beginning of `out`, which must be large enough (misuse otherwise), and return the bytes written. The
// RTP header is written without extension and payload.
size_t write_rtp_header(MutableBytes out, const RtpPacket& header, bool with_extension);
size_t write_video_header(MutableBytes out, const VideoHeader& header);
size_t write_fec_header(MutableBytes out, const FecHeader& header);
size_t write_crypto_header(MutableBytes out, const CryptoHeader& header);
// Including the preamble; the long form if it has symbols.
size_t write_stream_extension(MutableBytes out, const StreamExtension& extension);

// The sixth word of the video header without its interlacing bits. Rates that UltraGrid's encoder can write are written
// in the same way; others as a fraction with a divisor up to 15, which its decoder reads.
uint32_t encode_fps(double fps);
double decode_fps(uint32_t word);

}  // namespace texcast::transport
