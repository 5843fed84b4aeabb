// destinations.h — where `send` sends: RTP addresses and capture files, behind one call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "live/compact_listeners.h"
#include "live/listener_watch.h"
#include "texcast/frame_times.h"
#include "texcast/if_exists.h"
#include "transport/address.h"
#include "transport/packetizer.h"
#include "transport/pcap.h"
#include "transport/rtcp_session.h"
#include "transport/udp_socket.h"

namespace texcast::stream {

struct NetworkChoice {
  std::string interface {};  // name or address; empty: as the routes say
  int multicast_ttl = 1;
};

// Not thread-safe, but for wake().
class Destinations {
 public:
  // "rtp://HOST:PORT" or "pcap:FILE" each. Throws Error{usage}, Error{network}, Error{failed}, and NameTaken for a file
  // as `if_exists` says.
  // `reports`: receivers report of the stream (of sealed ones they do not).
  // `compact`: the stream is compact. What members of groups say is given to wait()'s sink as well, and the log is told
  // of receivers that report and do not read such streams.
  explicit Destinations(const std::vector<std::string>& urls, const NetworkChoice& network = {}, bool reports = true,
                        IfExists if_exists = IfExists::refuse, bool compact = false);
  ~Destinations();  // says goodbye, and removes new captures into which nothing was sent
  Destinations(const Destinations&) = delete;
  Destinations& operator=(const Destinations&) = delete;

  bool real_time() const { return !addresses_.empty(); }  // false: only captures, which need no pacing
  bool all_on_loopback() const { return all_on_loopback_; }
  bool ipv6() const { return ipv6_; }
  bool all_unicast() const;
  bool hears_everybody() const { return compact_listeners_ || all_unicast(); }  // that it sends to
  size_t addresses() const { return addresses_.size(); }                        // that are sent to
  int path_mtu() const { return sender_.path_mtu(); }                           // the narrowest way's; 0 unknown

  // What suits the way: ways narrower than Ethernet (tunnels, clouds) get what they take.
  int usual_mtu() const;
  double usual_spread() const;  // part of the frame time over which packets are spread

  void finish_captures();  // nothing is sent after that; throws Error{failed}

  // `time` is when the packets leave; captures are stamped with it.
  void send(std::span<const transport::OutgoingPacket> packets, WallTime time);
  // To one RTP address alone, `Feedback::destination` of what came from it.
  void send_to(size_t destination, std::span<const transport::OutgoingPacket> packets) {
    sender_.send_to(destination, packets);
  }
  // Waits until `deadline`, wake(), or what came back has been given to `sink` (see UdpSender::wait()). RTCP is spoken
  // meanwhile, and not given to it; and the log is told where nobody listens or reports.
  void wait(SteadyTime deadline, const transport::UdpSender::OnFeedback& sink);
  void wake() { sender_.wake(); }  // from any thread
  uint64_t refused() const { return sender_.counters().refused; }
  // What receivers say of the stream, by RTCP.
  std::span<const transport::ReceiverOpinion> receivers() const { return rtcp_.receivers(); }
  uint64_t receiver_changes() const { return rtcp_.changes(); }
  bool uses_segmentation() const { return real_time() && sender_.uses_segmentation(); }

 private:
  struct Capture {
    std::unique_ptr<transport::PcapWriter> writer;
    std::string created{};  // its name, where there was no such file
  };
  void on_report(const transport::Feedback& feedback);
  static Capture open_capture(const std::string& path, IfExists if_exists);
  void look_for_listeners(SteadyTime now);

  std::vector<transport::Address> addresses_;
  std::vector<Capture> captures_;
  bool sent_ = false;
  bool all_on_loopback_ = true;
  bool ipv6_ = false;
  std::optional<CompactListeners> compact_listeners_{};  // of a compact stream
  transport::RtcpSender rtcp_;
  ListenerWatch watch_;
  std::vector<uint64_t> refusals_;  // of each address, that watch_ knows
  transport::UdpSender sender_;     // last: made from the addresses
};

}  // namespace texcast::stream
