// udp_socket.h — datagrams to and from the kernel in batches. The only place that knows an OS socket.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/address.h"
#include "transport/packetizer.h"

namespace texcast::transport {

// A datagram that came back to a sender: from one that it sends to; or to a control socket, or with
// UdpSender::Settings::group_feedback of a group, from anyone.
struct Feedback {
  Bytes datagram;  // valid during the call only
  PeerAddress from;
  size_t destination = 0;  // index in UdpSender::Settings::destinations
  bool control = false;
  SteadyTime arrived{};
};

struct SendCounters {
  uint64_t frames = 0;
  uint64_t packets = 0;
  uint64_t bytes = 0;    // datagram payloads
  uint64_t refused = 0;  // packets the socket would not take (nobody listens, no route)
};

// Sends to any number of destinations (none: only waits). Not thread-safe, but for wake().
class UdpSender {
 public:
  struct Settings {
    std::span<const Address> destinations{};  // read by the constructor only
    int send_buffer_bytes = 4 << 20;
    bool allow_segmentation = true;  // UDP_SEGMENT
    int multicast_ttl = 1;           // routers that a group's packets may cross, and one; 0: none leaves the machine
    unsigned interface_index = 0;    // that packets leave through (see interface.h); 0: as the routes say
    // `control`: a second socket for each destination, for send_control() and what is said to that.
    bool control = false;
    // What members of a group say to the port that its packets come from is feedback too; else that of unicast
    // destinations alone is.
    bool group_feedback = false;
  };
  explicit UdpSender(const Settings& settings);  // throws Error{network}
  ~UdpSender();
  UdpSender(const UdpSender&) = delete;
  UdpSender& operator=(const UdpSender&) = delete;

  // One more destination, behind the others. Throws Error{network}; then nothing has changed.
  void add(const Address& destination);
  // Nothing goes there any more; those behind it are numbered one less. `goodbye` is sent to its control port first.
  void remove(size_t destination, Bytes goodbye);

  // Every packet to every destination: UDP_SEGMENT where the kernel takes it, else sendmmsg with the same bytes, from
  // the first refusal on for good. Waits while the socket buffer is full: a second at most, and among several
  // destinations 2 ms once, until that one takes packets again. Refusals (nobody listens, full queues) are counted,
  // not thrown, and cost the other destinations nothing. Packets larger than the path takes go in fragments, after a
  // warning. Leaves counters().frames to the caller.
  void send(std::span<const OutgoingPacket> packets);
  // The same to one of them: an answer to its feedback.
  void send_to(size_t destination, std::span<const OutgoingPacket> packets);

  // One datagram to the port after each destination's, where RTCP is spoken. Never waits; may get lost.
  void send_control(Bytes datagram);

  // Waits for feedback, at most until `deadline` or wake(), and calls `sink` for each datagram that is there (at most
  // 64 a destination: no flood keeps a sender from sending). With a deadline that is over it only looks. Costs one
  // system call where nothing came.
  using OnFeedback = std::function<void(const Feedback&)>;
  void wait(SteadyTime deadline, const OnFeedback& sink);
  void wake();  // from any thread: wait() returns at once, this time or the next

  // How often the other side has said that nobody listens there. Kernels do so about once a second.
  uint64_t refusals(size_t destination) const;

  bool uses_segmentation() const;  // to any destination
  int path_mtu() const;            // the smallest of the paths, IP packet bytes, as far as the kernel knows; 0 unknown
  const SendCounters& counters() const { return counters_; }
  SendCounters& counters() { return counters_; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  SendCounters counters_;
};

// Receives on one address. Not thread-safe.
class UdpReceiver {
 public:
  struct Settings {
    Address address{};
    unsigned interface_index = 0;  // where a group is joined, or all that an address gets comes in; 0: any
    int receive_buffer_bytes = 32 << 20;
    bool allow_gro = true;  // UDP_GRO
    bool control = false;   // also the port after it, where RTCP is spoken; warns where that is taken, and does without
  };
  explicit UdpReceiver(const Settings& settings);  // throws Error{network}: port in use, no such address …
  ~UdpReceiver();
  UdpReceiver(const UdpReceiver&) = delete;
  UdpReceiver& operator=(const UdpReceiver&) = delete;

  // Waits for datagrams, at most until `deadline` or wake(), then calls `sink(Bytes datagram)` for each one that is
  // there, or `sink(Bytes datagram, const PeerAddress& from)`, or `sink(Bytes datagram, const PeerAddress& from,
  // WallTime came)` with the time when the kernel had it, as far as the kernel says (coalesced ones are taken apart;
  // the bytes are the receiver's until the next call). Gives their number.
  template <typename Sink>
  int receive(SteadyTime deadline, Sink&& sink) {
    return pass_on(wait_and_read(deadline), sink);
  }
  // The same for who wants to know of all of them first: `announce(Bytes datagram)` for each one, `announced()`, then
  // `sink` as above.
  template <typename Sink, typename Announce, typename Announced>
  int receive(SteadyTime deadline, Sink&& sink, Announce&& announce, Announced&& announced) {
    const int batch = wait_and_read(deadline);
    pass_on(batch, announce);
    announced();
    return pass_on(batch, sink);
  }
  void wake();  // from any thread: receive() returns at once
  // One datagram back to where others came from, out of the port that they came to. False when the kernel does not
  // take it (never waits): feedback may get lost like anything else.
  bool send_back(const PeerAddress& to, Bytes datagram);
  // Settings::control: true when something may have come to the control port meanwhile; receive() returns for it.
  bool control_waiting() const;
  // Calls `sink` for what is there (at most 64 datagrams), without waiting; answers go out of the same port.
  using OnControl = std::function<void(Bytes datagram, const PeerAddress& from)>;
  void read_control(const OnControl& sink);
  bool send_control_back(const PeerAddress& to, Bytes datagram);

  int buffer_bytes() const;  // what the kernel granted of Settings::receive_buffer_bytes
  // The sysctl line that mends a buffer smaller than asked for; empty when it is large enough.
  std::string buffer_advice() const;
  uint64_t dropped_by_kernel() const;  // SO_RXQ_OVFL, since the start
  uint16_t port() const;               // the bound one (for port 0)

 private:
  int wait_and_read(SteadyTime deadline);
  template <typename Sink>
  int pass_on(int batch, Sink& sink) {
    int datagrams = 0;
    for (int i = 0; i < batch; ++i) datagrams += for_each_segment(i, sink);
    return datagrams;
  }
  struct Segments {
    Bytes bytes;
    size_t segment_bytes;
    PeerAddress from;
    WallTime came;  // WallTime{}: not known
  };
  Segments segments(int index) const;
  template <typename Sink>
  int for_each_segment(int index, Sink&& sink) {
    const Segments all = segments(index);
    int datagrams = 0;
    for (size_t at = 0; at < all.bytes.size(); at += all.segment_bytes, ++datagrams) {
      const Bytes datagram = all.bytes.subspan(at, std::min(all.segment_bytes, all.bytes.size() - at));
      if constexpr (std::is_invocable_v<Sink&, Bytes, const PeerAddress&, WallTime>)
        sink(datagram, all.from, all.came);
      else if constexpr (std::is_invocable_v<Sink&, Bytes, const PeerAddress&>)
        sink(datagram, all.from);
      else
        sink(datagram);
    }
    return datagrams;
  }
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace texcast::transport
