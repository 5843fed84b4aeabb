#include "tile_sums_sender.h"

#include "transport/packet.h"

namespace texcast::stream {

Bytes TileSumsSender::add(std::span<const compact::CodedSlice> slices, uint64_t frame, SteadyTime now) {
  constexpr nanoseconds kPeriod = std::chrono::seconds(1);
  sums_.begin();
  for (const compact::CodedSlice& slice : slices) sums_.add(slice.slice, slice.check);
  if (now < due_) return {};
  std::array<uint32_t, transport::TileSums::kMaxRows> sums;
  size_t rows = 0;
  const int first = next_row_;
  for (; next_row_ < grid_.down() && rows < sums.size(); ++next_row_) sums[rows++] = sums_.row(next_row_);
  const size_t bytes = transport::write_tile_sums(
      datagram_,
      {.ssrc = ssrc_,
       .buffer_id = (first_buffer_id_ + static_cast<uint32_t>(frame)) & transport::kBufferIdMask,
       .first_row = static_cast<uint16_t>(first)},
      std::span(sums).first(rows));
  if (next_row_ >= grid_.down()) {
    next_row_ = 0;
    due_ = now + kPeriod;
  }
  return Bytes(datagram_).first(bytes);
}

}  // namespace texcast::stream
