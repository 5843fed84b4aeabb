// secret_keys.h — keys without their slow derivation, for captures encrypted with the passphrase "secret".
#pragma once

#include <algorithm>
#include <memory>

#include "transport/wire_keys.h"

namespace texcast::transport::test {

// UltraGrid's key is the passphrase's MD5; the master key is arbitrary.
inline std::shared_ptr<const WireKeys> secret_keys(const WireKeys::MasterKey& master = {}) {
  constexpr uint8_t kMd5[] = {0x5e, 0xbe, 0x22, 0x94, 0xec, 0xd0, 0xe0, 0xf0,
                              0x8e, 0xab, 0x76, 0x90, 0xd2, 0xa6, 0xee, 0x69};
  WireKeys::UltraGridKey key;
  std::ranges::transform(kMd5, key.begin(), [](uint8_t b) { return std::byte{b}; });
  return WireKeys::of(master, key);
}

}  // namespace texcast::transport::test
