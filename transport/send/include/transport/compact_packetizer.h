// compact_packetizer.h — compact frames into datagrams: a packet for each payload, parity behind them
// (compact_packet.h), all of it sealed where there is a sealer. Pure: no socket, no clock.
//
//     packetizer.begin(times);
//     while the coder is at work: send(packetizer.add(payloads that are ready));
//     send(packetizer.add(the rest, how many payloads there were));
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/compact_packet.h"
#include "transport/datagram_memory.h"
#include "transport/packetizer.h"
#include "transport/sealing.h"
#include "transport/symbol_layout.h"

namespace texcast::transport {

class ReedSolomon;

struct CompactSettings {
  double parity_percent = 0;         // of the frame's packets, 0 … 100
  bool answers_requests = false;     // says so to receivers; the sender has to do it (retransmit_store.h)
  bool takes_tile_requests = false;  // the same
  std::shared_ptr<Sealer> sealer{};  // null: in the clear
};

// What a compact frame takes of the line, before it is made: its packets, parity too, with all headers.
struct CompactFrameSize {
  double parity_percent = 0;
  bool sealed = false;
  size_t overhead = 0;  // of the line, a packet: wire_overhead()
  // Of payloads that have so many bytes together, the longest of them `longest`.
  size_t line_bytes(uint32_t payloads, size_t bytes, size_t longest) const;
};

// Not thread-safe. Datagrams of a frame have any size up to the MTU. Allocates only for frames of more payloads or more
// bytes than those before.
class CompactPacketizer {
 public:
  // PacketizerSettings::stream is compact(), with a texture format; reserved_bytes must count the envelope where there
  // is a sealer; block_bytes and extension mean nothing.
  CompactPacketizer(const PacketizerSettings& settings, const CompactSettings& compact);
  ~CompactPacketizer();
  // The most bytes that a payload may have.
  size_t max_payload() const { return max_payload_; }
  // The stream is another from the next frame on: its description, which keeps what PacketizerSettings::stream needs.
  void describe(const StreamDesc& stream);

  void begin(const FrameTimes& times);
  // The frame's next payloads, of 1 byte … max_payload() each, at most kMostPayloads a frame. They stay where they are
  // until the next begin(). `total`: how many the frame has, 0 while that is not known; at the latest in the call that
  // brings the last one, or with none in a call after it. The frame ends when it has so many, at least one.
  // Gives the packets that can leave, valid until begin(); payload i is packet i of the frame. One payload is kept back
  // until another comes or the frame ends, because the last packet says that it is; parity comes with the end.
  std::span<const OutgoingPacket> add(std::span<const Bytes> payloads, uint32_t total = 0);
  bool ended() const { return ended_; }

  uint32_t buffer_id() const { return numbering_->buffer_id(); }  // of the frame begun
  // The same where receivers are told that they may ask for its packets again, by their place among those of add().
  std::optional<uint32_t> requestable_frame() const;
  const SymbolLayout& layout() const { return layout_; }  // of the frame that ended last

 private:
  void plan_sums(uint32_t packets);
  void sum(uint32_t packet);
  void put_data(std::vector<OutgoingPacket>& list, uint32_t packet, uint32_t total);
  void put_parity(std::vector<OutgoingPacket>& list);
  void put(std::vector<OutgoingPacket>& list, MutableBytes header, Bytes payload);
  std::byte* sum_of(uint32_t group, uint32_t number);

  PacketizerSettings settings_;
  CompactSettings compact_;
  size_t max_payload_ = 0;
  size_t most_symbol_bytes_ = 0;
  std::shared_ptr<RtpNumbering> numbering_;
  CompactHead head_{};
  CompactDescription description_{};
  uint8_t description_number_ = 0;
  bool ended_ = true;
  uint32_t next_packet_ = 0;     // that leaves
  std::vector<Bytes> payloads_;  // of the frame
  size_t longest_ = 0;           // of them
  DatagramMemory memory_;

  // Parity is added up as payloads come, in groups as the frame will have them if it is like the one before. Where it
  // turns out otherwise, it is added up anew at the end.
  std::unique_ptr<ReedSolomon> code_;  // of all lengths that groups may have; none without parity
  SymbolLayout layout_{};
  SymbolLayout planned_{};        // of the sums; no groups: nothing is added up before the end
  uint32_t summed_ = 0;           // payloads that are in them
  std::vector<std::byte> sums_;   // symbols of most_symbol_bytes_, group after group
  std::vector<std::byte*> rows_;  // of one group
};

}  // namespace texcast::transport
