// encrypting_packetizers.h — packetizers that encrypt the datagrams of an inner packetizer. A datagram grows by at most
// reserved_bytes() of crypto_choice.h, which the inner packetizer must leave free (PacketizerSettings::reserved_bytes).
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "base/work_ahead.h"
#include "transport/datagram_memory.h"
#include "transport/packetizer.h"
#include "transport/sealing.h"
#include "transport/ultragrid_cipher.h"

namespace texcast::transport {

// UltraGrid's encryption: payload types 20, 22, 27 become 24, 29, 30, and the crypto header and blob follow the media
// header. Each datagram is copied to new memory, and OutgoingPacket::payload is empty. Datagrams of equal size remain
// equal. Allocates only with the first frame of a size.
class UltraGridEncryptingPacketizer final : public FramePacketizer {
 public:
  UltraGridEncryptingPacketizer(std::unique_ptr<FramePacketizer> inner, UltraGridMode mode, const WireKeys& keys)
      : inner_(std::move(inner)), mode_(mode), cipher_(keys) {}
  void begin(Bytes frame, const FrameTimes& times) override;
  std::span<const OutgoingPacket> advance(size_t ready_bytes) override;
  std::optional<uint32_t> requestable_frame() const override { return inner_->requestable_frame(); }

 private:
  Bytes encrypt(const OutgoingPacket& packet);

  std::unique_ptr<FramePacketizer> inner_;
  UltraGridMode mode_;
  UltraGridCipher cipher_;
  DatagramMemory memory_;
};

// texcast's encryption: seals whole datagrams of any kind; otherwise as above. Helpers encrypt batches of datagrams
// from prepare() on, somewhat ahead of advance(). Counters follow the order of the datagrams, so the output does not
// depend on the threads.
class SealingPacketizer final : public FramePacketizer {
 public:
  // `helpers` must outlive this; nullptr: the caller's thread encrypts.
  SealingPacketizer(std::unique_ptr<FramePacketizer> inner, std::shared_ptr<Sealer> sealer,
                    WorkAhead* helpers = nullptr);
  ~SealingPacketizer() override;
  void begin(Bytes frame, const FrameTimes& times) override;
  void prepare(size_t ready_bytes) override;
  std::span<const OutgoingPacket> advance(size_t ready_bytes) override;
  std::optional<uint32_t> requestable_frame() const override { return inner_->requestable_frame(); }

 private:
  struct Datagram {
    OutgoingPacket plain;
    MutableBytes sealed;
  };
  // Datagrams that one thread encrypts.
  struct Batch {
    const SealingPacketizer* packetizer = nullptr;
    uint64_t first_counter = 0;
    WorkAhead::Ticket ticket = 0;
    size_t ready_bytes = 0;  // passed to the inner packetizer to get them
    std::vector<Datagram> datagrams{};
    void operator()(size_t) const { packetizer->seal(*this); }
  };
  void take_from_inner(size_t ready_bytes);
  void seal_ahead(size_t ready_bytes);
  void seal(const Batch& batch) const;

  std::unique_ptr<FramePacketizer> inner_;
  const std::shared_ptr<Sealer> sealer_;
  WorkAhead* helpers_;
  WallTime sent_{};
  size_t frame_bytes_ = 0;
  size_t final_bytes_ = 0;  // according to prepare() and advance()
  size_t taken_bytes_ = 0;  // passed to the inner packetizer so far
  DatagramMemory memory_;
  std::deque<Batch> batches_;  // of this frame, followed by those of previous frames, which are reused
  size_t begun_ = 0;           // batches of this frame that were handed to a thread
  size_t given_ = 0;           // of these, returned by advance()
};

}  // namespace texcast::transport
