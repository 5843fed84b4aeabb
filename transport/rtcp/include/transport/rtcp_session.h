// rtcp_session.h — the two ends of RTCP: a sender that sends reports and evaluates those of receivers, and a receiver
// that measures. No I/O: bytes and time are arguments. Nothing is allocated after the beginning except a sender's list.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/packetizer.h"
#include "transport/peer_address.h"
#include "transport/rtcp.h"

namespace texcast::transport {

// The latest report of one receiver.
struct ReceiverOpinion {
  uint32_t ssrc = 0;
  double loss = 0;   // 0..1, in the time between its last two reports
  int64_t lost = 0;  // packets, so far; negative if there were more duplicates
  double jitter_ms = 0;
  std::optional<double> round_trip_ms{};  // known from its second report on
  bool left = false;                      // it has sent BYE: this was its last report
  SteadyTime heard{};
  std::string address{};  // as the caller names it
};

// Which members hear each other: in a group, reports must be spread out (RtcpTimer).
enum class RtcpAudience { group, unicast };

// Not thread-safe.
class RtcpSender {
 public:
  RtcpSender(std::string cname, uint32_t seed, RtcpAudience audience = RtcpAudience::group,
             size_t most_receivers = kMaxReceivers)
      : cname_(std::move(cname)), most_receivers_(most_receivers), audience_(audience), timer_(seed) {}

  void set_audience(RtcpAudience audience) { audience_ = audience; }
  // Packets that are about to be sent. Packets that are not RTP (sealed) are not counted; a stream without RTP sends no
  // reports. `captured`: capture time of the packets' content on the wall clock. Reports relate it to the RTP time
  // stamps, so that receivers can synchronise pictures and sound of one sender; zero: the time of sending.
  void on_sent(std::span<const OutgoingPacket> packets, SteadyTime now, WallTime captured = {});
  // When to call report(); nothing before the first packet.
  std::optional<SteadyTime> next_deadline() const;
  // A due sender report, in this object's memory until the next call. Empty if none is due.
  Bytes report(SteadyTime now, WallTime wall);
  // The same at any time, for a receiver that has just come. Empty if nothing was sent.
  Bytes report_to_newcomer(SteadyTime now, WallTime wall);
  // BYE. Empty if nothing was sent.
  Bytes goodbye(SteadyTime now, WallTime wall);

  // A report from the control port. At most `most_receivers` are remembered, those heard last; the host with the most
  // receivers loses its oldest first. A report from another address with the same SSRC does not affect a receiver.
  void on_report(const RtcpCompound& report, const std::string& from, SteadyTime now, WallTime wall);
  std::span<const ReceiverOpinion> receivers() const { return receivers_; }
  uint64_t changes() const { return changes_; }  // of receivers()

  static constexpr size_t kMaxReceivers = 64;  // unless the constructor says otherwise

 private:
  Bytes write(SteadyTime now, WallTime wall, bool bye);
  uint32_t timestamp_of(SteadyTime now, WallTime wall) const;
  void forget_silent(SteadyTime now);

  const std::string cname_;
  const size_t most_receivers_;
  RtcpAudience audience_;
  RtcpTimer timer_;
  std::optional<uint32_t> ssrc_;
  uint32_t timestamp_ = 0;     // RTP time stamp of the newest frame
  SteadyTime timestamp_at_{};  // when its first packet was sent
  WallTime captured_{};        // its capture time; zero: unknown
  uint32_t packets_ = 0;       // wraps, as in RFC 3550
  uint32_t octets_ = 0;
  std::vector<ReceiverOpinion> receivers_;
  uint64_t changes_ = 0;
  std::array<std::byte, kMaxRtcpBytes> out_{};
};

// The loss and jitter of the receivers behind a relay.
struct RtcpSummary {
  double loss = 0;  // 0..1
  double jitter_ms = 0;
};

// Not thread-safe.
class RtcpReceiver {
 public:
  // `tool`: SDES TOOL, its name and abilities, in every report.
  RtcpReceiver(uint32_t ssrc, std::string cname, uint32_t seed, RtcpAudience audience = RtcpAudience::group,
               std::string tool = {})
      : ssrc_(ssrc), cname_(std::move(cname)), tool_(std::move(tool)), audience_(audience), timer_(seed) {}

  // Every datagram of the media port, duplicates too; datagrams that are neither RTP nor coded packets are ignored. The
  // stream is one SSRC at one address; another one replaces it once that has been silent.
  void on_media(Bytes datagram, SteadyTime arrived, const PeerAddress& from = {});
  // A datagram of the control port. True for a sender report of the stream that on_media() saw, from its host: reports
  // go back to that address.
  bool on_control(Bytes datagram, SteadyTime arrived, const PeerAddress& from = {});
  // When to call report(); nothing before the first sender report.
  std::optional<SteadyTime> next_deadline() const;
  Bytes report(SteadyTime now);   // see RtcpSender
  Bytes goodbye(SteadyTime now);  // empty if nothing was reported

  // From now on, reports also contain these losses and this jitter, if it is larger than the own one.
  void add_behind(const RtcpSummary& behind) { behind_ = behind; }

  // The block that would be sent now; only for an existing stream.
  std::optional<RtcpReportBlock> block(SteadyTime now);

 private:
  // One source's state, as in RFC 3550 A.1, A.3 and A.8.
  struct Source {
    uint32_t ssrc = 0;
    PeerAddress from{};
    SteadyTime heard{};
    uint32_t base_sequence = 0;
    uint32_t highest_sequence = 0;  // extended
    uint64_t received = 0;
    uint64_t expected_before = 0;  // at the last report
    uint64_t received_before = 0;
    uint32_t transit = 0;
    uint32_t jitter_16 = 0;  // 16 times the jitter
    uint32_t last_report = 0;
    SteadyTime last_report_at{};
    uint64_t expected() const { return uint64_t{highest_sequence} - base_sequence + 1; }
  };
  Bytes write(SteadyTime now, bool bye);

  const uint32_t ssrc_;
  const std::string cname_, tool_;
  const RtcpAudience audience_;
  RtcpTimer timer_;
  std::optional<Source> source_;
  RtcpSummary behind_{};
  // Another source must send this many packets in a row to become the stream: a stray packet does not suffice.
  uint32_t candidate_ = 0;
  PeerAddress candidate_from_{};
  int candidate_packets_ = 0;
  bool reported_ = false;
  std::array<std::byte, kMaxRtcpBytes> out_{};
};

}  // namespace texcast::transport
