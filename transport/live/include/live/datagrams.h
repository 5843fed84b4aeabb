// datagrams.h — sources of datagrams: a socket, or a capture that is replayed.
#pragma once

#include <bitset>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/address.h"
#include "transport/interface.h"
#include "transport/pcap.h"
#include "transport/peer_address.h"
#include "transport/rtcp_session.h"
#include "transport/udp_socket.h"

namespace texcast::stream {

struct Instant {
  SteadyTime steady{};
  WallTime wall{};
  // How long the datagram had been in the socket's queue; 0: unknown.
  nanoseconds in_queue{};
};
inline Instant instant_now() { return {steady_now(), wall_now()}; }

class DatagramSink {
 public:
  virtual ~DatagramSink() = default;
  // True to get expect() called: with the datagrams of each read before they are passed to on_datagram(), and with none
  // after that, when their memory is reused.
  virtual bool wants_to_expect() const { return false; }
  virtual void expect(std::span<const Bytes> /*datagrams*/) {}
  // `from`: the address for DatagramSource::send_back(); unknown in a capture.
  virtual void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) = 0;
};

// Use on one thread, except for wake().
class DatagramSource {
 public:
  virtual ~DatagramSource() = default;
  // Waits for datagrams until `limit` (in now()'s time) at the latest, and passes on those that are available. False at
  // the end.
  virtual bool read(SteadyTime limit, DatagramSink& sink) = 0;
  virtual Instant now() const = 0;  // capture time for an unpaced capture
  virtual void wake() = 0;          // read() returns soon
  // read() also returns when this descriptor is readable, as long as that stays open; -1: none. False if that is
  // impossible (a capture).
  virtual bool watch(int /*descriptor*/) { return false; }
  // Tells the sender that this receiver leaves, as the destructor does, once. read() is not called afterwards.
  virtual void end() {}
  // Sends one datagram back to a sender, also from within on_datagram(); false if that is impossible (a capture).
  virtual bool send_back(const transport::PeerAddress& /*to*/, Bytes /*datagram*/) { return false; }
  virtual uint64_t dropped_by_kernel() const { return 0; }
  // URLs for `send` so that packets arrive here, the likeliest first; none for a capture.
  virtual std::vector<std::string> send_to() const { return {}; }
  virtual uint16_t port() const { return 0; }     // that packets arrive at; 0: a capture
  virtual uint64_t outside() const { return 0; }  // datagrams from hosts outside the allowed ones
  // From now on, audio datagrams among the others, as in a capture, are passed to `on_sound` on read()'s thread; the
  // sink never gets them. False: audio has a port of its own.
  using OnSound = std::function<void(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from)>;
  virtual bool give_sound_to(const OnSound& /*on_sound*/) { return false; }
  // Adds what receivers behind this one report to its own reports to the sender.
  virtual void report_behind(const transport::RtcpSummary& /*behind*/) {}
  // False for a capture: its sender's times do not refer to today.
  virtual bool live() const { return true; }
};

// Also speaks RTCP: sends reports about loss and jitter to senders that send reports.
class UdpDatagrams : public DatagramSource {
 public:
  ~UdpDatagrams() override;
  // Throws Error{network}. Only the hosts in `from` are accepted; empty: all.
  explicit UdpDatagrams(const transport::Address& address, unsigned interface_index = 0,
                        std::vector<transport::PeerNetwork> from = {});
  bool read(SteadyTime limit, DatagramSink& sink) override;
  Instant now() const override { return instant_now(); }
  void wake() override { receiver_.wake(); }
  bool watch(int descriptor) override {
    receiver_.watch(descriptor);
    return true;
  }
  void end() override;
  bool send_back(const transport::PeerAddress& to, Bytes datagram) override {
    return receiver_.send_back(to, datagram);
  }
  void report_behind(const transport::RtcpSummary& behind) override { rtcp_.add_behind(behind); }
  uint64_t dropped_by_kernel() const override { return receiver_.dropped_by_kernel(); }
  uint64_t outside() const override { return outside_; }
  std::string buffer_advice() const { return receiver_.buffer_advice(); }
  uint16_t port() const override { return receiver_.port(); }
  std::vector<std::string> send_to() const override {
    return transport::urls_to_send_to(address_, receiver_.port(), interface_index_);
  }

 private:
  void speak_rtcp(SteadyTime now);

  const transport::Address address_;
  const unsigned interface_index_;
  transport::UdpReceiver receiver_;
  transport::RtcpReceiver rtcp_;
  transport::PeerAddress reports_to_{};
  std::vector<Bytes> expected_;
  const std::vector<transport::PeerNetwork> from_;
  uint64_t outside_ = 0;
  bool has_ended_ = false;
};

enum class Pace { as_captured, unpaced };

class CaptureDatagrams : public DatagramSource {
 public:
  // Throws Error{input}. `from`: see UdpDatagrams.
  CaptureDatagrams(const std::string& path, Pace pace, std::vector<transport::PeerNetwork> from = {});
  bool read(SteadyTime limit, DatagramSink& sink) override;
  Instant now() const override;
  void wake() override;
  uint64_t outside() const override { return outside_; }
  bool live() const override { return false; }
  bool give_sound_to(const OnSound& on_sound) override {
    on_sound_ = on_sound;
    return true;
  }

 private:
  SteadyTime due(const transport::CapturedDatagram& datagram) const;
  void pass_on(const Instant& arrived, DatagramSink& sink);
  bool is_sound(const transport::CapturedDatagram& datagram) const;
  transport::PcapReader reader_;
  const Pace pace_;
  std::optional<transport::CapturedDatagram> next_;
  const std::vector<transport::PeerNetwork> from_;
  uint64_t outside_ = 0;
  OnSound on_sound_;
  std::bitset<65536> ports_;  // ports that datagrams were sent to
  WallTime first_{};          // capture time of the first datagram
  WallTime position_{};       // capture time of the last one passed on
  Instant begun_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool wake_ = false;
};

// Opens a socket. Throws Error{usage} or Error{network}. `interface` and `from`: see open_datagrams().
std::unique_ptr<UdpDatagrams> open_udp(const transport::Address& address, const std::string& interface,
                                       const std::vector<std::string>& from);

// ---- SOURCE of `play` and `receive`: a stream to listen for, a capture, or a file ----

inline bool is_rtp(std::string_view source) { return source.starts_with("rtp://"); }
inline bool is_capture(std::string_view source) { return source.starts_with("pcap:"); }
inline std::string capture_path(std::string_view source) { return std::string(source.substr(5)); }

// Opens a stream or a capture. Throws Error{usage}, Error{network} or Error{input}. `pace` applies to captures,
// `interface` (name or address, empty: any) to streams. `from`: allowed senders, each "HOST[/BITS]"; empty: all. Logs a
// warning with the sysctl command if the kernel's limit on socket buffers is too small.
std::unique_ptr<DatagramSource> open_datagrams(const std::string& source, Pace pace, const std::string& interface = {},
                                               const std::vector<std::string>& from = {});

}  // namespace texcast::stream
