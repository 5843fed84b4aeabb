// datagram_memory.h — memory for the datagrams of a frame. It does not move until the next frame, which reuses it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/ensure.h"
#include "transport/packetizer.h"

namespace texcast::transport {

class DatagramMemory {
 public:
  // Frees everything.
  void reset() { page_ = used_ = list_ = 0; }
  // At most a page, 256 KiB, which is larger than any datagram.
  MutableBytes take(size_t bytes) {
    ENSURE(bytes <= kPageBytes);
    if (page_ < pages_.size() && used_ + bytes > kPageBytes) {
      ++page_;
      used_ = 0;
    }
    if (page_ == pages_.size()) pages_.push_back(std::make_unique_for_overwrite<std::byte[]>(kPageBytes));
    used_ += bytes;
    return {pages_[page_].get() + used_ - bytes, bytes};
  }
  // An empty list. Lists returned before stay valid.
  std::vector<OutgoingPacket>& next_list() {
    if (list_ == lists_.size()) lists_.emplace_back();
    lists_[list_].clear();
    return lists_[list_++];
  }

 private:
  static constexpr size_t kPageBytes = size_t{1} << 18;

  std::vector<std::unique_ptr<std::byte[]>> pages_;
  size_t page_ = 0, used_ = 0;  // the page in use, and its used bytes
  std::deque<std::vector<OutgoingPacket>> lists_;
  size_t list_ = 0;
};

}  // namespace texcast::transport
