// audio_parity.h — a receiver's side of parity: keeps the last datagrams, and gives back those that a group lacks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "transport/audio_packet.h"
#include "transport/reed_solomon.h"

namespace texcast::transport {

// Of one sender. Not thread-safe. Its memory is bounded: kKept datagrams and kGroups groups.
class AudioParity {
 public:
  void clear();
  // A datagram with data, as it came or as it was given back.
  void keep(uint16_t sequence, Bytes datagram);
  // A packet of parity.
  void add(const AudioParityPacket& packet);
  // A datagram that was missing, each once; empty where there is none now. Valid until the next call of anything here.
  Bytes restore();

 private:
  static constexpr size_t kKept = 256;   // datagrams: a tenth of a second of 16 channels
  static constexpr size_t kGroups = 16;  // that wait for what they lack
  struct Kept {
    uint16_t sequence = 0;
    std::vector<std::byte> symbol{};  // length and datagram; empty: none
  };
  struct Group {
    bool open = false;
    uint16_t first = 0;
    uint8_t data = 0, parity = 0;
    size_t bytes = 0;
    std::vector<std::vector<std::byte>> symbols{};  // of parity; empty: not there
    size_t present = 0;                             // of those
  };
  const Kept* kept(uint16_t sequence) const;
  bool solve(Group& group);

  std::vector<Kept> kept_ = std::vector<Kept>(kKept);
  std::array<Group, kGroups> groups_{};
  size_t next_group_ = 0;
  bool changed_ = false;
  std::unique_ptr<ReedSolomon> code_;
  std::vector<std::vector<std::byte>> work_ = std::vector<std::vector<std::byte>>(kMaxAudioGroup);
  std::vector<std::vector<std::byte>> restored_;  // that restore() still has to give
  std::vector<std::byte> given_;
};

}  // namespace texcast::transport
