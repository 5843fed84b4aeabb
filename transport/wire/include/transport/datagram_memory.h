// datagram_memory.h — memory for a frame's datagrams that stays where it is until the next frame, which gets the same.
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
  // All that was given out is free again.
  void reset() { page_ = used_ = list_ = 0; }
  // At most a page, 256 KiB: more than any datagram has.
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
  // An empty list that stays valid beside those before.
  std::vector<OutgoingPacket>& next_list() {
    if (list_ == lists_.size()) lists_.emplace_back();
    lists_[list_].clear();
    return lists_[list_++];
  }

 private:
  static constexpr size_t kPageBytes = size_t{1} << 18;

  std::vector<std::unique_ptr<std::byte[]>> pages_;
  size_t page_ = 0, used_ = 0;  // the page that is being given out, and how much of it is
  std::deque<std::vector<OutgoingPacket>> lists_;
  size_t list_ = 0;
};

}  // namespace texcast::transport
