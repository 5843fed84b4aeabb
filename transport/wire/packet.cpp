#include "transport/packet.h"

#include <algorithm>
#include <cmath>

#include "delays.h"

namespace texcast::transport {
namespace {

constexpr size_t kExtensionBodyBytes = kExtensionBytes - 4;
constexpr uint32_t kAnswersRequestsBit = 1;

// Bit offsets in the sixth word, from the least significant.
constexpr int kInterlacingShift = 29;
constexpr int kFpsShift = 19;
constexpr uint32_t kFpsMax = 1023;
constexpr int kFpsDivisorShift = 15;
constexpr uint32_t kFpsDivisorMax = 15;
constexpr uint32_t kFpsNtscBit = 1u << 14;      // divide by 1.001
constexpr uint32_t kFpsInvertedBit = 1u << 13;  // the number is 1/fps, the seconds per frame
constexpr double kFpsTolerance = 0.005;         // UltraGrid's

uint32_t fps_word(uint32_t fps, uint32_t divisor, uint32_t flags) {
  return std::min(fps, kFpsMax) << kFpsShift | divisor << kFpsDivisorShift | flags;
}

// FEC header, fourth word: K 13 bits, M 13 bits, C 6 bits.
constexpr int kFecKShift = 19;
constexpr int kFecMShift = 6;
constexpr uint32_t kFecCountMask = (1u << 13) - 1;
constexpr uint32_t kFecCMask = (1u << 6) - 1;
constexpr int kCryptoModeShift = 24;

}  // namespace

std::optional<OwnDatagram> parse_own_datagram(Bytes datagram) {
  if (datagram.size() < kOwnHeaderBytes || load_be16(datagram, 0) != kExtensionId) return std::nullopt;
  const bool known = load_u8(datagram, 2) == kOwnVersion;
  return OwnDatagram{known ? load_u8(datagram, 3) : uint8_t{0}, datagram.subspan(kOwnHeaderBytes)};
}

std::optional<RtpPacket> parse_rtp(Bytes datagram) {
  ByteReader reader(datagram);
  const auto fixed = reader.take(kRtpHeaderBytes);
  if (!fixed) return std::nullopt;
  const uint8_t flags = load_u8(*fixed, 0);
  if (flags >> 6 != 2) return std::nullopt;
  RtpPacket packet;
  packet.marker = (load_u8(*fixed, 1) & 0x80) != 0;
  packet.payload_type = load_u8(*fixed, 1) & 0x7F;
  packet.sequence = load_be16(*fixed, 2);
  packet.timestamp = load_be32(*fixed, 4);
  packet.ssrc = load_be32(*fixed, 8);

  const size_t csrc_bytes = size_t{flags & 0x0Fu} * 4;
  if (!reader.take(csrc_bytes)) return std::nullopt;
  if (flags & 0x10) {
    const auto preamble = reader.take(4);
    if (!preamble) return std::nullopt;
    const auto body = reader.take(size_t{load_be16(*preamble, 2)} * 4);
    if (!body) return std::nullopt;
    packet.extension_id = load_be16(*preamble, 0);
    packet.extension = *body;
  }
  packet.payload = reader.rest();
  if (flags & 0x20) {  // padding: the last byte is the length, including itself
    if (packet.payload.empty()) return std::nullopt;
    const size_t padding = std::to_integer<size_t>(packet.payload.back());
    if (padding == 0 || padding > packet.payload.size()) return std::nullopt;
    packet.payload = packet.payload.first(packet.payload.size() - padding);
  }
  return packet;
}

std::optional<VideoHeader> parse_video_header(Bytes payload) {
  if (payload.size() < kVideoHeaderBytes) return std::nullopt;
  VideoHeader header;
  const uint32_t word0 = load_be32(payload, 0);
  header.substream = static_cast<uint16_t>(word0 >> kBufferIdBits);
  header.buffer_id = word0 & kBufferIdMask;
  header.offset = load_be32(payload, 4);
  header.length = load_be32(payload, 8);
  header.width = load_be16(payload, 12);
  header.height = load_be16(payload, 14);
  for (size_t i = 0; i < 4; ++i) header.fourcc[i] = static_cast<char>(payload[16 + i]);
  const uint32_t word5 = load_be32(payload, 20);
  header.interlacing = static_cast<uint8_t>(word5 >> kInterlacingShift);
  header.fps = decode_fps(word5);
  return header;
}

std::optional<FecHeader> parse_fec_header(Bytes payload) {
  if (payload.size() < kFecHeaderBytes) return std::nullopt;
  const uint32_t word0 = load_be32(payload, 0);
  const uint32_t counts = load_be32(payload, 12);
  return FecHeader{.substream = static_cast<uint16_t>(word0 >> kBufferIdBits),
                   .buffer_id = word0 & kBufferIdMask,
                   .offset = load_be32(payload, 4),
                   .block_length = load_be32(payload, 8),
                   .k = static_cast<uint16_t>(counts >> kFecKShift & kFecCountMask),
                   .m = static_cast<uint16_t>(counts >> kFecMShift & kFecCountMask),
                   .c = static_cast<uint8_t>(counts & kFecCMask),
                   .seed = load_be32(payload, 16)};
}

std::optional<CryptoHeader> parse_crypto_header(Bytes payload) {
  if (payload.size() < kCryptoHeaderBytes) return std::nullopt;
  return CryptoHeader{.mode = static_cast<uint8_t>(load_be32(payload, 0) >> kCryptoModeShift)};
}

bool is_plausible(FecScheme scheme, const FecHeader& h) {
  const uint32_t symbols = uint32_t{h.k} + h.m;
  if (h.k < 1 || h.m < 1 || h.block_length % symbols != 0) return false;
  // The data symbols contain the inner length, the inner video header and at least one byte of the frame.
  if (uint64_t{h.symbol_bytes()} * h.k <= 4 + kVideoHeaderBytes) return false;
  switch (scheme) {
    case FecScheme::reed_solomon: return symbols <= 255;
    case FecScheme::ldgm:
      // With fewer rows than ones in a column, or with one column, constructing the matrix would never end.
      return h.k >= 2 && h.c >= 1 && h.c <= h.m && h.seed >= 1 && h.seed < 0x7FFFFFFF;
    case FecScheme::none: break;
  }
  return false;
}

bool is_video(uint8_t payload_type) { return payload_type == 20 || is_fec(payload_type) || is_encrypted(payload_type); }

FecScheme fec_scheme(uint8_t payload_type) {
  switch (static_cast<PayloadType>(payload_type)) {
    case PayloadType::video_ldgm:
    case PayloadType::video_encrypted_ldgm: return FecScheme::ldgm;
    case PayloadType::video_reed_solomon:
    case PayloadType::video_encrypted_reed_solomon: return FecScheme::reed_solomon;
    case PayloadType::video:
    case PayloadType::video_encrypted: break;
  }
  return FecScheme::none;
}

PayloadType payload_type_of(FecScheme scheme, bool encrypted) {
  switch (scheme) {
    case FecScheme::ldgm: return encrypted ? PayloadType::video_encrypted_ldgm : PayloadType::video_ldgm;
    case FecScheme::reed_solomon:
      return encrypted ? PayloadType::video_encrypted_reed_solomon : PayloadType::video_reed_solomon;
    case FecScheme::none: break;
  }
  return encrypted ? PayloadType::video_encrypted : PayloadType::video;
}

bool is_encrypted(uint8_t payload_type) {
  switch (static_cast<PayloadType>(payload_type)) {
    case PayloadType::video_encrypted:
    case PayloadType::video_encrypted_ldgm:
    case PayloadType::video_encrypted_reed_solomon: return true;
    case PayloadType::video:
    case PayloadType::video_ldgm:
    case PayloadType::video_reed_solomon: break;
  }
  return false;
}

std::optional<StreamExtension> parse_stream_extension(Bytes body) {
  if (body.size() < kExtensionBodyBytes || load_u8(body, 0) != kExtensionVersion) return std::nullopt;
  StreamExtension extension;
  extension.texture_format = load_u8(body, 1);
  extension.matrix = load_u8(body, 2);
  extension.range = load_u8(body, 3);
  extension.primaries = load_u8(body, 4);
  extension.transfer = load_u8(body, 5);
  extension.pixel_aspect = load_be16(body, 6);
  extension.width = load_be16(body, 8);
  extension.height = load_be16(body, 10);
  extension.available = time_from_wire(load_be64(body, 12));
  extension.encoded = plus_delay(extension.available, load_be32(body, 20));
  extension.sent = plus_delay(extension.encoded, load_be32(body, 24));
  if (body.size() >= kLongExtensionBytes - 4) {
    extension.symbol_bytes = load_be16(body, 28);
    extension.groups = load_be16(body, 30);
    extension.parity = load_u8(body, 32);
    extension.answers_requests = (load_u8(body, 33) & kAnswersRequestsBit) != 0;
  }
  return extension;
}

size_t write_rtp_header(MutableBytes out, const RtpPacket& header, bool with_extension) {
  store_be<1>(out, 0, with_extension ? 0x90 : 0x80);
  store_be<1>(out, 1, (header.marker ? 0x80u : 0u) | header.payload_type);
  store_be16(out, 2, header.sequence);
  store_be32(out, 4, header.timestamp);
  store_be32(out, 8, header.ssrc);
  return kRtpHeaderBytes;
}

size_t write_video_header(MutableBytes out, const VideoHeader& header) {
  store_be32(out, 0, uint32_t{header.substream} << kBufferIdBits | (header.buffer_id & kBufferIdMask));
  store_be32(out, 4, header.offset);
  store_be32(out, 8, header.length);
  store_be16(out, 12, header.width);
  store_be16(out, 14, header.height);
  for (size_t i = 0; i < 4; ++i) out[16 + i] = static_cast<std::byte>(header.fourcc[i]);
  store_be32(out, 20, uint32_t{header.interlacing} << kInterlacingShift | encode_fps(header.fps));
  return kVideoHeaderBytes;
}

size_t write_fec_header(MutableBytes out, const FecHeader& header) {
  store_be32(out, 0, uint32_t{header.substream} << kBufferIdBits | (header.buffer_id & kBufferIdMask));
  store_be32(out, 4, header.offset);
  store_be32(out, 8, header.block_length);
  store_be32(
      out, 12,
      (header.k & kFecCountMask) << kFecKShift | (header.m & kFecCountMask) << kFecMShift | (header.c & kFecCMask));
  store_be32(out, 16, header.seed);
  return kFecHeaderBytes;
}

size_t write_crypto_header(MutableBytes out, const CryptoHeader& header) {
  store_be32(out, 0, uint32_t{header.mode} << kCryptoModeShift);
  return kCryptoHeaderBytes;
}

size_t write_stream_extension(MutableBytes out, const StreamExtension& extension) {
  store_be16(out, 0, kExtensionId);
  const size_t bytes = extension.has_symbols() ? kLongExtensionBytes : kExtensionBytes;
  store_be16(out, 2, static_cast<uint16_t>((bytes - 4) / 4));
  const MutableBytes body = out.subspan(4);
  store_be<1>(body, 0, kExtensionVersion);
  store_be<1>(body, 1, extension.texture_format);
  store_be<1>(body, 2, extension.matrix);
  store_be<1>(body, 3, extension.range);
  store_be<1>(body, 4, extension.primaries);
  store_be<1>(body, 5, extension.transfer);
  store_be16(body, 6, extension.pixel_aspect);
  store_be16(body, 8, extension.width);
  store_be16(body, 10, extension.height);
  store_be64(body, 12, time_to_wire(extension.available));
  store_be32(body, 20, delay_us(extension.available, extension.encoded));
  store_be32(body, 24, delay_us(extension.encoded, extension.sent));
  if (extension.has_symbols()) {
    store_be16(body, 28, extension.symbol_bytes);
    store_be16(body, 30, extension.groups);
    store_be<1>(body, 32, extension.parity);
    store_be<1>(body, 33, extension.answers_requests ? kAnswersRequestsBit : 0u);
    store_be16(body, 34, 0);  // reserved
  }
  return bytes;
}

uint32_t encode_fps(double fps) {
  if (!(fps > 0)) return fps_word(0, 1, 0);
  const double rounded = std::min(std::round(fps), double{kFpsMax});
  // As UltraGrid writes it, including its quirk: the tolerance also matches the whole rates 2 to 5.
  if (fps > 1 && std::abs(fps - rounded / 1.001) < kFpsTolerance)
    return fps_word(static_cast<uint32_t>(rounded), 1, kFpsNtscBit);
  if (std::abs(fps - rounded) < kFpsTolerance && rounded >= 1) return fps_word(static_cast<uint32_t>(rounded), 1, 0);
  for (uint32_t divisor = 2; divisor <= kFpsDivisorMax; ++divisor) {  // 12.5 = 25/2
    const double scaled = std::round(fps * divisor);
    if (scaled >= 1 && scaled <= kFpsMax && std::abs(fps - scaled / divisor) < kFpsTolerance)
      return fps_word(static_cast<uint32_t>(scaled), divisor, 0);
  }
  if (rounded < 1)
    return fps_word(static_cast<uint32_t>(std::min(std::round(1 / fps), double{kFpsMax})), 1, kFpsInvertedBit);
  return fps_word(static_cast<uint32_t>(rounded), 1, 0);
}

double decode_fps(uint32_t word) {
  const uint32_t number = word >> kFpsShift & kFpsMax;
  const uint32_t divisor = word >> kFpsDivisorShift & kFpsDivisorMax;
  if (number == 0 || divisor == 0) return 30;  // invalid; UltraGrid's receiver also assumes 30
  double fps = number;
  if ((word & kFpsNtscBit) && number > 5) fps /= 1.001;  // up to 5 the flag is encode_fps's quirk
  fps /= divisor;
  return word & kFpsInvertedBit ? 1 / fps : fps;
}

}  // namespace texcast::transport
