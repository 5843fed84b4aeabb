// audio_parity.h — FEC in an audio receiver: stores the latest datagrams, and recovers those that a group lacks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "transport/audio_packet.h"
#include "transport/reed_solomon.h"

namespace texcast::transport {

// For one sender. Not thread-safe. Memory is bounded by kKept datagrams and kGroups groups.
class AudioParity {
 public:
  void clear();
  // Stores a data datagram, received or recovered.
  void keep(uint16_t sequence, Bytes datagram);
  // Adds a parity packet.
  void add(const AudioParityPacket& packet);
  // A recovered datagram, each once; empty if there is none now. Valid until the next call of anything here.
  Bytes restore();

 private:
  static constexpr size_t kKept = 256;   // datagrams: a tenth of a second of 16 channels
  static constexpr size_t kGroups = 16;  // that still lack packets
  struct Kept {
    uint16_t sequence = 0;
    std::vector<std::byte> symbol{};  // length and datagram; empty: none
  };
  struct Group {
    bool open = false;
    uint16_t first = 0;
    uint8_t data = 0, parity = 0;
    size_t bytes = 0;
    std::vector<std::vector<std::byte>> symbols{};  // parity; empty: not received
    size_t present = 0;                             // number of these
  };
  const Kept* kept(uint16_t sequence) const;
  bool solve(Group& group);

  std::vector<Kept> kept_ = std::vector<Kept>(kKept);
  std::array<Group, kGroups> groups_{};
  size_t next_group_ = 0;
  bool changed_ = false;
  std::unique_ptr<ReedSolomon> code_;
  std::vector<std::vector<std::byte>> work_ = std::vector<std::vector<std::byte>>(kMaxAudioGroup);
  std::vector<std::vector<std::byte>> restored_;  // that restore() has still to return
  std::vector<std::byte> given_;
};

}  // namespace texcast::transport
