// encrypting_packetizers.h — packetizers around a packetizer: its datagrams, encrypted. What they add to one is
// reserved_bytes() of crypto_choice.h, which the inner packetizer must leave free (PacketizerSettings::reserved_bytes).
#pragma once

#include <memory>
#include <span>

#include "transport/datagram_memory.h"
#include "transport/packetizer.h"
#include "transport/sealing.h"
#include "transport/ultragrid_cipher.h"

namespace texcast::transport {

// Each datagram written anew into memory of its own, encrypted on the way: OutgoingPacket::payload is empty. Datagrams
// of one size give datagrams of one size. After the first frame of a size nothing is allocated.
class RewritingPacketizer : public FramePacketizer {
 public:
  explicit RewritingPacketizer(std::unique_ptr<FramePacketizer> inner) : inner_(std::move(inner)) {}
  void begin(Bytes frame, const FrameTimes& times) final;
  std::span<const OutgoingPacket> advance(size_t ready_bytes) final;
  std::optional<uint32_t> requestable_frame() const final { return inner_->requestable_frame(); }

 private:
  // `sent`: when its frame began to leave (FrameTimes::sent).
  virtual Bytes rewrite(const OutgoingPacket& packet, DatagramMemory& memory, WallTime sent) = 0;

  std::unique_ptr<FramePacketizer> inner_;
  WallTime sent_{};
  DatagramMemory memory_;
};

// UltraGrid's: payload types 20, 22, 27 become 24, 29, 30; crypto header and blob stand behind the media header.
class UltraGridEncryptingPacketizer final : public RewritingPacketizer {
 public:
  UltraGridEncryptingPacketizer(std::unique_ptr<FramePacketizer> inner, UltraGridMode mode, const WireKeys& keys)
      : RewritingPacketizer(std::move(inner)), mode_(mode), cipher_(keys) {}

 private:
  Bytes rewrite(const OutgoingPacket& packet, DatagramMemory& memory, WallTime sent) override;

  UltraGridMode mode_;
  UltraGridCipher cipher_;
};

// texcast's: whole datagrams are sealed, of whatever kind.
class SealingPacketizer final : public RewritingPacketizer {
 public:
  SealingPacketizer(std::unique_ptr<FramePacketizer> inner, const WireKeys& keys)
      : RewritingPacketizer(std::move(inner)), sealer_(keys) {}

 private:
  Bytes rewrite(const OutgoingPacket& packet, DatagramMemory& memory, WallTime sent) override;

  Sealer sealer_;
};

}  // namespace texcast::transport
