// receive_state.h — the inside of ReceiveSession: frames in progress in a fixed set of slots. A datagram's way:
//
//   receive_in.cpp     datagram ─► in the clear (crypto/packet_opener.h) ─► RTP ─►
//                      checked media packet (media_packet.h) ─► its sender, its frame
//   receive_sender.cpp the sender that is listened to, and the next one
//   receive_own.cpp    texcast's own datagrams, which are no RTP
//   receive_symbols.cpp packets as symbols: own parity, requests
//   receive_slots.cpp  frame ─► slot (frame_slot.h) ─► tile
//   receive_repair.cpp which tiles are whole, with parity's help
//   receive_out.cpp    which slot is given out, and when
//   receive_give.cpp   slot ─► frame: holes filled, tiles put together, described
//
// Every datagram ends in exactly one counter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "frame_order.h"
#include "frame_slot.h"
#include "media_packet.h"
#include "sender_candidate.h"
#include "sequence_tracker.h"
#include "transport/packet_opener.h"
#include "transport/receive_session.h"
#include "transport/ultragrid_fec_block.h"

namespace texcast::transport {

// The rate is the sender's word: a frame every ten seconds is the slowest that is believed.
nanoseconds frame_time(double fps);

struct ReceiveSession::State {
  explicit State(const ReceiveSettings& given_settings) : settings(given_settings), opener(given_settings.keys) {
    if (settings.keys) sealer.emplace(*settings.keys);
  }

  // Frames that may be incomplete at a time; one more and the oldest is given out as it is.
  static constexpr int kMaxFilling = 8;
  static constexpr int kSlots = 2 * kMaxFilling;

  using Slot = FrameSlot;
  using Arrival = SequenceTracker::Arrival;

  // receive_in.cpp
  void on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now);
  void on_rtp(Bytes datagram, SteadyTime now, WallTime wall_now);
  void drop(const RtpPacket& rtp, uint64_t& counter);
  void on_media(const MediaPacket& packet, SteadyTime now, WallTime wall_now);
  void put_into_frame(const MediaPacket& packet, Arrival arrival, SteadyTime now, WallTime wall_now);
  void on_accepted(const MediaPacket& packet, SteadyTime now, WallTime wall_now);
  Arrival note_sequence(const RtpPacket& rtp);
  static bool is_shown_tile(const MediaPacket& packet);
  void count_too_late(const MediaPacket& packet, uint64_t order, Arrival arrival);

  // receive_sender.cpp
  bool accept_sender(uint32_t new_ssrc, SteadyTime now);
  void keep_for_later(const MediaPacket& packet, SteadyTime now, WallTime wall_now);
  void replay_next();
  void replay_all();
  void consider_candidate(SteadyTime now);

  // receive_own.cpp
  void on_own(const OwnDatagram& datagram, SteadyTime now, WallTime wall_now);
  void on_parity(const OwnDatagram& datagram, SteadyTime now, WallTime wall_now);

  // receive_symbols.cpp
  void note_layout(Slot& slot, const MediaPacket& packet);
  bool room_for_parity(const Slot& slot, const MediaPacket& packet);
  void note_arrival(Slot& slot, const MediaPacket& packet, Arrival arrival, SteadyTime now);
  bool take_parity(Slot& slot, const MediaPacket& packet, SteadyTime now);
  void repair_group(Slot& slot, uint32_t group);
  void note_over(Slot& slot, SteadyTime now);
  bool hopes_for_answers(const Slot& slot, SteadyTime now) const;
  SteadyTime last_call(const Slot& slot, SteadyTime now) const;
  SteadyTime quiet_at(const Slot& slot) const;
  std::optional<SteadyTime> next_request() const;
  std::optional<Bytes> poll_feedback(SteadyTime now);

  // receive_slots.cpp
  Slot* find(uint64_t order);
  Slot* find_time(uint32_t timestamp);
  Slot& begin_frame(const MediaPacket& packet, FrameOrder::Place place, SteadyTime now, WallTime wall_now);
  Slot& free_slot();
  bool contradicts(const Slot& slot, const MediaPacket& packet) const;
  void take(Slot& slot, const MediaPacket& packet, Arrival arrival, SteadyTime now, WallTime wall_now);
  void count_taken(Slot& slot, const MediaPacket& packet, Arrival arrival);
  void note_end(Slot& slot, const MediaPacket& packet, SteadyTime now);
  void end_seen(Slot& slot, SteadyTime now);
  bool whole(const Slot& slot) const;
  int expected_tiles(const Slot& slot) const;  // 0: not known
  bool make_room(const Tile& tile, size_t bytes);
  nanoseconds patience() const;      // a frame is given out so long after its first packet
  nanoseconds longest_wait() const;  // where its packets still come

  // receive_repair.cpp
  void settle_tile(Tile& tile, bool ended);
  void read_block(Tile& tile);
  static uint64_t recovered_packets(const Tile& tile);

  // receive_out.cpp
  std::optional<ReceivedFrame> poll(SteadyTime now, WallTime wall_now);
  std::optional<ReceivedFrame> poll_at(SteadyTime now, WallTime wall_now);
  std::optional<FrameProgress> progress() const;
  void expire(SteadyTime now, WallTime wall_now);
  Slot* next_out(SteadyTime now);
  bool hangs_in_the_air(const Slot& slot) const;
  void pass(const Slot& slot);
  void finish(Slot& slot, WallTime wall_now);
  void update_deadline();

  // receive_give.cpp
  std::optional<ReceivedFrame> give(Slot& slot);
  bool prepare(Slot& slot);
  bool prepare_tile(Tile& tile, const Tile* before);
  StreamDesc describe(const Slot& slot) const;
  FrameTimes times_of(const Slot& slot) const;
  void fill_holes(Slot& slot, bool new_stream, ReceivedFrame& frame);
  void put_together(Slot& slot, ReceivedFrame& frame);
  int tiles_of(const Slot& slot) const;

  ReceiveSettings settings;
  PacketOpener opener;
  ReceiveCounters counters;
  std::array<Slot, kSlots> slots;
  uint64_t frames_begun = 0;
  Slot* recent = nullptr;  // where find() found the last packet's frame: the next one's is the same as a rule

  // The sender that is listened to.
  std::optional<uint32_t> ssrc;
  SteadyTime heard{};
  double sender_fps = 30;
  SenderCandidate candidate;
  SequenceTracker sequence;
  FrameOrder order;

  // What was given out last.
  Slot* shown = nullptr;
  std::optional<PacketShape> shown_shape;    // of its first tile
  std::optional<TilePicture> shown_picture;  // of each tile
  int shown_tiles = 0;
  int stream_tiles = 0;             // as many are expected of its next frame
  std::vector<std::byte> composed;  // of several tiles
  std::vector<ByteRange> composed_concealed;
  StreamDesc shown_desc;
  uint32_t shown_ssrc = 0;
  uint64_t shown_run = 0;
  uint32_t shown_timestamp = 0;
  int64_t ticks = 0;  // 90 kHz since the stream's first frame

  // Frames up to passed_order are over; the newest of them, for telling duplicates from late packets.
  uint64_t passed_order = 0, passed_run = 0;
  uint64_t stream_begin = 0;  // order of the stream's frame number 0
  struct Passed {
    uint64_t order = 0;
    bool complete = false;
    uint8_t beyond = 0;                         // packets of tiles that it had not, up to 2
    std::array<uint32_t, kMaxTiles> arrived{};  // of each tile, without a hole from its beginning
  };
  std::array<Passed, 32> passed{};

  UltraGridFecReader fec_reader;

  ParityCodes parity_codes;
  RetransmitRequester requester;
  std::optional<Sealer> sealer;  // of requests, where there is a key
  std::array<std::byte, kRequestHeaderBytes + 4 * RetransmitRequest::kMaxRanges> feedback{};
  std::array<std::byte, kRequestHeaderBytes + 4 * RetransmitRequest::kMaxRanges + kSealOverhead> sealed_feedback{};

  bool finished_waiting = false;
  SteadyTime finished_at{};
  SteadyTime next_timeout = SteadyTime::max();
};

}  // namespace texcast::transport
