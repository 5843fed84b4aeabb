// destinations.h — where `send` sends: RTP addresses and capture files, behind one call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/frame_times.h"
#include "transport/address.h"
#include "transport/packetizer.h"
#include "transport/pcap.h"
#include "transport/udp_socket.h"

namespace texcast::stream {

// Not thread-safe.
class Destinations {
 public:
  // "rtp://HOST:PORT" or "pcap:FILE" each. Throws Error{usage}, Error{network} or Error{failed}.
  explicit Destinations(const std::vector<std::string>& urls);

  bool real_time() const { return sender_ != nullptr; }  // false: only captures, which need no pacing
  bool all_on_loopback() const { return all_on_loopback_; }
  bool ipv6() const { return ipv6_; }

  // `time` is when the packets leave; captures are stamped with it.
  void send(std::span<const transport::OutgoingPacket> packets, WallTime time);
  uint64_t refused() const { return sender_ ? sender_->counters().refused : 0; }
  bool uses_segmentation() const { return sender_ && sender_->uses_segmentation(); }

 private:
  std::vector<transport::Address> addresses_;  // before sender_, which may look at them
  std::unique_ptr<transport::UdpSender> sender_;
  std::vector<std::unique_ptr<transport::PcapWriter>> captures_;
  bool all_on_loopback_ = true;
  bool ipv6_ = false;
};

}  // namespace texcast::stream
