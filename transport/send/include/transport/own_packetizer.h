// own_packetizer.h — texcast's own mode: UltraGrid's plain video packets, each a symbol of a Reed-Solomon code, and
// parity packets behind them (symbol_layout.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/fec_spec.h"
#include "transport/own_packet.h"
#include "transport/packetizer.h"
#include "transport/symbol_layout.h"

namespace texcast::transport {

class ReedSolomon;

struct OwnSettings {
  double parity_percent = kUsualParityPercent;  // of the frame's packets, 0 … 100
  bool answers_requests = false;                // says so to receivers; the sender has to do it (retransmit_store.h)
};

// Parity is added up as the data becomes final, so the last advance() costs no more than any other. The whole frame's
// parity packets come with it, group after group in turn. All datagrams have the same size but the last with data.
class OwnPacketizer final : public FramePacketizer {
 public:
  // PacketizerSettings::block_bytes must divide 16; the extension must be on.
  OwnPacketizer(const PacketizerSettings& settings, const OwnSettings& own);
  ~OwnPacketizer() override;
  void begin(Bytes frame, const FrameTimes& times) override;
  std::span<const OutgoingPacket> advance(size_t ready_bytes) override;
  std::optional<uint32_t> requestable_frame() const override;
  const SymbolLayout& layout() const { return layout_; }  // of the frame begun

 private:
  void reserve();
  void put_data_packet(uint32_t packet);
  void put_parity_packet(uint32_t group, uint32_t number);
  std::span<std::byte* const> parity_of(uint32_t group);

  PacketizerSettings settings_;
  OwnSettings own_;
  size_t symbol_bytes_;
  RtpNumbering numbering_;
  SymbolLayout layout_{};
  std::unique_ptr<ReedSolomon> code_;  // of layout_'s shape; none without parity
  Bytes frame_{};
  uint32_t next_packet_ = 0;
  size_t header_bytes_ = 0;  // used of headers_
  VideoHeader video_{};
  StreamExtension extension_{};
  std::vector<std::byte> headers_;
  std::vector<std::byte> parity_;            // symbols, group after group
  std::vector<std::byte*> parity_pointers_;  // of one group
  std::vector<OutgoingPacket> packets_;
};

}  // namespace texcast::transport
