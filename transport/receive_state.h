// receive_state.h — the inside of ReceiveSession: frames in progress in a fixed set of slots. A datagram's way:
//
//   receive_in.cpp     datagram ─► in the clear (crypto/packet_opener.h) ─► RTP ─► checked media packet (media_packet.h) ─► its sender, its frame
//   receive_own.cpp    texcast's own datagrams, which are no RTP
//   receive_slots.cpp  frame ─► slot (frame_slot.h) ─► tile
//   receive_out.cpp    which slot is given out, and when
//   receive_give.cpp   slot ─► frame: holes filled, described
//
// Every datagram ends in exactly one counter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "crypto/packet_opener.h"
#include "frame_order.h"
#include "frame_slot.h"
#include "media_packet.h"
#include "sequence_tracker.h"
#include "transport/receive_session.h"

namespace texcast::transport {

// The rate is the sender's word: a frame every ten seconds is the slowest that is believed.
nanoseconds frame_time(double fps);

struct ReceiveSession::State {
  explicit State(const ReceiveSettings& given_settings) : settings(given_settings), opener(given_settings.keys) {}

  // Frames that may be incomplete at a time; one more and the oldest is given out as it is.
  static constexpr int kMaxFilling = 8;
  static constexpr int kSlots = 2 * kMaxFilling;

  using Slot = FrameSlot;
  using Arrival = SequenceTracker::Arrival;

  // receive_in.cpp
  void on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now);
  void on_rtp(Bytes datagram, SteadyTime now, WallTime wall_now);
  void on_media(const MediaPacket& packet, SteadyTime now, WallTime wall_now);
  void put_into_frame(const MediaPacket& packet, Arrival arrival, SteadyTime now, WallTime wall_now);
  bool accept_sender(uint32_t new_ssrc, SteadyTime now);
  Arrival note_sequence(const RtpPacket& rtp);
  void count_too_late(uint64_t order, Arrival arrival);

  // receive_own.cpp
  void on_own(const OwnDatagram& datagram, SteadyTime now, WallTime wall_now);

  // receive_slots.cpp
  Slot* find(uint64_t order);
  Slot* find_time(uint32_t timestamp);
  Slot& begin_frame(const MediaPacket& packet, FrameOrder::Place place, SteadyTime now, WallTime wall_now);
  Slot& free_slot();
  bool contradicts(const Slot& slot, const MediaPacket& packet) const;
  void take(Slot& slot, const MediaPacket& packet, Arrival arrival, SteadyTime now, WallTime wall_now);
  void end_seen(Slot& slot, SteadyTime now);

  // receive_out.cpp
  std::optional<ReceivedFrame> poll(SteadyTime now, WallTime wall_now);
  void expire(SteadyTime now, WallTime wall_now);
  Slot* next_out();
  bool hangs_in_the_air(const Slot& slot) const;
  void pass(const Slot& slot);
  void finish(Slot& slot, WallTime wall_now);
  void update_deadline();

  // receive_give.cpp
  ReceivedFrame give(Slot& slot);
  StreamDesc describe(const Slot& slot) const;

  ReceiveSettings settings;
  PacketOpener opener;
  ReceiveCounters counters;
  std::array<Slot, kSlots> slots;
  Slot* recent = nullptr;  // where find() found the last packet's frame: the next one's is the same as a rule

  // The sender that is listened to.
  std::optional<uint32_t> ssrc;
  SteadyTime heard{};
  double sender_fps = 30;
  SequenceTracker sequence;
  FrameOrder order;

  // What was given out last.
  Slot* shown = nullptr;
  std::optional<PacketShape> shown_shape;  // of its first tile
  StreamDesc shown_desc;
  uint32_t shown_ssrc = 0;
  uint32_t shown_timestamp = 0;
  int64_t ticks = 0;  // 90 kHz since the stream's first frame

  // Frames up to passed_order are over; the newest of them, for telling duplicates from late packets.
  uint64_t passed_order = 0, passed_run = 0;
  uint64_t stream_begin = 0;  // order of the stream's frame number 0
  struct Passed {
    uint64_t order = 0;
    bool complete = false;
  };
  std::array<Passed, 32> passed{};

  bool finished_waiting = false;
  SteadyTime finished_at{};
  SteadyTime next_timeout = SteadyTime::max();
};

}  // namespace texcast::transport
