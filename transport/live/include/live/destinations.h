// destinations.h — where `send` sends: RTP addresses and capture files, behind one call.
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
  std::string interface {};  // name or address; empty: as the routes say
  int multicast_ttl = 1;
};

// Not thread-safe, but for wake().
class Destinations {
 public:
  // "rtp://HOST:PORT" or "pcap:FILE" each. Throws Error{usage}, Error{network}, Error{failed}, and NameTaken for a file
  // as `if_exists` says.
  // `reports`: receivers report of the stream (of sealed ones they do not).
  // `coding`: the version of the coder that a compact stream is of (stream_format.h); 0: it is plain. What members of
  // groups say is given to wait()'s sink as well, and the log is told of receivers that report and do not read such
  // streams.
  explicit Destinations(const std::vector<std::string>& urls, const NetworkChoice& network = {}, bool reports = true,
                        IfExists if_exists = IfExists::refuse, uint8_t coding = 0);
  ~Destinations();  // says goodbye, and removes new captures into which nothing was sent
  Destinations(const Destinations&) = delete;
  Destinations& operator=(const Destinations&) = delete;

  // One more, or one less, by its URL as it was given ("rtp://…"). None of the sender's threads may be at work: nothing
  // else is called meanwhile. add() throws as the constructor does, and where the URL is there already; remove() throws
  // Error{usage} where it is not, and for the last one. What is thrown has changed nothing.
  void add(const std::string& url);
  void remove(const std::string& url);
  std::vector<std::string> urls() const { return urls_; }  // of the addresses, in their order
  const std::vector<transport::Address>& resolved() const { return addresses_; }

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

  // Sound for the captures, which they get before the first packet of the picture that is later. From any thread.
  bool has_captures() const { return !captures_.empty(); }
  void put_sound(std::span<const transport::OutgoingPacket> packets, WallTime time);
  void finish_captures();  // nothing is sent after that; throws Error{failed}

  // `time` is when the packets leave; captures are stamped with it. `captured`: when the picture in them was available,
  // for RTCP; zero: not known.
  void send(std::span<const transport::OutgoingPacket> packets, WallTime time, WallTime captured = {});
  // To one RTP address alone, `Feedback::destination` of what came from it.
  void send_to(size_t destination, std::span<const transport::OutgoingPacket> packets) {
    sender_.send_to(destination, packets);
  }
  // The pointer of the desktop that the stream shows goes along, sealed as the stream is (null: it is not); before the
  // stream's sender begins. Then, from any thread, where the pointer is: wait() sends it to the addresses.
  void carry_cursor(uint32_t ssrc, std::shared_ptr<transport::Sealer> sealer);
  void show_cursor(const Cursor& cursor, WallTime captured);

  // Waits until `deadline`, wake(), or what came back has been given to `sink` (see UdpSender::wait()). RTCP is spoken
  // meanwhile, and not given to it; and the log is told where nobody listens or reports.
  void wait(SteadyTime deadline, const transport::UdpSender::OnFeedback& sink);
  void wake() { sender_.wake(); }  // from any thread
  uint64_t refused() const { return sender_.counters().refused; }
  // What receivers say of the stream, by RTCP: the hosts of unicast destinations, and anybody where one is a group.
  std::span<const transport::ReceiverOpinion> receivers() const { return rtcp_.receivers(); }
  uint64_t receiver_changes() const { return rtcp_.changes(); }
  bool uses_segmentation() const { return real_time() && sender_.uses_segmentation(); }

 private:
  struct Capture {
    std::unique_ptr<transport::PcapWriter> writer;
    std::string created{};  // its name, where there was no such file
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
  std::optional<CompactListeners> compact_listeners_{};  // of a compact stream
  std::unique_ptr<CursorSender> cursor_{};
  transport::RtcpSender rtcp_;
  ListenerWatch watch_;
  std::vector<uint64_t> refusals_;  // of each address, that watch_ knows
  transport::UdpSender sender_;     // last: made from the addresses
};

}  // namespace texcast::stream
