#include "transport/audio_packetizer.h"

#include <algorithm>
#include <array>

#include "base/ensure.h"
#include "transport/packet.h"
#include "transport/reed_solomon.h"

namespace texcast::transport {

AudioPacketizer::AudioPacketizer(const AudioPacketizerSettings& settings)
    : settings_(settings),
      sequence_(settings.first_sequence),
      buffer_id_(settings.first_buffer_id & kBufferIdMask),
      symbols_(kMaxAudioGroup) {
  ENSURE(settings.channels >= 1 && settings.channels <= 255 && settings.rate > 0);
  ENSURE(settings.coding != AudioCoding::pcm || settings.bits == 8 || settings.bits == 16 || settings.bits == 24 ||
         settings.bits == 32);
  ENSURE(settings.parity >= 0 && settings.parity < 32 && room() >= 256);
  if (!settings_.extension || settings_.keys) settings_.parity = 0;
  if (settings_.keys) cipher_.emplace(*settings_.keys);
}

AudioPacketizer::~AudioPacketizer() = default;

// Space for samples in a packet that a parity packet of the same size can protect.
size_t AudioPacketizer::room() const {
  const size_t headers = kRtpHeaderBytes + (settings_.extension ? kAudioExtensionBytes : 0) + kAudioHeaderBytes;
  const size_t around = static_cast<size_t>(ip_udp_header_bytes(settings_.ipv6) + settings_.reserved_bytes);
  const size_t parity = settings_.parity > 0 ? kAudioParityHeaderBytes + 2 : 0;
  const size_t crypto = settings_.keys ? kCryptoHeaderBytes + UltraGridCipher::overhead(settings_.mode) : 0;
  const size_t whole_samples = 12;  // bytes: samples of every size stay whole
  const size_t left = static_cast<size_t>(settings_.mtu) - around - headers - parity - crypto;
  return left / whole_samples * whole_samples;
}

std::span<const OutgoingPacket> AudioPacketizer::packetize(const AudioBuffer& buffer) {
  ENSURE(buffer.channels.size() == static_cast<size_t>(settings_.channels) && buffer.samples > 0 &&
         buffer.samples <= 65535);
  memory_.reset();
  packets_.clear();
  const size_t most = room();
  for (size_t channel = 0; channel < buffer.channels.size(); ++channel) {
    const Bytes bytes = buffer.channels[channel];
    ENSURE(!bytes.empty() && bytes.size() <= 65536);
    for (size_t offset = 0; offset < bytes.size(); offset += most) {
      const size_t count = std::min(most, bytes.size() - offset);
      add_packet(buffer, channel, offset, count,
                 channel + 1 == buffer.channels.size() && offset + count == bytes.size());
    }
  }
  buffer_id_ = (buffer_id_ + 1) & kBufferIdMask;
  if (settings_.parity == 0) return packets_;
  group_samples_ += buffer.samples;
  const bool fills_span =
      nanoseconds(int64_t{1'000'000'000} * (group_samples_ + buffer.samples) / settings_.rate) > settings_.parity_span;
  const size_t next = in_group_ + packets_.size() + static_cast<size_t>(settings_.parity);
  if (in_group_ > 0 && (fills_span || next > kMaxAudioGroup)) add_parity();
  return packets_;
}

void AudioPacketizer::add_packet(const AudioBuffer& buffer, size_t channel, size_t offset, size_t count, bool last) {
  const size_t media_at = kRtpHeaderBytes + (settings_.extension ? kAudioExtensionBytes : 0);
  const MutableBytes out = memory_.take(media_at + kAudioHeaderBytes + count);
  const auto ticks = static_cast<uint32_t>(buffer.position * kAudioRtpClock / static_cast<uint32_t>(settings_.rate));
  write_rtp_header(out,
                   {.payload_type = settings_.keys ? kEncryptedAudioPayloadType : kAudioPayloadType,
                    .marker = last,
                    .sequence = sequence_,
                    .timestamp = settings_.timestamp_offset + ticks,
                    .ssrc = settings_.ssrc},
                   settings_.extension);
  if (settings_.extension) {
    const auto span_ms = std::chrono::ceil<std::chrono::milliseconds>(settings_.parity_span).count();
    write_audio_extension(
        out.subspan(kRtpHeaderBytes),
        {.channels = static_cast<uint8_t>(settings_.channels),
         .samples = static_cast<uint16_t>(buffer.samples),
         .captured = buffer.captured,
         .position = static_cast<uint32_t>(buffer.position),
         .parity_ms = static_cast<uint8_t>(settings_.parity > 0 ? std::min<int64_t>(span_ms, 255) : 0)});
  }
  write_audio_header(out.subspan(media_at), {.channel = static_cast<uint16_t>(channel),
                                             .buffer_id = buffer_id_,
                                             .offset = static_cast<uint32_t>(offset),
                                             .length = static_cast<uint32_t>(buffer.channels[channel].size()),
                                             .bits = static_cast<uint8_t>(settings_.bits),
                                             .rate = static_cast<uint32_t>(settings_.rate),
                                             .tag = audio_tag(settings_.coding)});
  std::ranges::copy(buffer.channels[channel].subspan(offset, count),
                    out.begin() + static_cast<std::ptrdiff_t>(media_at + kAudioHeaderBytes));
  if (settings_.parity > 0 && in_group_ < kMaxAudioGroup) {
    if (in_group_ == 0) group_sequence_ = sequence_;
    std::vector<std::byte>& symbol = symbols_[in_group_++];
    symbol.resize(2 + out.size());
    store_be16(symbol, 0, static_cast<uint16_t>(out.size()));
    std::ranges::copy(out, symbol.begin() + 2);
  }
  ++sequence_;
  packets_.push_back(
      {settings_.keys ? encrypted(out.first(media_at + kAudioHeaderBytes), out.subspan(media_at + kAudioHeaderBytes))
                      : Bytes(out),
       {}});
}

Bytes AudioPacketizer::encrypted(Bytes header, Bytes payload) {
  const size_t blob = UltraGridCipher::blob_bytes(settings_.mode, payload.size());
  const MutableBytes out = memory_.take(header.size() + kCryptoHeaderBytes + blob);
  std::ranges::copy(header, out.begin());
  write_crypto_header(out.subspan(header.size()), {.mode = static_cast<uint8_t>(settings_.mode)});
  cipher_->seal(settings_.mode, header.last(kAudioHeaderBytes), payload, out.last(blob));
  return out;
}

// A group with more packets than the code supports (many channels in large buffers) gets no parity.
void AudioPacketizer::add_parity() {
  const size_t k = in_group_, m = static_cast<size_t>(settings_.parity);
  in_group_ = 0;
  group_samples_ = 0;
  if (k + m > kMaxAudioGroup) return;
  size_t bytes = 0;
  for (size_t i = 0; i < k; ++i) bytes = std::max(bytes, symbols_[i].size());
  std::array<const std::byte*, kMaxAudioGroup> data{};
  std::array<std::byte*, kMaxAudioGroup> parity{};
  for (size_t i = 0; i < k; ++i) {
    symbols_[i].resize(bytes);
    data[i] = symbols_[i].data();
  }
  for (size_t j = 0; j < m; ++j) {
    const MutableBytes out = memory_.take(kAudioParityHeaderBytes + bytes);
    const Bytes symbol = out.subspan(kAudioParityHeaderBytes);
    write_audio_parity_header(out, {.ssrc = settings_.ssrc,
                                    .first_sequence = group_sequence_,
                                    .data = static_cast<uint8_t>(k),
                                    .parity = static_cast<uint8_t>(m),
                                    .number = static_cast<uint8_t>(j),
                                    .symbol = symbol});
    parity[j] = out.data() + kAudioParityHeaderBytes;
    packets_.push_back({out, {}});
  }
  ReedSolomon code(ReedSolomon::Matrix::cauchy, static_cast<int>(k), static_cast<int>(m));
  code.encode(std::span(data).first(k), std::span(parity).first(m), bytes);
}

}  // namespace texcast::transport
