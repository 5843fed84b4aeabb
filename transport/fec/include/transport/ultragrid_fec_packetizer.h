// ultragrid_fec_packetizer.h — sends frames as UltraGrid FEC blocks: payload type 27 (Reed-Solomon) or 22 (LDGM).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/fec_spec.h"
#include "transport/packetizer.h"
#include "transport/ultragrid_fec_block.h"

namespace texcast::transport {

// The shape of UltraGrid's blocks for a choice; nothing if the choice is another FEC.
std::optional<FecShape> fec_shape(const FecChoice& choice);

// Identical to UltraGrid's packets, whatever settings.extension is: packets contain whole symbols, or (if a symbol is
// longer than a packet) parts of one symbol; then the first packet is repeated, with the marker. Data packets are
// returned as advance() makes progress, parity after the whole frame. The frame is copied once, into its block.
class UltraGridFecPacketizer final : public FramePacketizer {
 public:
  UltraGridFecPacketizer(const PacketizerSettings& settings, const FecShape& shape);
  void begin(Bytes frame, const FrameTimes& times) override;
  std::span<const OutgoingPacket> advance(size_t ready_bytes) override;

 private:
  void add_packet(size_t offset, size_t bytes, bool marker);
  size_t piece_at(size_t offset) const;  // size of the packet that begins there

  PacketizerSettings settings_;
  std::shared_ptr<RtpNumbering> numbering_;
  UltraGridFecWriter writer_;
  size_t offset_ = 0;  // of the bytes of the block that have not been sent yet
  bool done_ = false;
  size_t header_bytes_ = 0;
  std::vector<std::byte> headers_;
  std::vector<OutgoingPacket> packets_;
};

}  // namespace texcast::transport
