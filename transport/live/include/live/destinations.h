// destinations.h — the destinations of a stream, RTP addresses and capture files, behind one interface.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "live/compact_listeners.h"
#include "live/cursor_sender.h"
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
  std::string interface {};  // name or address; empty: by the routing table
  int multicast_ttl = 1;
};

// Not thread-safe, except wake(), put_sound() and show_cursor().
class Destinations {
 public:
  // `urls`: "rtp://HOST:PORT" or "pcap:FILE" each. `reports`: receivers send RTCP reports (they do not for encrypted
  // streams). `coding`: the coding version of the stream (stream_format.h); 0: it is raw. For a coded stream, feedback
  // from members of groups goes to wait()'s sink too, and receivers that report but cannot read the stream are logged.
  // Throws Error{usage}, Error{network}, Error{failed}, and NameTaken for a file as `if_exists` says.
  explicit Destinations(const std::vector<std::string>& urls, const NetworkChoice& network = {}, bool reports = true,
                        IfExists if_exists = IfExists::refuse, uint8_t coding = 0);
  ~Destinations();  // sends RTCP BYE, and removes new capture files that stayed empty
  Destinations(const Destinations&) = delete;
  Destinations& operator=(const Destinations&) = delete;

  // Adds or removes an address by its URL ("rtp://…"). No other call may be made meanwhile, so that the sender's
  // threads must have ended. add() throws what the constructor throws, and Error{usage} if the URL is there already;
  // remove() throws Error{usage} if it is not, or is the last one. After an exception nothing has changed.
  void add(const std::string& url);
  void remove(const std::string& url);
  std::vector<std::string> urls() const { return urls_; }  // of resolved(), in the same order
  const std::vector<transport::Address>& resolved() const { return addresses_; }

  bool real_time() const { return !addresses_.empty(); }  // false: captures only, which need no pacing
  bool all_on_loopback() const { return all_on_loopback_; }
  bool ipv6() const { return ipv6_; }
  bool all_unicast() const;
  bool hears_everybody() const { return compact_listeners_ || all_unicast(); }  // feedback of all receivers is read
  size_t addresses() const { return addresses_.size(); }                        // without captures
  int path_mtu() const { return sender_.path_mtu(); }                           // the smallest; 0: unknown

  // Defaults for this network path: the MTU is Ethernet's, or less if the path needs that (tunnels, clouds).
  int usual_mtu() const;
  double usual_spread() const;  // part of the frame time over which packets are paced

  // Sound for the captures. It is written before the first packet of the picture that is later. From any thread.
  bool has_captures() const { return !captures_.empty(); }
  void put_sound(std::span<const transport::OutgoingPacket> packets, WallTime time);
  void finish_captures();  // nothing may be sent after that; throws Error{failed}

  // `time`: when the packets leave, and their time in captures. `captured`: when their picture was available, for RTCP
  // sender reports; zero: unknown.
  void send(std::span<const transport::OutgoingPacket> packets, WallTime time, WallTime captured = {});
  // To one RTP address only, by its Feedback::destination.
  void send_to(size_t destination, std::span<const transport::OutgoingPacket> packets) {
    sender_.send_to(destination, packets);
  }
  // Sends the mouse pointer of the captured desktop along, encrypted by `sealer` (nullptr: not encrypted). Call it
  // before the stream's sender begins. Then show_cursor(), from any thread, sets the pointer, and wait() sends it;
  // without carry_cursor() it does nothing.
  void carry_cursor(uint32_t ssrc, std::shared_ptr<transport::Sealer> sealer);
  void show_cursor(const Cursor& cursor, WallTime captured);

  // Waits until `deadline`, wake(), or until feedback was passed to `sink` (see UdpSender::wait()). Meanwhile it sends
  // and reads RTCP, which is not passed to `sink`, and logs destinations where nobody listens or reports.
  void wait(SteadyTime deadline, const transport::UdpSender::OnFeedback& sink);
  void wake() { sender_.wake(); }  // from any thread
  uint64_t refused() const { return sender_.counters().refused; }
  // The RTCP reports of receivers: from the hosts of unicast destinations, or from anybody if one destination is a
  // group.
  std::span<const transport::ReceiverOpinion> receivers() const { return rtcp_.receivers(); }
  uint64_t receiver_changes() const { return rtcp_.changes(); }

 private:
  struct Capture {
    std::unique_ptr<transport::PcapWriter> writer;
    std::string created{};  // its name if the file is new
  };
  void on_report(const transport::Feedback& feedback);
  bool is_receiver(const transport::Feedback& feedback) const;
  static Capture open_capture(const std::string& path, IfExists if_exists);
  void look_for_listeners(SteadyTime now);
  void send_cursor();
  void write_sound(WallTime until);
  void addresses_changed();

  const bool reports_;
  std::vector<std::string> urls_;  // of addresses_
  std::vector<transport::Address> addresses_;
  std::vector<Capture> captures_;
  struct WaitingPacket {
    std::vector<std::byte> bytes;
    WallTime time{};
  };
  std::mutex sound_mutex_;
  std::deque<WaitingPacket> sound_;  // with sound_mutex_
  bool sent_ = false;
  bool all_on_loopback_ = true;
  bool ipv6_ = false;
  std::optional<CompactListeners> compact_listeners_{};  // of a coded stream
  std::unique_ptr<CursorSender> cursor_{};
  transport::RtcpSender rtcp_;
  ListenerWatch watch_;
  std::vector<uint64_t> refusals_;  // of each address, as far as watch_ knows them
  transport::UdpSender sender_;     // after addresses_, which it copies
};

}  // namespace texcast::stream
