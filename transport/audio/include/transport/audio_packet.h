// audio_packet.h — parses and writes audio packets: UltraGrid's audio header, texcast's header extension, and texcast's
// parity. Functions over bytes only; docs/wire.md specifies every bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/stream_ports.h"

namespace texcast::transport {

// UltraGrid's payload types on the port of the sound (kAudioPortOffset).
inline constexpr uint8_t kAudioPayloadType = 21, kEncryptedAudioPayloadType = 25;
inline constexpr size_t kAudioHeaderBytes = 20;
inline constexpr size_t kAudioExtensionBytes = 28;  // including the four-byte preamble of RFC 3550
inline constexpr uint8_t kAudioExtensionVersion = 1;
inline constexpr int kAudioRtpClock = 90'000;  // of the RTP time stamps, as in UltraGrid

// The coding of the samples, identified by the tag in UltraGrid's header.
enum class AudioCoding : uint8_t { pcm, opus };
uint32_t audio_tag(AudioCoding coding);
std::optional<AudioCoding> coding_of_tag(uint32_t tag);  // nothing for a coding that texcast does not decode

// UltraGrid's audio header: five big-endian words.
struct AudioHeader {
  uint16_t channel = 0;    // 10 bits
  uint32_t buffer_id = 0;  // 22 bits: the same in all packets of one buffer
  uint32_t offset = 0;     // of this payload within the channel's bytes of the buffer
  uint32_t length = 0;     // size of those bytes
  uint8_t bits = 0;        // per sample, 6 bits
  uint32_t rate = 0;       // samples per second, 26 bits
  uint32_t tag = 0;        // identifies the coding
};

// The body of texcast's extension in audio packets, version 1.
struct AudioExtension {
  uint8_t channels = 0;   // of the stream
  uint16_t samples = 0;   // of each channel in the buffer
  WallTime captured{};    // when the first sample was heard, or is to be heard, on the sender's clock; zero: unknown
  uint32_t position = 0;  // number of the first sample; wraps
  uint8_t parity_ms = 0;  // parity for this packet follows within this many ms; 0: none
};

// Parity over the datagrams of a few buffers: type 16 of texcast's own datagrams.
struct AudioParityPacket {
  uint32_t ssrc = 0;
  uint16_t first_sequence = 0;  // of the group
  uint8_t data = 0;             // k, the data packets of the group, at least 1
  uint8_t parity = 0;           // m, its parity packets, at least 1
  uint8_t number = 0;           // of this parity packet, 0 to m - 1
  Bytes symbol{};               // at least 2 bytes; points into the datagram
};
inline constexpr size_t kAudioParityHeaderBytes = 16;
inline constexpr size_t kMaxAudioGroup = 64;  // k + m

// Nothing below 20 bytes. Values are not checked.
std::optional<AudioHeader> parse_audio_header(Bytes payload);
// `body` follows the preamble. Nothing for another version or a short body; longer ones are accepted.
std::optional<AudioExtension> parse_audio_extension(Bytes body);
// `body` follows 'T', 'C', version, type. Nothing if it contradicts itself.
std::optional<AudioParityPacket> parse_audio_parity(Bytes body);

// Number of samples at 48 kHz in an Opus packet (RFC 6716, 3.1); 0 if it is invalid.
uint32_t opus_samples(Bytes packet);

// Write to the beginning of `out`, which must be large enough (misuse otherwise), and return the bytes written.
size_t write_audio_header(MutableBytes out, const AudioHeader& header);
size_t write_audio_extension(MutableBytes out, const AudioExtension& extension);  // including the preamble
// 'T' 'C' included, without symbol.
size_t write_audio_parity_header(MutableBytes out, const AudioParityPacket& packet);

}  // namespace texcast::transport
