// datagrams.h — where datagrams come from: a socket, or a capture replayed.
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
  // How long the datagram that arrived had been in the socket's queue by then. 0: not known.
  nanoseconds in_queue{};
};
inline Instant instant_now() { return {steady_now(), wall_now()}; }

class DatagramSink {
 public:
  virtual ~DatagramSink() = default;
  // Whether expect() is to be called: with the datagrams of each read before on_datagram() gets them, and with none
  // after that, when they go.
  virtual bool wants_to_expect() const { return false; }
  virtual void expect(std::span<const Bytes> /*datagrams*/) {}
  // `from`: what DatagramSource::send_back() answers; unknown in a capture.
  virtual void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) = 0;
};

// All from one thread, but for wake().
class DatagramSource {
 public:
  virtual ~DatagramSource() = default;
  // Waits for datagrams until `limit` (in now()'s time) at the latest, and passes on those that are there. False at
  // the end.
  virtual bool read(SteadyTime limit, DatagramSink& sink) = 0;
  virtual Instant now() const = 0;  // a capture that is not paced has the capture's time
  virtual void wake() = 0;          // read() returns soon
  // One datagram back to the sender of others, also from within on_datagram(); false where it cannot go (a capture).
  virtual bool send_back(const transport::PeerAddress& /*to*/, Bytes /*datagram*/) { return false; }
  virtual uint64_t dropped_by_kernel() const { return 0; }
  // URLs that `send` may be given so that it comes here, the likeliest first; none for a capture.
  virtual std::vector<std::string> send_to() const { return {}; }
  virtual uint64_t outside() const { return 0; }  // datagrams of hosts that are not listened to
  // Sound that comes among the other datagrams, as in a capture, goes there from now on, on read()'s thread; its sink
  // gets none of it in any case. False: sound comes to a port of its own, and never here.
  using OnSound = std::function<void(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from)>;
  virtual bool give_sound_to(const OnSound& /*on_sound*/) { return false; }
  // False for a capture: its sender's times mean nothing today.
  virtual bool live() const { return true; }
};

// Speaks RTCP beside: what is lost and late here is told to senders that ask by their reports.
class UdpDatagrams : public DatagramSource {
 public:
  ~UdpDatagrams() override;
  // Throws Error{network}. Only the hosts in `from` are heard; none given: all.
  explicit UdpDatagrams(const transport::Address& address, unsigned interface_index = 0,
                        std::vector<transport::PeerNetwork> from = {});
  bool read(SteadyTime limit, DatagramSink& sink) override;
  Instant now() const override { return instant_now(); }
  void wake() override { receiver_.wake(); }
  bool send_back(const transport::PeerAddress& to, Bytes datagram) override {
    return receiver_.send_back(to, datagram);
  }
  uint64_t dropped_by_kernel() const override { return receiver_.dropped_by_kernel(); }
  uint64_t outside() const override { return outside_; }
  std::string buffer_advice() const { return receiver_.buffer_advice(); }
  uint16_t port() const { return receiver_.port(); }
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
};

enum class Pace { as_captured, unpaced };

class CaptureDatagrams : public DatagramSource {
 public:
  // Throws Error{input}. `from`: as UdpDatagrams has it.
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
  std::bitset<65536> ports_;  // to which something went
  WallTime first_{};          // capture time of the first datagram
  WallTime position_{};       // capture time of the last one passed on
  Instant begun_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool wake_ = false;
};

// ---- by name: what SOURCE of `play` and `receive` means, a stream to listen for, a capture, or a file ----

inline bool is_rtp(std::string_view source) { return source.starts_with("rtp://"); }
inline bool is_capture(std::string_view source) { return source.starts_with("pcap:"); }
inline std::string capture_path(std::string_view source) { return std::string(source.substr(5)); }

// For the first two. Throws Error{usage}, Error{network} or Error{input}. `pace` matters for captures, `interface`
// (name or address, empty: any) for streams.
// Warns with the sysctl line when the kernel's limit on socket buffers is too small.
// `from`: "HOST[/BITS]" each, who is listened to; none given: all.
std::unique_ptr<DatagramSource> open_datagrams(const std::string& source, Pace pace, const std::string& interface = {},
                                               const std::vector<std::string>& from = {});

}  // namespace texcast::stream
