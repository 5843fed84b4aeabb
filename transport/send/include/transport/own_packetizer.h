// own_packetizer.h — texcast's own mode: UltraGrid's plain video packets, each a symbol of a Reed-Solomon code, and
// parity packets behind them (symbol_layout.h).
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
  bool answers_requests = false;                // says so to receivers; the sender has to do it (retransmit_store.h)
};

// Parity is added up as the data becomes final, so the last advance() costs no more than any other. The whole frame's
// parity packets come with it, group after group in turn. All datagrams have the same size but the last with data.
// Helpers add parity up from prepare() on, while the data's packets leave; the bytes are the same.
class OwnPacketizer final : public FramePacketizer {
 public:
  // PacketizerSettings::block_bytes must divide 16; the extension must be on.
  // `helpers` must outlive this; nullptr: the caller's thread does everything. The frame is read until advance() has
  // given all of its packets, or helpers->finish().
  OwnPacketizer(const PacketizerSettings& settings, const OwnSettings& own, WorkAhead* helpers = nullptr);
  ~OwnPacketizer() override;
  void begin(Bytes frame, const FrameTimes& times) override;
  void prepare(size_t ready_bytes) override;
  std::span<const OutgoingPacket> advance(size_t ready_bytes) override;
  std::optional<uint32_t> requestable_frame() const override;
  const SymbolLayout& layout() const { return layout_; }  // of the frame begun

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
  std::optional<CauchyParity> code_;  // of layout_'s shape; none without parity
  Bytes frame_{};
  uint32_t next_packet_ = 0;
  size_t header_bytes_ = 0;  // used of headers_
  VideoHeader video_{};
  StreamExtension extension_{};
  std::vector<std::byte> headers_;
  std::vector<std::byte> parity_;  // symbols, group after group
  std::vector<OutgoingPacket> packets_;
  // Pieces of work: some rows (packets that follow each other) of some groups. Those of the same groups are done in
  // order, because they add to the same parity.
  uint32_t rows_ = 1;                       // of a piece
  uint32_t runs_ = 1;                       // of groups
  uint32_t rows_begun_ = 0;                 // of every group, that parity has or will have
  std::vector<WorkAhead::Ticket> tickets_;  // of pieces, run after run of each row of them
  const struct AddParity {
    OwnPacketizer* packetizer;
    void operator()(size_t piece) const { packetizer->add_parity(piece); }
  } add_parity_{this};
};

}  // namespace texcast::transport
