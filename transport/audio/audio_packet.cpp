#include "transport/audio_packet.h"

#include "transport/own_packet.h"
#include "transport/packet.h"

namespace texcast::transport {
namespace {

constexpr uint32_t kPcmTag = 0x0001, kOpusTag = 0x7375704F;  // "Opus", UltraGrid's tag
constexpr int kBitsShift = 26;
constexpr uint32_t kRateMask = (1u << kBitsShift) - 1;

}  // namespace

uint32_t audio_tag(AudioCoding coding) { return coding == AudioCoding::opus ? kOpusTag : kPcmTag; }

std::optional<AudioCoding> coding_of_tag(uint32_t tag) {
  if (tag == kPcmTag) return AudioCoding::pcm;
  if (tag == kOpusTag) return AudioCoding::opus;
  return std::nullopt;
}

std::optional<AudioHeader> parse_audio_header(Bytes payload) {
  if (payload.size() < kAudioHeaderBytes) return std::nullopt;
  const uint32_t first = load_be32(payload, 0), fourth = load_be32(payload, 12);
  return AudioHeader{.channel = static_cast<uint16_t>(first >> kBufferIdBits),
                     .buffer_id = first & kBufferIdMask,
                     .offset = load_be32(payload, 4),
                     .length = load_be32(payload, 8),
                     .bits = static_cast<uint8_t>(fourth >> kBitsShift),
                     .rate = fourth & kRateMask,
                     .tag = load_be32(payload, 16)};
}

size_t write_audio_header(MutableBytes out, const AudioHeader& header) {
  store_be32(out, 0, uint32_t{header.channel} << kBufferIdBits | (header.buffer_id & kBufferIdMask));
  store_be32(out, 4, header.offset);
  store_be32(out, 8, header.length);
  store_be32(out, 12, uint32_t{header.bits} << kBitsShift | (header.rate & kRateMask));
  store_be32(out, 16, header.tag);
  return kAudioHeaderBytes;
}

std::optional<AudioExtension> parse_audio_extension(Bytes body) {
  if (body.size() < kAudioExtensionBytes - 4 || load_u8(body, 0) != kAudioExtensionVersion) return std::nullopt;
  return AudioExtension{.channels = load_u8(body, 1),
                        .samples = load_be16(body, 2),
                        .captured = WallTime(nanoseconds(static_cast<int64_t>(load_be64(body, 4)))),
                        .position = load_be32(body, 12),
                        .parity_ms = load_u8(body, 16)};
}

size_t write_audio_extension(MutableBytes out, const AudioExtension& extension) {
  store_be16(out, 0, kExtensionId);
  store_be16(out, 2, (kAudioExtensionBytes - 4) / 4);
  store_be<1>(out, 4, kAudioExtensionVersion);
  store_be<1>(out, 5, extension.channels);
  store_be16(out, 6, extension.samples);
  store_be64(out, 8, static_cast<uint64_t>(extension.captured.time_since_epoch().count()));
  store_be32(out, 16, extension.position);
  store_be32(out, 20, uint32_t{extension.parity_ms} << 24);
  store_be32(out, 24, 0);
  return kAudioExtensionBytes;
}

std::optional<AudioParityPacket> parse_audio_parity(Bytes body) {
  constexpr size_t kHeader = kAudioParityHeaderBytes - kOwnHeaderBytes;
  if (body.size() < kHeader) return std::nullopt;
  const AudioParityPacket packet{.ssrc = load_be32(body, 0),
                                 .first_sequence = load_be16(body, 4),
                                 .data = load_u8(body, 6),
                                 .parity = load_u8(body, 7),
                                 .number = load_u8(body, 8),
                                 .symbol = body.subspan(kHeader)};
  const bool is_group =
      packet.data > 0 && packet.number < packet.parity && size_t{packet.data} + packet.parity <= kMaxAudioGroup;
  if (!is_group || packet.symbol.size() < 2 || packet.symbol.size() != load_be16(body, 10)) return std::nullopt;
  return packet;
}

uint32_t opus_samples(Bytes packet) {
  if (packet.empty()) return 0;
  const uint32_t toc = load_u8(packet, 0), config = toc >> 3;
  const uint32_t frame = config < 12   ? (config % 4 == 3 ? 2880 : 480u << (config % 4))  // SILK: 10, 20, 40, 60 ms
                         : config < 16 ? 480u << (config % 2)                             // hybrid: 10, 20 ms
                                       : 120u << (config % 4);                            // CELT: 2.5 to 20 ms
  const uint32_t code = toc & 3;
  if (code == 3 && packet.size() < 2) return 0;
  const uint32_t frames = code == 0 ? 1 : code < 3 ? 2 : load_u8(packet, 1) & 63;
  constexpr uint32_t kMost = 5760;  // 120 ms
  return frame * frames <= kMost ? frame * frames : 0;
}

size_t write_audio_parity_header(MutableBytes out, const AudioParityPacket& packet) {
  write_own_header(out, OwnType::sound_parity);
  store_be32(out, 4, packet.ssrc);
  store_be16(out, 8, packet.first_sequence);
  store_be<1>(out, 10, packet.data);
  store_be<1>(out, 11, packet.parity);
  store_be<1>(out, 12, packet.number);
  store_be<1>(out, 13, 0);
  store_be16(out, 14, static_cast<uint16_t>(packet.symbol.size()));
  return kAudioParityHeaderBytes;
}

}  // namespace texcast::transport
