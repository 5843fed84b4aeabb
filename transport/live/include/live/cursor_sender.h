// cursor_sender.h — makes packets of a captured desktop's mouse pointer: at once when it moves, and repeated while
// nothing happens, for receivers that lost them or have just joined. It has a lock, but no clock: time is an argument.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "frames/cursor.h"
#include "texcast/frame_times.h"
#include "transport/cursor_packet.h"
#include "transport/datagram_memory.h"
#include "transport/packetizer.h"
#include "transport/sealing.h"

namespace texcast::stream {

class CursorSender {
 public:
  // `sealer`: of the stream; nullptr: nothing is encrypted.
  CursorSender(uint32_t ssrc, std::shared_ptr<transport::Sealer> sealer) : ssrc_(ssrc), sealer_(std::move(sealer)) {}

  // Sets the pointer. From any thread.
  void show(const Cursor& cursor, WallTime captured);
  // Somebody has just joined: packets() has the position and the shape at once. From any thread.
  void repeat();

  // On the thread that packetizes the stream, as both use the same sealer.
  std::optional<SteadyTime> next_deadline(SteadyTime now) const;  // when packets() has something
  // The packets that are due; valid until the next call.
  std::span<const transport::OutgoingPacket> packets(SteadyTime now, WallTime wall);

  static constexpr nanoseconds kLeastApart = std::chrono::milliseconds(4);  // mice move up to 1000 times per second
  static constexpr nanoseconds kAgain = std::chrono::milliseconds(500);     // period while nothing moves

 private:
  void put(Bytes header, Bytes payload, WallTime wall);

  const uint32_t ssrc_;
  const std::shared_ptr<transport::Sealer> sealer_;
  mutable std::mutex mutex_;
  std::optional<Cursor> cursor_{};
  WallTime captured_{};
  uint64_t moves_ = 0;    // of cursor_
  bool repeats_ = false;  // for somebody who has joined

  uint64_t sent_moves_ = 0;
  int times_said_ = 0;                          // packets of the position since the last move
  SteadyTime said_{};                           // the latest
  std::shared_ptr<const CursorShape> shape_{};  // of packed_
  std::vector<std::byte> packed_;               // empty: there is no shape, or it is too large
  uint16_t shape_number_ = 0;
  uint32_t number_ = 0;
  transport::DatagramMemory memory_;
  std::vector<transport::OutgoingPacket> packets_;
};

// The shape's texels, compressed by zstd, as packets carry them. Empty if the shape is too large for packets.
std::vector<std::byte> packed(const CursorShape& shape);

}  // namespace texcast::stream
