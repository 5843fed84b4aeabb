// destinations.h — the destinations of a stream, RTP addresses, browsers and capture files, behind one interface.
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
#include "live/web_viewers.h"
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
  WebViewers::Open open_web{};            // for "web://…"; empty: these are an error
  size_t most_viewers = 64;               // of each "web://…"
  bool hears_groups = false;              // reads the feedback of a group's members even if the stream is raw
  std::optional<nanoseconds> patience{};  // UdpSender::Settings::patience
  size_t most_receivers = transport::RtcpSender::kMaxReceivers;  // whose reports are remembered
};

// Not thread-safe, except wake(), put_sound() and show_cursor().
class Destinations {
 public:
  // `urls`: "rtp://HOST:PORT", "web://[ADDRESS]:PORT" or "pcap:FILE" each. `reports`: receivers send RTCP reports (they
  // do not for encrypted streams). `coding`: the coding version of the stream (stream_format.h); 0: it is raw. For a
  // coded stream, feedback from members of groups goes to wait()'s sink too, and receivers that report but cannot read
  // the stream are logged. Throws Error{usage}, Error{network}, Error{failed}, and NameTaken for a file as `if_exists`
  // says.
  explicit Destinations(const std::vector<std::string>& urls, const NetworkChoice& network = {}, bool reports = true,
                        IfExists if_exists = IfExists::refuse, uint8_t coding = 0);
  ~Destinations();  // sends RTCP BYE, and removes new capture files that stayed empty
  Destinations(const Destinations&) = delete;
  Destinations& operator=(const Destinations&) = delete;

  // The coding version of the stream from now on; 0: it is raw. Call it before the stream's sender begins. Receivers
  // that cannot read it are logged, if the stream was coded at first.
  void expect_coding(uint8_t coding);

  // Adds or removes an address by its URL ("rtp://…", "web://…"). No other call may be made meanwhile, so that the
  // sender's threads must have ended. add() throws what the constructor throws, and Error{usage} if the URL is there
  // already; remove() throws Error{usage} if it is not, or is the last one. After an exception nothing has changed.
  void add(const std::string& url);
  void remove(const std::string& url);
  std::vector<std::string> urls() const;  // those of resolved() in the same order, then web://…
  const std::vector<transport::Address>& resolved() const { return addresses_; }
  std::vector<std::shared_ptr<web::Stream>> web_streams() const { return web_.streams(); }

  bool real_time() const { return !addresses_.empty() || !web_.empty(); }  // false: captures only, without pacing
  bool only_web() const { return addresses_.empty() && captures_.empty() && !web_.empty(); }
  // False while the stream goes to browsers only and none watches; the first one that comes asks for all tiles.
  bool has_audience() const { return !only_web() || web_.watching() > 0; }
  bool all_on_loopback() const { return all_on_loopback_ && web_.all_on_loopback(); }
  bool ipv6() const { return ipv6_; }
  bool all_unicast() const;
  bool hears_everybody() const { return compact_listeners_ || all_unicast(); }   // feedback of all receivers is read
  size_t addresses() const { return addresses_.size(); }                         // without captures and browsers
  size_t viewers() const { return web_.watching(); }                             // browsers that watch now
  size_t receivers_at_most() const { return addresses_.size() + web_.slots(); }  // above any Feedback::destination
  int path_mtu() const { return sender_.path_mtu(); }                            // the smallest; 0: unknown

  // Defaults for this network path: the MTU is Ethernet's, or less if the path needs that (tunnels, clouds).
  int usual_mtu() const;
  double usual_spread() const;  // part of the frame time over which packets are paced

  // Sound for the captures. It is written before the first packet of the picture that is later. From any thread.
  bool has_captures() const { return !captures_.empty(); }
  void put_sound(std::span<const transport::OutgoingPacket> packets, WallTime time);
  void finish_captures();  // nothing may be sent after that; throws Error{failed}
  // Tells the receivers that the stream is over (RTCP BYE), as the destructor does, once. Nothing may be sent after
  // that.
  void end();

  // `time`: when the packets leave, and their time in captures. `captured`: when their picture was available, for RTCP
  // sender reports; zero: unknown.
  void send(std::span<const transport::OutgoingPacket> packets, WallTime time, WallTime captured = {});
  // To one receiver only, an RTP address or a viewer, by its Feedback::destination.
  void send_to(size_t destination, std::span<const transport::OutgoingPacket> packets);
  // The stream that viewers watch: its SSRC, and its sealer (nullptr: not encrypted), whose envelopes are opened for
  // them. Call it before the stream's sender begins.
  void serve_viewers(uint32_t ssrc, std::shared_ptr<transport::Sealer> sealer);
  // Sends the mouse pointer of the captured desktop along, encrypted by `sealer` (nullptr: not encrypted). Call it
  // before the stream's sender begins. Then show_cursor(), from any thread, sets the pointer, and wait() sends it;
  // without carry_cursor() it does nothing.
  void carry_cursor(uint32_t ssrc, std::shared_ptr<transport::Sealer> sealer);
  void show_cursor(const Cursor& cursor, WallTime captured);

  // Waits until `deadline`, wake(), or until feedback was passed to `sink` (see UdpSender::wait()). Meanwhile it sends
  // and reads RTCP, which is not passed to `sink`, and logs destinations where nobody listens or reports.
  void wait(SteadyTime deadline, const transport::UdpSender::OnFeedback& sink);
  void wake() { sender_.wake(); }  // from any thread
  // For callers that wait for other things too: wait() has something to do when this descriptor is readable, and at
  // this time.
  int descriptor() const { return sender_.descriptor(); }
  std::optional<SteadyTime> next_deadline() const;
  // Counts what was sent to one of resolved(), and how often its host said that nobody listens there.
  const transport::SendCounters& sent_to(size_t address) const { return sender_.counters(address); }
  uint64_t refusals(size_t address) const { return sender_.refusals(address); }
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
  void take_from_viewers(const transport::UdpSender::OnFeedback& sink);
  void greet(size_t slot, const transport::PeerAddress& viewer, const transport::UdpSender::OnFeedback& sink);
  void on_report(const transport::Feedback& feedback);
  bool is_receiver(const transport::Feedback& feedback) const;
  static Capture open_capture(const std::string& path, IfExists if_exists);
  void look_for_listeners(SteadyTime now);
  void send_cursor();
  void send_control(Bytes datagram);
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
  bool has_ended_ = false;
  bool all_on_loopback_ = true;
  bool ipv6_ = false;
  std::optional<CompactListeners> compact_listeners_{};  // of a coded stream
  std::unique_ptr<CursorSender> cursor_{};
  transport::RtcpSender rtcp_;
  ListenerWatch watch_;
  std::vector<uint64_t> refusals_;                       // of each address, as far as watch_ knows them
  transport::UdpSender sender_;                          // after addresses_, which it copies
  uint32_t ssrc_ = 0;                                    // that viewers watch
  std::shared_ptr<transport::Sealer> viewers_sealer_{};  // of the same stream
  WebViewers web_;                                       // last: it wakes sender_
};

}  // namespace texcast::stream
