// genuine.h — the genuine sender. Each of its blocks carries the number of its frame and a proof of origin, so a
// recording can be judged block by block. It uses the transport alone and needs no device.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "../../transport/forger.h"
#include "task.h"
#include "transport/udp_socket.h"

namespace texcast::attack {

inline constexpr int kWidth = 256, kHeight = 128, kFps = 30;

// The stream's description and SSRC, which anybody on the network can overhear.
transport::PacketizerSettings genuine_stream(const Task& task);

// When it sends BC1.
enum class Pattern {
  steady,
  pauses,   // every other second
  changes,  // two seconds of BC1 and two seconds of BC5 in turn; .mov cannot hold BC5
};

class Genuine {
 public:
  Genuine(const Task& task, const std::shared_ptr<const transport::WireKeys>& keys, uint16_t port, Pattern pattern);
  // Sends until `stop` is set. Packets are spread over three quarters of the frame time, as texcast does; NACKs are
  // answered between packets.
  void run(const std::atomic<bool>& stop);
  const transport::test::MarkedFrames& marked() const { return marked_; }
  uint32_t sent() const { return sent_; }  // frames of BC1

 private:
  enum class Now { bc1, bc5, silent };
  Now planned(uint32_t frame_time) const;
  void become(Now format);
  void send_frame(SteadyTime due, uint32_t frame_time, Bytes frame);
  void answer_until(SteadyTime until);

  const Pattern pattern_;
  const transport::test::MarkedFrames marked_;
  const transport::WireChoice wire_;
  transport::PacketizerSettings settings_;
  transport::Address address_;
  transport::UdpSender sender_;
  Now now_ = Now::silent;
  std::unique_ptr<transport::FramePacketizer> packetizer_;
  std::unique_ptr<transport::RetransmitStore> store_;
  std::atomic<uint32_t> sent_ = 0;
};

}  // namespace texcast::attack
