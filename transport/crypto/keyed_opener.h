// keyed_opener.h — the part of PacketOpener that needs keys, and libraries for its ciphers: keyed_opener.cpp, or
// keyless.cpp for a receiver that never has keys (player/web).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/packet_opener.h"
#include "transport/sealing.h"

namespace texcast::transport {

struct PacketOpener::Keyed {
  static constexpr size_t kLargestPayload = 65535;

  Keyed(std::shared_ptr<const WireKeys> keys, nanoseconds max_age, WorkAhead* helpers);
  ~Keyed();
  void expect(std::span<const Bytes> datagrams);                                          // Opener::expect()
  Opener::Opened open(Bytes datagram, WallTime now);                                      // Opener::open()
  std::optional<Bytes> open_blob(uint8_t mode, Bytes aad, Bytes blob, MutableBytes out);  // UltraGridCipher::open()

  std::vector<std::byte> payload = std::vector<std::byte>(kLargestPayload);  // of UltraGrid's latest packet

 private:
  struct Ciphers;
  std::unique_ptr<Ciphers> ciphers_;
};

}  // namespace texcast::transport
