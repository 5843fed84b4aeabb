// compact_packetizer.h — turns coded frames into datagrams: a packet for each payload, followed by parity
// (compact_packet.h), all of it sealed if there is a sealer. No I/O, no clock.
//
//     packetizer.begin(times);
//     while the encoder is at work: send(packetizer.add(payloads that are ready));
//     send(packetizer.add(the rest, the number of payloads));
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
  bool answers_requests = false;     // announced to receivers; the sender must do it (retransmit_store.h)
  bool takes_tile_requests = false;  // the same
  std::shared_ptr<Sealer> sealer{};  // null: not encrypted
};

// The bytes that a coded frame occupies on the link, known before it is packetized: its packets and parity with all
// headers.
struct CompactFrameSize {
  double parity_percent = 0;
  bool sealed = false;
  size_t overhead = 0;  // on the link, for each packet: wire_overhead()
  // `bytes` is the size of all payloads together, `longest` that of the longest.
  size_t line_bytes(uint32_t payloads, size_t bytes, size_t longest) const;
};

// Not thread-safe. A frame's datagrams have any size up to the MTU. Allocates only for frames with more payloads or
// more bytes than every frame before.
class CompactPacketizer {
 public:
  // PacketizerSettings::stream must be compact() and have a texture format; reserved_bytes must include the envelope if
  // there is a sealer; block_bytes and extension are ignored.
  CompactPacketizer(const PacketizerSettings& settings, const CompactSettings& compact);
  ~CompactPacketizer();
  // The largest payload in bytes.
  size_t max_payload() const { return max_payload_; }
  // Changes the stream's description from the next frame on. It must meet the requirements for
  // PacketizerSettings::stream.
  void describe(const StreamDesc& stream);

  void begin(const FrameTimes& times);
  // Adds the frame's next payloads, of 1 byte … max_payload() each. Throws Error{usage} if the frame has more than
  // kMostPayloads, as lossless ones of noise with 16384x16384 texels have. They must not move until the next begin().
  // `total` is the frame's number of payloads, at least one, or 0 while that is unknown. It must be known by the call
  // that adds the last payload, or by a later call without payloads; the frame ends then.
  //
  // Returns the packets that can be sent, valid until begin(); payload i is packet i of the frame. One payload is held
  // back until the next one is added or the frame ends, because the last packet is marked as such. Parity comes at the
  // end.
  std::span<const OutgoingPacket> add(std::span<const Bytes> payloads, uint32_t total = 0);
  bool ended() const { return ended_; }

  uint32_t buffer_id() const { return numbering_->buffer_id(); }  // of the current frame
  // The same if receivers may request its packets, by their position among those that add() returned.
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
  uint32_t next_packet_ = 0;     // to be sent
  std::vector<Bytes> payloads_;  // of the frame
  size_t longest_ = 0;           // of the payloads
  DatagramMemory memory_;

  // Parity is accumulated as payloads are added, in the groups that the frame will have if it is like the previous one.
  // If it is not, parity is computed anew at the end.
  std::unique_ptr<ReedSolomon> code_;  // for all lengths of groups; none without parity
  SymbolLayout layout_{};
  SymbolLayout planned_{};        // layout of sums_; no groups: nothing is accumulated before the end
  uint32_t summed_ = 0;           // payloads included in sums_
  std::vector<std::byte> sums_;   // symbols of most_symbol_bytes_, group by group
  std::vector<std::byte*> rows_;  // of one group
};

}  // namespace texcast::transport
