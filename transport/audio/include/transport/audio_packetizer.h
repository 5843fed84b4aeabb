// audio_packetizer.h — turns audio buffers into datagrams: UltraGrid's packets, one channel after the other, and parity
// over a few buffers. No I/O, no clock.
//
// Example:
//     AudioPacketizer packetizer({.coding = AudioCoding::pcm, .rate = 48000, .bits = 16, .channels = 2});
//     send(packetizer.packetize({.channels = bytes_of_each, .samples = 240, .position = 0, .captured = now}));
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/audio_packet.h"
#include "transport/datagram_memory.h"
#include "transport/packetizer.h"
#include "transport/ultragrid_cipher.h"

namespace texcast::transport {

struct AudioPacketizerSettings {
  AudioCoding coding = AudioCoding::pcm;
  int rate = 48000;  // samples per second
  int bits = 16;     // per sample; PCM: 8, 16, 24 or 32
  int channels = 2;  // 1..255
  int mtu = 1500;    // size of IP packets in bytes, 576..9000
  bool ipv6 = false;
  int reserved_bytes = 0;  // left free in every datagram for an envelope
  uint32_t ssrc = 0;
  uint16_t first_sequence = 0;
  uint32_t first_buffer_id = 0;   // 22 bits
  uint32_t timestamp_offset = 0;  // added to the 90 kHz time
  bool extension = true;          // texcast's (off: identical to UltraGrid's packets)
  // Parity packets of each group; 0: none. A group covers at most `parity_span` of sound. Requires the extension.
  int parity = 2;
  nanoseconds parity_span = std::chrono::milliseconds(20);
  // UltraGrid's encryption, without parity only. `keys` must outlive this; null: none.
  const WireKeys* keys = nullptr;
  UltraGridMode mode = UltraGridMode::gcm;
};

// All channels of the same interval.
struct AudioBuffer {
  std::span<const Bytes> channels;  // coded; as many as the settings say, each of 1 byte to 64 KiB
  uint32_t samples = 0;             // per channel, 1..65535
  uint64_t position = 0;            // of the first sample, counted from the stream's beginning; increases
  WallTime captured{};              // time of the first sample
};

// Not thread-safe.
class AudioPacketizer {
 public:
  explicit AudioPacketizer(const AudioPacketizerSettings& settings);
  ~AudioPacketizer();
  // The buffer's packets, followed by the parity of the group if the buffer ends one. Valid until the next call. Each
  // packet is contiguous: OutgoingPacket::payload is empty. The last data packet has the marker.
  std::span<const OutgoingPacket> packetize(const AudioBuffer& buffer);
  void set_ipv6(bool ipv6) { settings_.ipv6 = ipv6; }  // AudioPacketizerSettings::ipv6, from the next buffer on

 private:
  void add_packet(const AudioBuffer& buffer, size_t channel, size_t offset, size_t count, bool last);
  Bytes encrypted(Bytes header, Bytes payload);
  void add_parity();
  size_t room() const;

  AudioPacketizerSettings settings_;
  uint16_t sequence_;
  uint32_t buffer_id_;
  DatagramMemory memory_;
  std::vector<OutgoingPacket> packets_;
  std::optional<UltraGridCipher> cipher_;

  // The current group.
  std::vector<std::vector<std::byte>> symbols_;  // each packet with its length
  size_t in_group_ = 0;
  uint16_t group_sequence_ = 0;
  uint32_t group_samples_ = 0;
};

}  // namespace texcast::transport
