// audio_packet.h — packets of sound taken apart and put together: UltraGrid's audio header, texcast's header extension,
// and texcast's parity. Pure functions over bytes; docs/wire.md has every bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "texcast/frame_times.h"

namespace texcast::transport {

// Sound goes to the port of the stream and 2, RTCP of it to that and 1.
inline constexpr uint16_t kAudioPortOffset = 2;
// UltraGrid's payload types on that port.
inline constexpr uint8_t kAudioPayloadType = 21, kEncryptedAudioPayloadType = 25;
inline constexpr size_t kAudioHeaderBytes = 20;
inline constexpr size_t kAudioExtensionBytes = 28;  // its four-byte RFC 3550 preamble included
inline constexpr uint8_t kAudioExtensionVersion = 1;
inline constexpr int kAudioRtpClock = 90'000;  // of the RTP time stamps, as UltraGrid has it

// How samples are coded. On the wire the tag of UltraGrid's header says it.
enum class AudioCoding : uint8_t { pcm, opus };
uint32_t audio_tag(AudioCoding coding);
std::optional<AudioCoding> coding_of_tag(uint32_t tag);  // nothing for what texcast does not decode

// UltraGrid's audio header: five big-endian words.
struct AudioHeader {
  uint16_t channel = 0;    // 10 bits
  uint32_t buffer_id = 0;  // 22 bits: the same in all packets of one moment
  uint32_t offset = 0;     // of this payload in the channel's bytes of the buffer
  uint32_t length = 0;     // of those, bytes
  uint8_t bits = 0;        // a sample, 6 bits
  uint32_t rate = 0;       // samples a second, 26 bits
  uint32_t tag = 0;        // of the coding
};

// The body of texcast's extension in packets of sound, version 1.
struct AudioExtension {
  uint8_t channels = 0;   // of the stream
  uint16_t samples = 0;   // of each channel in the buffer
  WallTime captured{};    // when the first of them was heard, or is to be, on the sender's clock; zero: not known
  uint32_t position = 0;  // the first one's number; wraps
  uint8_t parity_ms = 0;  // parity for this packet leaves within so many ms; 0: none
};

// Parity over the datagrams of a few buffers, type 16 of texcast's own datagrams.
struct AudioParityPacket {
  uint32_t ssrc = 0;
  uint16_t first_sequence = 0;  // of the group
  uint8_t data = 0;             // packets of the group: k, at least 1
  uint8_t parity = 0;           // and of its parity: m, at least 1
  uint8_t number = 0;           // which of those, 0 to m - 1
  Bytes symbol{};               // at least 2 bytes; points into the datagram
};
inline constexpr size_t kAudioParityHeaderBytes = 16;
inline constexpr size_t kMaxAudioGroup = 64;  // k + m

// Nothing for fewer than 20 bytes. Does not judge the values.
std::optional<AudioHeader> parse_audio_header(Bytes payload);
// `body`: behind the preamble. Nothing for another version or a short body; longer ones are fine.
std::optional<AudioExtension> parse_audio_extension(Bytes body);
// `body`: behind 'T', 'C', version, type. Nothing for what contradicts itself.
std::optional<AudioParityPacket> parse_audio_parity(Bytes body);

// How many samples at 48 kHz a packet of Opus has (RFC 6716, 3.1); 0 where it cannot be one.
uint32_t opus_samples(Bytes packet);

// To the front of `out`, which is large enough (misuse otherwise); give the bytes written.
size_t write_audio_header(MutableBytes out, const AudioHeader& header);
size_t write_audio_extension(MutableBytes out, const AudioExtension& extension);      // preamble included
size_t write_audio_parity_header(MutableBytes out, const AudioParityPacket& packet);  // 'T' 'C' included, no symbol

}  // namespace texcast::transport
