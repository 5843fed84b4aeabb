// tile_sums_sender.h — once a second, tells receivers the checksum of each row of tiles, so that they detect tiles that
// were forged on the way (docs/wire.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "compact/coded_slice.h"
#include "compact/tile_grid.h"
#include "compact/tile_sums.h"
#include "texcast/frame_times.h"
#include "transport/compact_packet.h"

namespace texcast::stream {

// Not thread-safe.
class TileSumsSender {
 public:
  // `grid` must outlive this. `first_buffer_id`: of the first frame that is coded.
  TileSumsSender(const compact::TileGrid& grid, uint32_t ssrc, uint32_t first_buffer_id)
      : grid_(grid), sums_(grid), ssrc_(ssrc), first_buffer_id_(first_buffer_id) {}

  // Adds a frame; `frame` is its number from 0. Returns the datagram to be sent just before this frame or the next one,
  // valid until the next call; empty: none is due. The rows of a large picture take the datagrams of several frames.
  Bytes add(std::span<const compact::CodedSlice> slices, uint64_t frame, SteadyTime now);

 private:
  const compact::TileGrid& grid_;
  compact::TileSums sums_;
  const uint32_t ssrc_, first_buffer_id_;
  SteadyTime due_{};
  int next_row_ = 0;  // of the next datagram
  std::array<std::byte, transport::kMostTileSumsBytes> datagram_{};
};

}  // namespace texcast::stream
