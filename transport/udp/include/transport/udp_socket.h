// udp_socket.h — sends and receives datagrams in batches. The only module that uses OS sockets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/address.h"
#include "transport/packetizer.h"

namespace texcast::transport {

// A datagram that a sender received: from a destination; or from anyone, at a control socket or with
// UdpSender::Settings::group_feedback.
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
  uint64_t refused = 0;  // packets that the socket did not take (port unreachable, no route)
};

// Sends to any number of destinations (none: only waits). Not thread-safe, except for wake().
class UdpSender {
 public:
  struct Settings {
    std::span<const Address> destinations{};  // read by the constructor only
    int send_buffer_bytes = 4 << 20;
    bool allow_segmentation = true;  // UDP_SEGMENT
    int multicast_ttl = 1;  // for groups: one more than the routers that packets may cross; 0: none leaves the machine
    unsigned interface_index = 0;  // outgoing interface (see interface.h); 0: according to the routes
    // `control`: opens a second socket for each destination, for send_control() and the answers to it.
    bool control = false;
    // Datagrams that members of a group send to the port of its packets are feedback too; otherwise only those of
    // unicast destinations are.
    bool group_feedback = false;
    // How long a full queue is waited for (see send()), whatever the number of destinations.
    std::optional<nanoseconds> patience{};
  };
  explicit UdpSender(const Settings& settings);  // throws Error{network}
  ~UdpSender();
  UdpSender(const UdpSender&) = delete;
  UdpSender& operator=(const UdpSender&) = delete;

  // Appends a destination. Throws Error{network}; then nothing has changed.
  void add(const Address& destination);
  // Removes a destination; the indices of later ones decrease by one. `goodbye` is sent to its control port first.
  void remove(size_t destination, Bytes goodbye);

  // Sends every packet to every destination: by UDP_SEGMENT if the kernel supports it, else (permanently, from the
  // first refusal on) by sendmmsg with the same bytes. Waits while the socket buffer is full: at most a second; with
  // several destinations 2 ms, and only once until that destination accepts packets again. Refusals (port unreachable,
  // full queues) are counted, not thrown, and do not affect other destinations. Packets above the path MTU are
  // fragmented, after a warning. The caller updates counters().frames.
  void send(std::span<const OutgoingPacket> packets);
  // Sends to one of them: an answer to its feedback.
  void send_to(size_t destination, std::span<const OutgoingPacket> packets);

  // Sends one datagram to the port after each destination's, for RTCP. Never waits; may be lost.
  void send_control(Bytes datagram);

  // Waits for feedback until `deadline` or wake() at the latest, and calls `sink` for each datagram (at most 64 per
  // destination, so that a flood cannot block sending). With an elapsed deadline it only polls. Costs one system call
  // if nothing arrived.
  using OnFeedback = std::function<void(const Feedback&)>;
  void wait(SteadyTime deadline, const OnFeedback& sink);
  void wake();  // from any thread: wait() returns at once, now or the next time

  // Number of port-unreachable errors from the other side. Kernels send about one a second.
  uint64_t refusals(size_t destination) const;

  bool uses_segmentation() const;  // to any destination
  int path_mtu() const;  // the smallest path MTU in bytes of an IP packet, as far as the kernel knows; 0: unknown
  const SendCounters& counters() const { return counters_; }
  const SendCounters& counters(size_t destination) const;  // of one destination, without frames
  // Readable when wait() has something to do; for poll() only.
  int descriptor() const;
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
    unsigned interface_index = 0;  // where a group is joined, or the only incoming interface of an address; 0: any
    int receive_buffer_bytes = 32 << 20;
    bool allow_gro = true;  // UDP_GRO
    bool control = false;   // also opens the next port, for RTCP; if that is taken, warns and does without
  };
  explicit UdpReceiver(const Settings& settings);  // throws Error{network}: port in use, no such address …
  ~UdpReceiver();
  UdpReceiver(const UdpReceiver&) = delete;
  UdpReceiver& operator=(const UdpReceiver&) = delete;

  // Waits for datagrams until `deadline` or wake() at the latest, then calls one of these for each: `sink(Bytes
  // datagram)`, `sink(Bytes datagram, const PeerAddress& from)`, or `sink(Bytes datagram, const PeerAddress& from,
  // WallTime came)` with the kernel's time of arrival, if it has one. Coalesced datagrams are separated; the bytes are
  // valid until the next call. Returns the number of datagrams.
  template <typename Sink>
  int receive(SteadyTime deadline, Sink&& sink) {
    return pass_on(wait_and_read(deadline), sink);
  }
  // The same for callers that need all datagrams beforehand: `announce(Bytes datagram)` for each, `announced()`, then
  // `sink` as above.
  template <typename Sink, typename Announce, typename Announced>
  int receive(SteadyTime deadline, Sink&& sink, Announce&& announce, Announced&& announced) {
    const int batch = wait_and_read(deadline);
    pass_on(batch, announce);
    announced();
    return pass_on(batch, sink);
  }
  void wake();  // from any thread: receive() returns at once
  // receive() also returns when this descriptor is readable; -1: none. It must stay open until it is replaced.
  void watch(int descriptor);
  // Sends one datagram back to a sender, from the port that received its datagrams. False if the kernel does not take
  // it (never waits): feedback may be lost like anything else.
  bool send_back(const PeerAddress& to, Bytes datagram);
  // Settings::control: true if something may have arrived at the control port; receive() returns for it.
  bool control_waiting() const;
  // Calls `sink` for the datagrams that have arrived (at most 64), without waiting; answers are sent from the same
  // port.
  using OnControl = std::function<void(Bytes datagram, const PeerAddress& from)>;
  void read_control(const OnControl& sink);
  bool send_control_back(const PeerAddress& to, Bytes datagram);

  int buffer_bytes() const;  // granted by the kernel for Settings::receive_buffer_bytes
  // A sysctl command to allow a larger buffer; empty if the buffer has the requested size.
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
    WallTime came;  // WallTime{}: unknown
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
