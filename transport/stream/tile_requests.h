// tile_requests.h — receivers' requests for tiles that they lost, on their way from the sending thread to the coding
// thread. Requests are limited in number, and by the bytes that each receiver may cause (RepairShares).
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "compact/intra_refresh.h"
#include "compact/tile_grid.h"
#include "stream/repair_shares.h"
#include "transport/compact_packet.h"
#include "transport/peer_address.h"

namespace texcast::stream {

class TileRequests {
 public:
  // `first_buffer_id`: of the first frame that is coded. `viewers`: in browsers, at most; each has a share of its own.
  // `grid` is used by the constructor only.
  TileRequests(const compact::TileGrid& grid, uint32_t first_buffer_id, size_t viewers);

  // From any thread. False: the request was refused, as too many are waiting. The receiver will repeat it.
  bool add(const transport::PeerAddress& from, const transport::TileRequest& request);
  bool is_waiting() const;
  uint64_t refused() const;

  // Coding thread: before a frame, hands the requests to `refresh`. `frames`: that have been coded.
  void hand_over_to(compact::IntraRefresh& refresh, uint64_t frames);
  // Coding thread: after a frame.
  void charge(const compact::RefreshCost& cost, double frame_times) { shares_.coded(cost, frame_times); }

 private:
  // Requests that may wait for a frame: of all receivers, and of one.
  static constexpr size_t kMostWaiting = 64, kMostOfOne = 8;
  struct Request {
    transport::PeerAddress from{};
    uint32_t state = 0;  // buffer id of the frame that the receiver has
    bool all = false;    // all tiles are wrong
    std::vector<compact::TileRange> tiles{};
  };
  bool has_room(const transport::PeerAddress& from);

  const uint32_t first_buffer_id_;
  RepairShares shares_;           // coding thread
  std::vector<Request> handled_;  // coding thread; kept for its memory
  mutable std::mutex mutex_;
  std::vector<Request> waiting_;  // with mutex_
  uint64_t refused_ = 0;          // with mutex_
};

}  // namespace texcast::stream
