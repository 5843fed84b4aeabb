// audio_packetizer.h — buffers of sound into datagrams: UltraGrid's packets, a channel at a time, and parity over a few
// buffers of them. Pure: no socket, no clock.
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
  int rate = 48000;  // samples a second
  int bits = 16;     // a sample, of PCM 8, 16, 24 or 32
  int channels = 2;  // 1..255
  int mtu = 1500;    // IP packet bytes, 576..9000
  bool ipv6 = false;
  int reserved_bytes = 0;  // left free in every datagram for what is put around it
  uint32_t ssrc = 0;
  uint16_t first_sequence = 0;
  uint32_t first_buffer_id = 0;   // 22 bits
  uint32_t timestamp_offset = 0;  // added to 90 kHz time
  bool extension = true;          // texcast's (off: byte for byte what UltraGrid sends)
  // Parity packets of each group; 0: none. A group is at most `parity_span` of sound. With the extension alone.
  int parity = 2;
  nanoseconds parity_span = std::chrono::milliseconds(20);
  // UltraGrid's encryption, not with parity. `keys` must outlive this; null: none.
  const WireKeys* keys = nullptr;
  UltraGridMode mode = UltraGridMode::gcm;
};

// A piece of sound: all channels of the same moment.
struct AudioBuffer {
  std::span<const Bytes> channels;  // coded, as many as the settings say, each at most 64 KiB and not empty
  uint32_t samples = 0;             // of each, 1..65535
  uint64_t position = 0;            // of the first, counted from the beginning of the stream; rises
  WallTime captured{};              // of the first
};

// Not thread-safe.
class AudioPacketizer {
 public:
  explicit AudioPacketizer(const AudioPacketizerSettings& settings);
  ~AudioPacketizer();
  // The buffer's packets, and behind them the parity of the group that ends with it. Valid until the next call.
  // Each packet is one piece of memory: OutgoingPacket::payload is empty. The marker is on the last packet with data.
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

  // The group that is open.
  std::vector<std::vector<std::byte>> symbols_;  // of each packet: its length and itself
  size_t in_group_ = 0;
  uint16_t group_sequence_ = 0;
  uint32_t group_samples_ = 0;
};

}  // namespace texcast::transport
