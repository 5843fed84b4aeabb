#include "tile_requests.h"

#include <algorithm>
#include <utility>

#include "transport/packet.h"

namespace texcast::stream {

TileRequests::TileRequests(const compact::TileGrid& grid, uint32_t first_buffer_id, size_t viewers)
    : first_buffer_id_(first_buffer_id), shares_(grid.texture_bytes(), RepairShares::kMostReceivers + viewers) {}

bool TileRequests::has_room(const transport::PeerAddress& from) {
  const std::lock_guard lock(mutex_);
  const bool has_room = waiting_.size() < kMostWaiting &&
                        std::ranges::count(waiting_, from, &Request::from) < static_cast<int>(kMostOfOne);
  if (!has_room) ++refused_;
  return has_room;
}

bool TileRequests::add(const transport::PeerAddress& from, const transport::TileRequest& request) {
  if (!has_room(from)) return false;
  // A receiver that has no frame yet may have heard of the newest one in its middle, and lacks tiles of that one too.
  Request waiting{.from = from, .state = request.state.value_or(request.newest), .all = request.all || !request.state};
  waiting.tiles.reserve(request.ranges);
  for (size_t i = 0; i < request.ranges; ++i) {
    const auto range = request.range(i);
    waiting.tiles.push_back({range.first, range.count});
  }
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(waiting));
  return true;
}

bool TileRequests::is_waiting() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty();
}

uint64_t TileRequests::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

void TileRequests::hand_over_to(compact::IntraRefresh& refresh, uint64_t frames) {
  {
    const std::lock_guard lock(mutex_);
    handled_.swap(waiting_);
  }
  uint64_t refused = 0;
  for (const Request& request : handled_) {
    if (!shares_.hears(request.from)) {
      ++refused;
      continue;
    }
    // If the frame is too old, or was never sent, all tiles may be wrong: IntraRefresh takes a future frame so.
    constexpr uint32_t kIds = transport::kBufferIdMask;
    const uint32_t number = (request.state - first_buffer_id_) & kIds;
    const auto newest = static_cast<uint32_t>((frames - 1) & kIds);
    const uint32_t age = (newest - number) & kIds;
    refresh.request(age < frames ? frames - 1 - age : frames, request.tiles, request.all);
  }
  handled_.clear();
  const std::lock_guard lock(mutex_);
  refused_ += refused;
}

}  // namespace texcast::stream
