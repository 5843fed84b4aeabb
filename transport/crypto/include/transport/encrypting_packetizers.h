// encrypting_packetizers.h — packetizers around a packetizer: its datagrams, encrypted. What they add to one is
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

// UltraGrid's: payload types 20, 22, 27 become 24, 29, 30; crypto header and blob stand behind the media header. Each
// datagram is written anew into memory of its own: OutgoingPacket::payload is empty. Datagrams of one size give
// datagrams of one size. After the first frame of a size nothing is allocated.
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

// texcast's: whole datagrams are sealed, of whatever kind; otherwise as above. Helpers seal from prepare() on, some
// datagrams at a time, and somewhat ahead of advance(); counters go by the datagrams' order, so who seals which does
// not show.
class SealingPacketizer final : public FramePacketizer {
 public:
  // `helpers` must outlive this; nullptr: the caller's thread seals.
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
  // Datagrams that one thread seals.
  struct Batch {
    const SealingPacketizer* packetizer = nullptr;
    uint64_t first_counter = 0;
    WorkAhead::Ticket ticket = 0;
    size_t ready_bytes = 0;  // that the inner packetizer was told of for them
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
  size_t final_bytes_ = 0;  // as prepare() and advance() were told
  size_t taken_bytes_ = 0;  // that the inner packetizer has been told of
  DatagramMemory memory_;
  std::deque<Batch> batches_;  // of this frame and, behind these, of frames before: their memory
  size_t begun_ = 0;           // batches of this frame that have been handed to a thread
  size_t given_ = 0;           // of these, that advance() has given out
};

}  // namespace texcast::transport
