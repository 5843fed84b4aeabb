// receive_session.h — datagrams in, frames out, with loss, reordering, duplicates and new senders dealt with.
// Pure: bytes and time are arguments.
//
// Example:
//     session.on_datagram(bytes, now);
//     while (auto frame = session.poll(now)) show(*frame);
//     sleep_until(session.next_deadline());
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "base/frame_times.h"
#include "transport/stream.h"

namespace texcast::transport {

struct ReceiveSettings {
  size_t max_frame_bytes = size_t{256} << 20;      // larger ones are refused before anything is allocated
  nanoseconds frame_timeout = std::chrono::milliseconds(100);  // an unfinished frame is given out at the latest then
  nanoseconds sender_timeout = std::chrono::seconds(2);        // silence after which another SSRC may take over
  int conceal_block_bytes = 16;                    // holes are filled in whole units of this
};

struct ReceivedFrame {
  Bytes bytes;             // whole frame; valid until the next poll()
  StreamDesc stream;
  FrameTimes times;
  uint32_t buffer_id = 0;  // 22 bits
  uint64_t number = 0;     // frames of this stream from 0, lost ones counted too
  bool new_stream = false; // the first of a stream with another description or sender
  uint64_t concealed_bytes = 0;  // 0: complete
};

// Not thread-safe. No bytes, however wrong, make it throw, grow without bound or read past their end. Allocates only
// when a stream begins or its frame size changes.
class ReceiveSession {
 public:
  explicit ReceiveSession(const ReceiveSettings& settings = {});
  ~ReceiveSession();
  // `wall_now` stamps FrameTimes; `now` drives the timeouts.
  void on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now);
  // The next finished frame in order. A frame is finished when all its bytes are there, when a later frame is
  // complete, or when frame_timeout has passed since its first packet. Its holes then hold the bytes of the frame
  // given out before (zero where there was none).
  std::optional<ReceivedFrame> poll(SteadyTime now, WallTime wall_now);
  std::optional<SteadyTime> next_deadline() const;
  const ReceiveCounters& counters() const;
  void count_socket_drops(uint64_t dropped);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace texcast::transport
