// own_packetizer.h — texcast's own wire format for raw streams: UltraGrid's video packets, each of them a symbol of a
// Reed-Solomon code, followed by parity packets (symbol_layout.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/work_ahead.h"
#include "transport/cauchy_parity.h"
#include "transport/fec_spec.h"
#include "transport/own_packet.h"
#include "transport/packetizer.h"
#include "transport/symbol_layout.h"

namespace texcast::transport {

struct OwnSettings {
  double parity_percent = kUsualParityPercent;  // of the frame's packets, 0 … 100
  bool answers_requests = false;                // announced to receivers; the sender must do it (retransmit_store.h)
};

// Parity is accumulated as the data becomes final, so the last advance() costs no more than any other. It returns all
// parity packets of the frame, alternating between the groups. All datagrams but the last one with data have the same
// size. Helpers compute parity from prepare() on, while data packets are sent; the bytes are the same.
class OwnPacketizer final : public FramePacketizer {
 public:
  // PacketizerSettings::block_bytes must divide 16, and the extension must be on. `helpers` must outlive this; nullptr:
  // the caller's thread does everything. The frame is read until advance() has returned all of its packets, or until
  // helpers->finish().
  OwnPacketizer(const PacketizerSettings& settings, const OwnSettings& own, WorkAhead* helpers = nullptr);
  ~OwnPacketizer() override;
  void begin(Bytes frame, const FrameTimes& times) override;
  void prepare(size_t ready_bytes) override;
  std::span<const OutgoingPacket> advance(size_t ready_bytes) override;
  std::optional<uint32_t> requestable_frame() const override;
  const SymbolLayout& layout() const { return layout_; }  // of the current frame

 private:
  void reserve();
  void put_data_packet(uint32_t packet);
  void put_parity_packet(uint32_t group, uint32_t number);
  uint32_t final_packets(size_t ready_bytes) const;
  void begin_parity(uint32_t final_packets);
  void finish_parity();
  void add_parity(size_t piece);
  void add_parity(uint32_t group, uint32_t first, uint32_t last);

  PacketizerSettings settings_;
  OwnSettings own_;
  size_t symbol_bytes_;
  std::shared_ptr<RtpNumbering> numbering_;
  SymbolLayout layout_{};
  WorkAhead* helpers_;
  std::optional<CauchyParity> code_;  // for layout_; none without parity
  Bytes frame_{};
  uint32_t next_packet_ = 0;
  size_t header_bytes_ = 0;  // used of headers_
  VideoHeader video_{};
  StreamExtension extension_{};
  std::vector<std::byte> headers_;
  std::vector<std::byte> parity_;  // symbols, group by group
  std::vector<OutgoingPacket> packets_;
  // A work item covers some rows (consecutive packets) of some groups. Items of the same groups run in order, because
  // they add to the same parity.
  uint32_t rows_ = 1;                       // in a work item
  uint32_t runs_ = 1;                       // numbers of groups that share an item
  uint32_t rows_begun_ = 0;                 // of every group, that parity includes or will include
  std::vector<WorkAhead::Ticket> tickets_;  // of the work items, by rows, then by run
  const struct AddParity {
    OwnPacketizer* packetizer;
    void operator()(size_t piece) const { packetizer->add_parity(piece); }
  } add_parity_{this};
};

}  // namespace texcast::transport
