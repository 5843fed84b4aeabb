// ultragrid_fec_packetizer.h — frames as UltraGrid's FEC blocks: payload type 27 (Reed-Solomon) or 22 (LDGM).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/fec_spec.h"
#include "transport/packetizer.h"
#include "transport/ultragrid_fec_block.h"

namespace texcast::transport {

// The shape of UltraGrid's blocks that a choice asks for; nothing where it asks for other things.
std::optional<FecShape> fec_shape(const FecChoice& choice);

// Byte for byte what UltraGrid sends, whatever settings.extension says: packets of whole symbols, or (where a symbol is
// longer than a packet) symbols cut into packets, each beginning one; then the first packet again, with the marker.
// Packets of data leave as advance() tells of them, parity behind the whole frame. The frame is copied once, into its
// block.
class UltraGridFecPacketizer final : public FramePacketizer {
 public:
  UltraGridFecPacketizer(const PacketizerSettings& settings, const FecShape& shape);
  void begin(Bytes frame, const FrameTimes& times) override;
  std::span<const OutgoingPacket> advance(size_t ready_bytes) override;

 private:
  void add_packet(size_t offset, size_t bytes, bool marker);
  size_t piece_at(size_t offset) const;  // bytes of the packet that begins there

  PacketizerSettings settings_;
  std::shared_ptr<RtpNumbering> numbering_;
  UltraGridFecWriter writer_;
  size_t offset_ = 0;  // of what has not left yet, in the block
  bool done_ = false;
  size_t header_bytes_ = 0;
  std::vector<std::byte> headers_;
  std::vector<OutgoingPacket> packets_;
};

}  // namespace texcast::transport
