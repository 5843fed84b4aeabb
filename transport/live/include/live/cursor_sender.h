// cursor_sender.h — the pointer of a captured desktop to packets: at once when it moves, and again where nothing
// happens, for receivers that lost it or have just come. Pure but for a lock: time is an argument.
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
  // `sealer`: of the stream; null: nothing is sealed.
  CursorSender(uint32_t ssrc, std::shared_ptr<transport::Sealer> sealer) : ssrc_(ssrc), sealer_(std::move(sealer)) {}

  // From any thread: it is there now.
  void show(const Cursor& cursor, WallTime captured);

  // The rest: on the thread that packetizes the stream, whose sealer it is.
  std::optional<SteadyTime> next_deadline(SteadyTime now) const;  // when packets() has something
  // What is due, valid until the next call.
  std::span<const transport::OutgoingPacket> packets(SteadyTime now, WallTime wall);

  static constexpr nanoseconds kLeastApart = std::chrono::milliseconds(4);  // mice tell of themselves up to 1000 times
  static constexpr nanoseconds kAgain = std::chrono::milliseconds(500);

 private:
  void put(Bytes header, Bytes payload, WallTime wall);

  const uint32_t ssrc_;
  const std::shared_ptr<transport::Sealer> sealer_;
  mutable std::mutex mutex_;
  std::optional<Cursor> cursor_{};
  WallTime captured_{};
  uint64_t moves_ = 0;  // of cursor_

  uint64_t sent_moves_ = 0;
  int times_said_ = 0;  // since it moved last
  SteadyTime said_{};
  std::shared_ptr<const CursorShape> shape_{};  // that packed_ is of
  std::vector<std::byte> packed_;               // empty: too large, or none
  uint16_t shape_number_ = 0;
  uint32_t number_ = 0;
  transport::DatagramMemory memory_;
  std::vector<transport::OutgoingPacket> packets_;
};

// What it looks like, as packets carry it: texels through zstd. Nothing for a shape larger than packets can say.
std::vector<std::byte> packed(const CursorShape& shape);
// The way back, from anyone: nothing where it is not width x height texels.
std::shared_ptr<const CursorShape> unpacked(const transport::CursorShapePacket& shape);

}  // namespace texcast::stream
