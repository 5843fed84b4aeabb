// genuine.h — a sender whose frames say themselves that they are its own, and how many it has sent: made of the
// transport alone, so that no device is needed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "../../transport/forger.h"
#include "task.h"
#include "transport/udp_socket.h"

namespace texcast::attack {

inline constexpr int kWidth = 256, kHeight = 128, kFps = 30;

// What everybody knows of the genuine stream.
transport::PacketizerSettings genuine_stream(const Task& task);

// What it does besides sending BC1.
enum class Habit {
  steady,
  pauses,   // a second of frames, a second of none
  changes,  // two seconds of BC1, two seconds of BC5, which .mov does not hold
};

class Genuine {
 public:
  Genuine(const Task& task, const std::shared_ptr<const transport::WireKeys>& keys, uint16_t port, Habit habit);
  // Packets spread over three quarters of the frame time, as texcast does it; requests are answered between them.
  void run(const std::atomic<bool>& stop);
  const transport::test::MarkedFrames& marked() const { return marked_; }
  uint32_t sent() const { return sent_; }         // frames of BC1
  uint64_t sent_again() const { return again_; }  // packets, for requests

 private:
  enum class Now { bc1, bc5, silent };
  Now now(uint32_t frame_time) const;
  void become(Now format);
  void send_frame(SteadyTime due, uint32_t frame_time, Bytes frame);
  void answer_until(SteadyTime until);

  const Habit habit_;
  const transport::test::MarkedFrames marked_;
  const transport::WireChoice wire_;
  transport::PacketizerSettings settings_;
  transport::Address address_;
  transport::UdpSender sender_;
  Now is_ = Now::silent;
  std::unique_ptr<transport::FramePacketizer> packetizer_;
  std::unique_ptr<transport::RetransmitStore> store_;
  std::atomic<uint32_t> sent_ = 0;
  std::atomic<uint64_t> again_ = 0;
};

}  // namespace texcast::attack
