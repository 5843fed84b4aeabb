// hop_wire.h — what a relay may change in an unencrypted stream from hop to hop: who answers NACKs, and the parity. And
// how it makes packets again that parity restored here. Functions over bytes, and the parity's encoder; no I/O.
//
// Frames of texcast's own raw streams (own mode) and of coded streams can be packed anew; streams without symbols and
// UltraGrid's FEC blocks pass as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "transport/packet_cache.h"
#include "transport/receive_session.h"

namespace texcast::transport {

// Nothing: as the sender has it.
struct HopChoices {
  std::optional<double> parity_percent{};  // 0 to 100, of this hop instead of the sender's
  std::optional<bool> answers{};           // says that NACKs are answered, or not
  bool changes() const { return parity_percent || answers; }
};

// True for parity of a frame: of own mode or of a coded stream.
bool is_frame_parity(Bytes datagram);

// A data packet with the flags of this hop; the datagram itself where nothing differs. `out` is reused.
Bytes with_choices(Bytes datagram, const HopChoices& choices, std::vector<std::byte>& out);

// Packets of a complete frame, made from those that have passed. Not thread-safe.
class FrameRemaker {
 public:
  using Datagrams = std::vector<std::vector<std::byte>>;

  FrameRemaker();
  ~FrameRemaker();
  // Both append to `out`. Nothing is appended for a frame that is incomplete, or of which no data packet has passed.

  // The data packets that never came, but that parity restored. Sequence numbers follow from those of their neighbours.
  void missing(const ReceivedFrame& frame, const PacketCache& cache, Datagrams& out);
  // Parity for this hop, in the order of sending.
  void parity(const ReceivedFrame& frame, const PacketCache& cache, double percent, Datagrams& out);

 private:
  struct Coded;
  struct Raw;
  void coded_parity(const ReceivedFrame& frame, const PacketCache& cache, double percent, Datagrams& out);
  void raw_parity(const ReceivedFrame& frame, const PacketCache& cache, double percent, Datagrams& out);
  std::unique_ptr<Coded> coded_;
  std::unique_ptr<Raw> raw_;
};

}  // namespace texcast::transport
