// datagram_batch.h — datagrams that came with one read, copied once: they leave together, to any number of receivers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "transport/packetizer.h"

namespace texcast::stream {

// Not thread-safe. Allocates only while it grows.
class DatagramBatch {
 public:
  void add(Bytes datagram);
  bool empty() const { return ends_.empty(); }
  size_t bytes() const { return bytes_.size(); }
  bool is_full() const { return bytes_.size() >= kFull; }
  // In the order of add(); valid until the next call of any of these.
  std::span<const transport::OutgoingPacket> packets();
  void clear();

 private:
  static constexpr size_t kFull = size_t{48} << 10;  // what the kernel takes in one call (UDP_SEGMENT)
  std::vector<std::byte> bytes_;
  std::vector<size_t> ends_;
  std::vector<transport::OutgoingPacket> packets_;
};

}  // namespace texcast::stream
