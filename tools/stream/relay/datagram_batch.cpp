#include "stream/datagram_batch.h"

#include <utility>

namespace texcast::stream {

void DatagramBatch::add(Bytes datagram) {
  bytes_.insert(bytes_.end(), datagram.begin(), datagram.end());
  ends_.push_back(bytes_.size());
}

std::span<const transport::OutgoingPacket> DatagramBatch::packets() {
  packets_.clear();
  size_t begin = 0;
  for (const size_t end : ends_)
    packets_.push_back({Bytes(bytes_).subspan(std::exchange(begin, end), end - begin), {}});
  return packets_;
}

void DatagramBatch::clear() {
  bytes_.clear();
  ends_.clear();
}

}  // namespace texcast::stream
