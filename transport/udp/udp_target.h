// udp_target.h — one destination of a UdpSender: its socket, and its failures so far.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "base/descriptor.h"
#include "socket_address.h"
#include "transport/udp_socket.h"

namespace texcast::transport {

// The kernel's limits for one call with UDP_SEGMENT (64 segments before Linux 6.9, the bytes of one IP packet).
inline constexpr size_t kMaxSegments = 64;
inline constexpr size_t kMaxSuperBytes = 65507;

// Arguments of a system call; shared by all targets.
struct SendScratch {
  std::array<iovec, 2 * kMaxSegments> pieces{};
  std::array<mmsghdr, kMaxSegments> messages{};
};

class UdpTarget {
 public:
  // `patience`: how long one call of send() waits for room in the queues. After that the target has stalled: each call
  // tries once, and its packets are refused until one is accepted.
  UdpTarget(const Address& to, const UdpSender::Settings& settings, nanoseconds patience);

  void send(std::span<const OutgoingPacket> packets, SendScratch& scratch, SendCounters& counters);
  void set_patience(nanoseconds patience) { patience_ = patience; }
  int socket() const { return socket_.get(); }
  bool segmentation() const { return segmentation_; }
  int path_mtu() const;
  // Number of packets in the last call, to which a pending ICMP error refers.
  size_t last_packets() const { return last_packets_; }
  void count_refusal() { ++refusals_; }  // one that was reported outside send()
  uint64_t refusals() const { return refusals_; }

 private:
  enum class Next { retry, cut_here, give_up };
  struct Attempt {
    size_t packets = 1;
    size_t largest = 0;  // datagram
    bool segmented = false;
    int refusals = 0;
    SteadyTime waiting_since{};
  };
  bool send_segmented(std::span<const OutgoingPacket> run, SendScratch& scratch, SendCounters& counters);
  void send_plain(std::span<const OutgoingPacket> packets, SendScratch& scratch, SendCounters& counters);
  Next after(int error, Attempt& attempt, SendCounters& counters);
  bool wait_for_room(int error, Attempt& attempt);
  size_t packet_bytes(size_t datagram_bytes) const;  // including IP and UDP headers
  bool too_large_for_path(size_t datagram_bytes) const;
  void begin_fragments(size_t datagram_bytes);

  Descriptor socket_;
  const std::string text_;
  const bool ipv6_;
  nanoseconds patience_;
  bool segmentation_;
  bool fragments_ = false;
  bool stalled_ = false;
  size_t last_packets_ = 1;
  uint64_t refusals_ = 0;
};

}  // namespace texcast::transport
