// receive_state.h — the inside of ReceiveSession: frames in progress in a fixed set of slots. receive_in.cpp puts
// datagrams into slots, receive_out.cpp gives slots out as frames.
//
//   free ──first packet──► filling ──last byte, or timeout──► finished ──poll()──► given ──next frame given──► free
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "frame_order.h"
#include "reassembler.h"
#include "sequence_tracker.h"
#include "transport/packet.h"
#include "transport/receive_session.h"

namespace texcast::transport {

struct ReceiveSession::State {
  explicit State(const ReceiveSettings& given_settings) : settings(given_settings) {}

  // Frames that may be incomplete at a time; one more and the oldest is given out as it is.
  static constexpr int kMaxFilling = 8;
  static constexpr int kSlots = 2 * kMaxFilling;

  // What every packet of a frame repeats.
  struct Shape {
    FourCC fourcc{};
    uint16_t width = 0, height = 0;
    uint8_t interlacing = 0;
    double fps = 0;
    uint32_t length = 0;
    bool operator==(const Shape&) const = default;
  };
  struct Slot {
    enum class Phase : uint8_t { free, filling, finished, given };
    Phase phase = Phase::free;
    uint64_t order = 0, run = 0;
    uint32_t ssrc = 0, timestamp = 0, buffer_id = 0;
    Shape shape;
    std::optional<StreamExtension> extension{};
    uint32_t packets = 0;
    uint64_t last_number = 0;  // highest sequence number of its packets, unwrapped
    SteadyTime begun{};
    SteadyTime deadline{};  // given out by then, holes or not
    bool ended = false;     // its end was seen, so the deadline is near
    WallTime first_packet{}, assembled{};
    Reassembler data;
  };
  // A checked packet: nothing in it contradicts itself.
  struct VideoPacket {
    RtpPacket rtp;
    VideoHeader video;
    std::optional<StreamExtension> extension{};
    Bytes piece;
    Shape shape() const {
      return {video.fourcc, video.width, video.height, video.interlacing, video.fps, video.length};
    }
  };

  // receive_in.cpp
  void on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now);
  void on_video(const RtpPacket& rtp, SteadyTime now, WallTime wall_now);
  std::optional<VideoPacket> check(const RtpPacket& rtp) const;
  bool accept_sender(uint32_t new_ssrc, SteadyTime now);
  SequenceTracker::Arrival note_sequence(const RtpPacket& rtp);
  Slot* find(uint64_t order);
  Slot* find_time(uint32_t timestamp);
  Slot& begin_frame(const VideoPacket& packet, FrameOrder::Place place, SteadyTime now, WallTime wall_now);
  Slot& free_slot();
  bool contradicts(const Slot& slot, const VideoPacket& packet) const;
  void take(Slot& slot, const VideoPacket& packet, SequenceTracker::Arrival arrival, SteadyTime now, WallTime wall_now);
  void end_seen(Slot& slot, SteadyTime now);
  void count_too_late(uint64_t order, SequenceTracker::Arrival arrival);

  // receive_out.cpp
  std::optional<ReceivedFrame> poll(SteadyTime now, WallTime wall_now);
  void expire(SteadyTime now, WallTime wall_now);
  Slot* next_out();
  bool hangs_in_the_air(const Slot& slot) const;
  ReceivedFrame give(Slot& slot);
  void pass(const Slot& slot);
  StreamDesc describe(const Slot& slot) const;
  void finish(Slot& slot, WallTime wall_now);
  void update_deadline();

  ReceiveSettings settings;
  ReceiveCounters counters;
  std::array<Slot, kSlots> slots;

  // The sender that is listened to.
  std::optional<uint32_t> ssrc;
  SteadyTime heard{};
  double sender_fps = 30;
  SequenceTracker sequence;
  FrameOrder order;

  // What was given out last.
  Slot* shown = nullptr;
  std::optional<Shape> shown_shape;
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
