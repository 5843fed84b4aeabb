#include "seal_magic.h"

#include <algorithm>

#include "transport/sealing.h"

namespace texcast::transport {

bool is_sealed(Bytes datagram) {
  return datagram.size() >= kSealOverhead && std::equal(kSealMagic.begin(), kSealMagic.end(), datagram.begin());
}

bool is_sealed_of_old(Bytes datagram) {
  return datagram.size() >= kOldSealOverhead &&
         std::equal(kOldSealMagic.begin(), kOldSealMagic.end(), datagram.begin());
}

}  // namespace texcast::transport
