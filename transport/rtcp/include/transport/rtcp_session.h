// rtcp_session.h — the two ends of RTCP: a sender that reports and hears what receivers say, and a receiver that
// measures. Pure: bytes and time are arguments; nothing is allocated after the beginning but a sender's list.
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

// What one receiver said last.
struct ReceiverOpinion {
  uint32_t ssrc = 0;
  double loss = 0;   // 0..1, in the time between its last two reports
  int64_t lost = 0;  // packets, so far; less than 0 where duplicates outnumber them
  double jitter_ms = 0;
  std::optional<double> round_trip_ms{};  // known from its second word on
  bool left = false;                      // it said goodbye: these were its last words
  SteadyTime heard{};
  std::string address{};  // as the caller names it
};

// Who hears each other: a group has to keep its reports apart (RtcpTimer).
enum class RtcpAudience { group, unicast };

// Not thread-safe.
class RtcpSender {
 public:
  RtcpSender(std::string cname, uint32_t seed, RtcpAudience audience = RtcpAudience::group)
      : cname_(std::move(cname)), audience_(audience), timer_(seed) {}

  void set_audience(RtcpAudience audience) { audience_ = audience; }
  // Packets that are about to leave. What is no RTP (sealed) is not counted; a stream of none of it is not reported.
  // `captured`: when what is in them was there on the wall clock, which is what reports say of their time stamps, so
  // that pictures and sound of one sender can be put together; zero: as if when they leave.
  void on_sent(std::span<const OutgoingPacket> packets, SteadyTime now, WallTime captured = {});
  // When report() wants to be called; nothing before the first packet.
  std::optional<SteadyTime> next_deadline() const;
  // A sender report that is due; the bytes are this object's until the next call. Empty when it is not due.
  Bytes report(SteadyTime now, WallTime wall);
  // The last word: BYE. Empty where nothing was sent.
  Bytes goodbye(SteadyTime now, WallTime wall);

  // What came to the control port. At most kMaxReceivers are remembered, those heard last; of a host with more than
  // others the oldest gives way first. What comes from elsewhere under the name of a receiver says nothing of that one.
  void on_report(const RtcpCompound& report, const std::string& from, SteadyTime now, WallTime wall);
  std::span<const ReceiverOpinion> receivers() const { return receivers_; }
  uint64_t changes() const { return changes_; }  // of receivers()

  static constexpr size_t kMaxReceivers = 64;

 private:
  Bytes write(SteadyTime now, WallTime wall, bool bye);
  uint32_t timestamp_of(SteadyTime now, WallTime wall) const;
  void forget_silent(SteadyTime now);

  const std::string cname_;
  RtcpAudience audience_;
  RtcpTimer timer_;
  std::optional<uint32_t> ssrc_;
  uint32_t timestamp_ = 0;     // of the newest frame,
  SteadyTime timestamp_at_{};  // which began to leave then,
  WallTime captured_{};        // and was there then; zero: not known
  uint32_t packets_ = 0;       // wrap, as RFC 3550 has it
  uint32_t octets_ = 0;
  std::vector<ReceiverOpinion> receivers_;
  uint64_t changes_ = 0;
  std::array<std::byte, kMaxRtcpBytes> out_{};
};

// Not thread-safe.
class RtcpReceiver {
 public:
  // `tool`: what it is and can do, said in every report.
  RtcpReceiver(uint32_t ssrc, std::string cname, uint32_t seed, RtcpAudience audience = RtcpAudience::group,
               std::string tool = {})
      : ssrc_(ssrc), cname_(std::move(cname)), tool_(std::move(tool)), audience_(audience), timer_(seed) {}

  // Every datagram of the media port, duplicates too; what is neither RTP nor a
  // compact packet is ignored. The stream is what one SSRC at one
  // address sends; another one becomes it when that has been silent.
  void on_media(Bytes datagram, SteadyTime arrived, const PeerAddress& from = {});
  // A datagram of the control port. True for a sender's report of the stream that on_media() saw, from its host:
  // reports go back to where it came from.
  bool on_control(Bytes datagram, SteadyTime arrived, const PeerAddress& from = {});
  // When report() wants to be called; nothing until a sender's report came.
  std::optional<SteadyTime> next_deadline() const;
  Bytes report(SteadyTime now);   // as RtcpSender's
  Bytes goodbye(SteadyTime now);  // empty where nothing was reported

  // The block that would go out now; only for a stream that is there.
  std::optional<RtcpReportBlock> block(SteadyTime now);

 private:
  // One sender, as RFC 3550 A.1, A.3 and A.8 keep it.
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
  // Another has to send so many packets in a row before it is the stream: a stray packet is not.
  uint32_t candidate_ = 0;
  PeerAddress candidate_from_{};
  int candidate_packets_ = 0;
  bool reported_ = false;
  std::array<std::byte, kMaxRtcpBytes> out_{};
};

}  // namespace texcast::transport
