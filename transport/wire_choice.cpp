#include "transport/wire_choice.h"

#include "base/ensure.h"
#include "crypto/encrypting_packetizers.h"

namespace texcast::transport {
namespace {

std::unique_ptr<FramePacketizer> encrypted(std::unique_ptr<FramePacketizer> inner, const WireChoice& choice) {
  if (choice.crypto == CryptoChoice::none) return inner;
  ENSURE(choice.keys);
  if (const auto mode = ultragrid_mode(choice.crypto))
    return std::make_unique<UltraGridEncryptingPacketizer>(std::move(inner), *mode, *choice.keys);
  return std::make_unique<SealingPacketizer>(std::move(inner), *choice.keys);
}

}  // namespace

std::unique_ptr<FramePacketizer> make_packetizer(const PacketizerSettings& settings, const WireChoice& choice) {
  PacketizerSettings inner = settings;
  inner.reserved_bytes += reserved_bytes(choice.crypto);
  return encrypted(std::make_unique<PlainPacketizer>(inner), choice);
}

}  // namespace texcast::transport
